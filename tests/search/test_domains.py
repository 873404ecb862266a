import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.masking import GlobalRecoding, TopBottomCoding
from sfumato.search.file_evolution.domains import in_joint_domain, joint_attribute, without_unused

SIZE = Attribute(
    name="size", scale="ordinal", role="key", categories=("S", "M", "L", "XL"), missing=("?", "big #2")
)


def recoded(categories, covers):
    return SIZE.evolve(categories=categories, covers=covers)


BIG = recoded(("S", "M", "big"), {"big": ("L", "XL")})
BIGGER = recoded(("S", "big"), {"big": ("M", "L", "XL")})
OTHER_NAME = recoded(("S", "M", "large"), {"large": ("XL", "L")})
SAME_NAME = recoded(("S", "M", "L"), {"L": ("L", "XL")})
UNKNOWN = recoded(("S", "odd"), {})


def table(attribute, codes):
    return Table(Schema([attribute]), {"size": np.array(codes)})


def meaning(attribute, code):
    """What a code stands for: the original categories, or nothing for a missing value."""
    if code < 0:
        return None
    name = attribute.categories[code]
    return frozenset(attribute.covers.get(name, (name,)))


def test_the_same_name_for_different_sets_gets_a_number_that_is_no_missing_code():
    joint, maps = joint_attribute(SIZE, [BIG, BIGGER])
    assert joint.categories == ("S", "M", "L", "XL", "big", "big #3")
    assert joint.covers == {"big": ("L", "XL"), "big #3": ("M", "L", "XL")}
    assert [codes.tolist() for codes in maps] == [[0, 1, 4], [0, 5]]


def test_different_names_for_one_set_are_one_category():
    joint, maps = joint_attribute(SIZE, [BIG, OTHER_NAME])
    assert joint.categories == ("S", "M", "L", "XL", "big")
    assert [codes.tolist() for codes in maps] == [[0, 1, 4], [0, 1, 4]]


def test_an_original_name_that_covers_more_is_another_category():
    joint, maps = joint_attribute(SIZE, [SAME_NAME])
    assert joint.categories[4:] == ("L #2",)
    assert joint.covers == {"L #2": ("L", "XL")}
    assert maps[0].tolist() == [0, 1, 4]


def test_a_category_that_nothing_explains_stays_so():
    joint, maps = joint_attribute(SIZE, [UNKNOWN])
    assert (joint.categories[4:], joint.covers, maps[0].tolist()) == (("odd",), {}, [0, 4])


def test_what_the_original_covers_is_kept():
    joint, maps = joint_attribute(BIG, [BIG, BIGGER])
    assert joint.categories == ("S", "M", "big", "big #3")
    assert joint.covers == {"big": ("L", "XL"), "big #3": ("M", "L", "XL")}
    assert maps[0].tolist() == [0, 1, 2]


KINDS = st.sampled_from([SIZE, BIG, BIGGER, OTHER_NAME, SAME_NAME, UNKNOWN])


@given(kinds=st.lists(KINDS, min_size=1, max_size=5), data=st.data())
def test_no_value_changes_its_meaning_in_the_joint_domain(kinds, data):
    tables = [
        table(kind, data.draw(st.lists(st.integers(-1, kind.domain_size - 1), min_size=8, max_size=8)))
        for kind in kinds
    ]
    original = table(SIZE, [0, 1, 2, 3, -1, 0, 1, 2])
    wide, masked = in_joint_domain(original, tables, ["size"])
    assert wide["size"].tolist() == original["size"].tolist()
    for before, after in zip(tables, masked, strict=True):
        assert after.schema["size"] == wide.schema["size"]
        back = without_unused(after, original, ["size"])
        declared = back.schema["size"]
        assert declared.categories[:4] == SIZE.categories
        assert set(declared.categories[4:]) <= {declared.categories[c] for c in back["size"] if c >= 0}
        for name in (after, back):
            assert [meaning(name.schema["size"], c) for c in name["size"]] == [
                meaning(before.schema["size"], c) for c in before["size"]
            ]


def test_a_file_without_recoded_categories_gets_the_declared_attribute_back():
    paths = tuple((c, "all") for c in SIZE.categories)
    declared = SIZE.evolve(hierarchy=Hierarchy(paths))
    original = table(declared, [0, 1, 2, 3])
    wide, (plain, recoded_file) = in_joint_domain(original, [original, table(BIG, [0, 2, -1, 2])], ["size"])
    assert wide.schema["size"].hierarchy is None
    assert without_unused(plain, original, ["size"]).schema["size"] == declared
    assert without_unused(recoded_file, original, ["size"]).schema["size"].categories[4:] == ("big",)


@pytest.mark.parametrize("masking", [TopBottomCoding(), GlobalRecoding()])
def test_what_our_recodings_make_can_be_written(masking):
    codes = np.random.default_rng(0).integers(-1, 4, 60)
    grade = Attribute(
        name="size", scale="ordinal", role="key", categories=("1", "2", "3", "4"), storage="integer"
    )
    original = table(grade, codes)
    masked = masking.apply(original, np.random.default_rng(0))
    _, (joint,) = in_joint_domain(original, [masked], ["size"])
    back = without_unused(joint, original, ["size"])
    assert back.to_arrow().column("size").to_pylist() == masked.to_arrow().column("size").to_pylist()
