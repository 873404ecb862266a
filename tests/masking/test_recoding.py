import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, FileError, ParameterError, UnknownNameError
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.masking import Recoding, make_masking
from sfumato.masking._category_map import CategoryMap

STATES = ("single", "married", "divorced", "widowed")


def table_of(codes, *, scale="nominal", categories=STATES, **details):
    attribute = Attribute(name="x", scale=scale, role="key", categories=categories, **details)
    return Table(Schema([attribute]), {"x": np.array(codes)})


def recode(table, **parameters):
    masked = Recoding(**parameters).apply(table, np.random.default_rng(0))
    return masked, masked.schema["x"]


def test_named_categories_become_one_and_others_stay():
    masked, x = recode(table_of([0, 1, 2, 3, -1]), to={"alone": ("divorced", "widowed")})
    assert x.categories == ("single", "married", "alone")
    assert x.covers == {"alone": ("divorced", "widowed")}
    assert masked["x"].tolist() == [0, 1, 2, 2, -1]


def test_what_is_not_named_becomes_what_others_says():
    masked, x = recode(table_of([0, 1, 2, 3]), to={"couple": "married"}, others="no couple")
    assert x.categories == ("no couple", "couple")
    assert x.covers == {"no couple": ("single", "divorced", "widowed"), "couple": ("married",)}
    assert masked["x"].tolist() == [0, 1, 0, 0]


def test_categories_are_named_by_their_labels_and_ordinal_ones_by_a_run():
    years = tuple(map(str, range(1, 7)))
    table = table_of(range(6), scale="ordinal", categories=years, labels={"1": "first", "6": "last"})
    masked, x = recode(table, to={"early": ["first..3"], "late": ["last"]})
    assert x.categories == ("early", "4", "5", "late")
    assert masked["x"].tolist() == [0, 0, 0, 1, 2, 3]


def test_a_category_with_dots_is_itself_before_it_is_a_run():
    table = table_of([0, 1, 2], scale="ordinal", categories=("1", "1..3", "3"))
    _, x = recode(table, to={"middle": ["1..3"]})
    assert x.categories == ("1", "middle", "3")


def test_recoding_twice_still_tells_what_was_there_at_first():
    once, _ = recode(table_of([0, 1, 2, 3]), to={"alone": ("divorced", "widowed")})
    _, x = recode(once, to={"unmarried": ("alone", "single")})
    assert x.covers == {"unmarried": ("single", "divorced", "widowed")}


def test_a_hierarchy_goes_on_above_what_members_share():
    tree = Hierarchy((("a", "A", "all"), ("b", "A", "all"), ("c", "B", "all"), ("d", "B", "all")))
    table = table_of([0, 1, 2, 3], categories=tuple("abcd"), hierarchy=tree)
    _, x = recode(table, to={"ab": ["a", "b"]})
    assert x.hierarchy.rows == (("ab", "A", "all"), ("c", "B", "all"), ("d", "B", "all"))
    _, x = recode(table, to={"bc": ["b", "c"]})
    assert x.hierarchy.rows == (("a", "A", "all"), ("bc", "bc", "all"), ("d", "B", "all"))


