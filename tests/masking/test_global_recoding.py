import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.masking import GlobalRecoding


def table_of(counts, *, scale="ordinal", categories=None, **details):
    categories = categories or tuple(map(str, range(1, len(counts) + 1)))
    attribute = Attribute(name="x", scale=scale, role="key", categories=categories, **details)
    return Table(Schema([attribute]), {"x": np.append(np.repeat(np.arange(len(counts)), counts), -1)})


def recode(table, **parameters):
    masked = GlobalRecoding(**parameters).apply(table, np.random.default_rng(0))
    return masked, masked.schema["x"]


def test_adjacent_ordinal_categories_become_an_interval():
    masked, x = recode(table_of([9, 1, 2, 1, 8], labels={"1": "one", "2": "two"}), p=3)
    assert x.categories == ("1", "2..4", "5")
    assert x.covers == {"2..4": ("2", "3", "4")}
    assert x.labels == {"1": "one"}
    assert np.bincount(masked["x"][:-1]).tolist() == [9, 4, 8]
    assert masked["x"][-1] == -1


def test_strata_are_recoded_alike_by_the_counts_of_the_whole():
    """In the first stratum alone category 3 would be the rarest."""
    table = table_of([9, 1, 2, 1, 8])
    stratum = Attribute(name="s", scale="nominal", role="stratum", categories=("a", "b"))
    rows = np.append(np.arange(21) % 2, 0)
    both = Table(Schema([*table.schema, stratum]), {"x": table["x"], "s": rows})
    masked, x = recode(both, p=3, attributes=("x",))
    assert x.covers == {"2..4": ("2", "3", "4")}
    np.testing.assert_array_equal(masked["x"], recode(table, p=3)[0]["x"])


def test_ties_go_to_the_later_category():
    _, x = recode(table_of([5, 2, 2, 2]), p=2)
    assert x.categories == ("1", "2", "3..4")


def test_categories_without_records_are_not_counted_but_fill_an_interval():
    _, x = recode(table_of([0, 1, 0, 1, 9, 0]), p=2)
    assert x.categories == ("1", "2..4", "5", "6")
    assert x.covers == {"2..4": ("2", "3", "4")}


def test_ordinal_categories_apart_stand_at_their_median():
    _, x = recode(table_of([2, 9, 3, 9, 1]), p=3)
    assert x.categories == ("2", "other", "4")
    assert x.covers == {"other": ("1", "3", "5")}


def test_nominal_categories_become_other_and_come_last():
    masked, x = recode(table_of([1, 9, 0, 2], scale="nominal"), p=2)
    assert x.categories == ("2", "3", "other")
    assert x.covers == {"other": ("1", "4")}
    assert np.bincount(masked["x"][:-1]).tolist() == [9, 0, 3]


def test_a_taken_name_gets_a_number():
    _, x = recode(table_of([9, 1, 1, 7], scale="nominal", categories=("other", "b", "c", "d")), p=2)
    assert x.categories == ("other", "d", "other 2")
    _, x = recode(table_of([9, 1, 1], scale="nominal", missing=("other",)), p=2)
    assert x.categories == ("1", "other 2")


def test_recoding_twice_remembers_the_originals():
    once, _ = recode(table_of([9, 1, 1, 3, 8]), p=2)
    twice, x = recode(once, p=2)
    assert x.categories == ("1", "2..4", "5")
    assert x.covers == {"2..4": ("2", "3", "4")}
    _, x = recode(twice, p=2)
    assert (x.categories, x.covers) == (("1", "2..5"), {"2..5": tuple("2345")})


def test_nothing_to_merge_changes_nothing():
    for counts in ([0, 0], [0, 4], [3, 4]):  # the most frequent category always stays
        table = table_of(counts)
        masked, x = recode(table, p=5)
        assert x == table.schema["x"]
        assert np.array_equal(masked["x"], table["x"])


def test_merged_category_has_the_ancestors_its_members_share(mixed):
    table = mixed(200)
    masked = GlobalRecoding(p=2, attributes=("town",)).apply(table, np.random.default_rng(0))
    town = masked.schema["town"]
    assert town.covers == {"other": ("Avila", "Porto")}
    assert ("other", "other", "other") in town.hierarchy.rows
    near = table_of(
        [9, 1, 1], scale="nominal", hierarchy=Hierarchy((("1", "A", "X"), ("2", "B", "X"), ("3", "B", "X")))
    )
    _, x = recode(near, p=2)
    assert x.hierarchy.rows == (("1", "A", "X"), ("other", "B", "X"))
    lifted, x = recode(recode(near, p=2)[0], level=1)
    assert x.covers == {"A": ("1",), "B": ("2", "3")}
    assert np.bincount(lifted["x"][:-1]).tolist() == [9, 2]


def test_levels_of_a_hierarchy(mixed):
    table = mixed(200)
    once = GlobalRecoding(level=1).apply(table, np.random.default_rng(0))
    town, degree = once.schema["town"], once.schema["degree"]
    assert town.categories == ("Catalonia", "Castile", "Norte")
    assert town.covers["Castile"] == ("Soria", "Avila")
    assert degree.categories == ("low", "middle", "high")
    assert degree.labels == {}
    assert town.hierarchy.rows[0] == ("Catalonia", "Spain")
    twice = GlobalRecoding(level=1).apply(once, np.random.default_rng(0)).schema["town"]
    directly = GlobalRecoding(level=2).apply(table, np.random.default_rng(0)).schema["town"]
    assert twice == directly
    assert directly.hierarchy is None
    assert directly.covers["Spain"] == ("Lleida", "Girona", "Soria", "Avila")


def test_refusals(mixed):
    with pytest.raises(ParameterError, match="only one of p and level"):
        GlobalRecoding(p=2, level=1)
    with pytest.raises(DataError, match="column x has no hierarchy"):
        recode(table_of([1, 2]), level=1)
    with pytest.raises(DataError, match=r"level must be at most 2, the depth .* degree. Got 3"):
        GlobalRecoding(level=3).apply(mixed(5), np.random.default_rng(0))
    partial = table_of([1, 2, 3], hierarchy=Hierarchy((("1", "A"), ("3", "A"))))
    for parameters in ({"level": 1}, {"p": 2}):
        with pytest.raises(DataError, match="no path for category '2'"):
            recode(partial, **parameters)


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=8),
    st.integers(2, 9),
    st.sampled_from(["ordinal", "nominal"]),
)
def test_every_record_falls_into_the_category_that_covers_its_own(counts, p, scale):
    table = table_of(counts, scale=scale)
    masked, x = recode(table, p=p)
    old = table.schema["x"].categories
    assert sorted(c for new in x.categories for c in x.covers.get(new, (new,))) == sorted(old)
    for before, after in zip(table["x"][:-1], masked["x"][:-1], strict=True):
        new = x.categories[after]
        assert old[before] in x.covers.get(new, (new,))
    merged = min(p, np.count_nonzero(counts) - 1)
    assert len(np.unique(masked["x"][:-1])) == np.count_nonzero(counts) - max(merged - 1, 0)