@pytest.mark.parametrize(
    ("to", "sentence"),
    [
        ({"new": ["nobody"]}, "Unknown category of x 'nobody'"),
        ({"married": ["divorced"]}, "call the new one otherwise"),
        ({"9": ["divorced"]}, "a code for missing; call the new one otherwise"),
        ({"one": ["divorced"], "two": ["divorced"]}, "cannot become both 'one' and 'two'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(to, sentence):
    with pytest.raises(DataError, match=sentence) as raised:
        recode(table_of([0, 1], missing=("9",)), to=to)
    assert str(raised.value).startswith("recoding: ") and str(raised.value).endswith((".", "?"))


def test_a_category_that_was_recoded_away_is_no_new_name():
    once, _ = recode(table_of([0, 1, 2, 3]), to={"alone": ("divorced", "widowed")})
    with pytest.raises(DataError, match="call the new one otherwise"):
        recode(once, to={"widowed": ["single"]})


def test_columns_may_share_a_map_if_one_of_them_has_each_category():
    attributes = [
        Attribute(name=n, scale="nominal", role="key", categories=c)
        for n, c in (("p", ("y", "n")), ("q", ("n", "?")))
    ]
    table = Table(Schema(attributes), {"p": [0, 1], "q": [0, 1]})
    masked = Recoding(to={"other": ["n", "?"]}).apply(table, np.random.default_rng(0))
    assert masked.schema["p"].categories == ("y", "other")
    assert masked.schema["q"].categories == ("other",)


def test_a_map_is_read_from_a_file_once(tmp_path):
    path = tmp_path / "map.toml"
    path.write_text('alone = ["divorced", "widowed"]\n"a couple" = "married"\n')
    found = make_masking(f"recoding(to={path}, attributes=[x])")
    path.unlink()
    assert found == Recoding(
        to={"alone": ["divorced", "widowed"], "a couple": ["married"]}, attributes=("x",)
    )
    assert make_masking(found.plain()) == found == make_masking(found.spec())


def test_files_that_hold_no_map_are_refused(tmp_path):
    path = tmp_path / "map.toml"
    with pytest.raises(FileError, match="Map of categories"):
        Recoding(to=path)
    path.write_text("alone = 3\n")
    with pytest.raises(FileError, match="holds lines such as"):
        Recoding(to=str(path))


@pytest.mark.parametrize(
    "text", ["{}", "{a}", "{a = }", "a = b", "{a = [b], a = [c]}", "{a = b = c}", "{ = b}"]
)
def test_texts_that_are_no_map_are_refused(text):
    with pytest.raises(ParameterError):
        make_masking(f"recoding(to={text})")


def test_something_has_to_be_said():
    with pytest.raises(ParameterError, match="to must say what categories become"):
        Recoding()
    with pytest.raises(ParameterError, match="without spaces around it"):
        Recoding(others=" rest")


names = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).filter(
    lambda text: text.strip()
)


@given(st.dictionaries(names, st.lists(names, min_size=1, max_size=3), min_size=1, max_size=4))
def test_every_map_reads_back_as_itself(found):
    made = CategoryMap.convert(found)
    assert CategoryMap.convert(str(made)) == made
    masking = Recoding(to=made)
    assert make_masking(masking.plain()) == masking


def naive(attribute, codes, to, others):
    """Category by category, as a person would do it."""
    new = {old: name for name, olds in to.items() for old in olds}
    labels = [None if code < 0 else attribute.categories[code] for code in codes]
    return [label if label is None else new.get(label, others or label) for label in labels]


@given(st.data())
def test_a_recoded_column_is_what_the_map_says(data):
    size = data.draw(st.integers(1, 6))
    categories = tuple("abcdef"[:size])
    codes = data.draw(st.lists(st.integers(-1, size - 1), min_size=1, max_size=20))
    place = data.draw(st.lists(st.sampled_from(["X", "Y", ""]), min_size=size, max_size=size))
    to = {
        new: [c for c, at in zip(categories, place, strict=True) if at == new]
        for new in ("X", "Y")
        if new in place
    }
    others = data.draw(st.sampled_from(["", "Z", "X"]))
    if not to and not others:
        return
    table = table_of(codes, scale=data.draw(st.sampled_from(["ordinal", "nominal"])), categories=categories)
    masked, x = recode(table, to=to or None, others=others)
    expected = naive(table.schema["x"], codes, to, others)
    assert masked.to_arrow()["x"].to_pylist() == expected
    covered = [original for c in x.categories for original in x.covers.get(c, (c,))]
    assert sorted(covered) == sorted(categories)


def test_an_unknown_category_is_suggested():
    with pytest.raises(DataError, match="Did you mean married"):
        recode(table_of([0]), to={"couple": ["maried"]})
    with pytest.raises(UnknownNameError):
        CategoryMap.convert("{new = [x]}").check_known([table_of([0]).schema["x"]])
