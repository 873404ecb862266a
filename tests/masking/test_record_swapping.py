from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.datasets import household_survey
from sfumato.masking import RecordSwapping
from sfumato.masking.record_swapping import pairs_between

# six towns in three provinces in two countries
PATHS = Hierarchy(tuple((t, p, c) for t, p, c in zip("abcdef", "ppqqrr", "XXXXYY", strict=True)))


def people(home, town, sex=None, *, hierarchy=PATHS, sex_role="other"):
    attributes = [
        Attribute(name="home", scale="numeric", role="household"),
        Attribute(name="town", scale="nominal", role="key", categories=tuple("abcdef"), hierarchy=hierarchy),
        Attribute(name="sex", scale="nominal", role=sex_role, categories=("f", "m")),
    ]
    columns = {"home": home, "town": town, "sex": np.zeros(len(home), int) if sex is None else sex}
    return Table(Schema(attributes), columns)


def swapped(table, seed=0, **parameters):
    return RecordSwapping(**parameters).apply(table, np.random.default_rng(seed))


def drawn(n, seed):
    """Households of up to four, some without number or town."""
    rng = np.random.default_rng(seed)
    home = np.sort(rng.integers(0, max(n // 2, 1), n)).astype(float)
    town = rng.integers(-1, 6, n)[np.searchsorted(home, home)]
    home[rng.random(n) < 0.1] = np.nan
    shuffle = rng.permutation(n)
    return people(home[shuffle], town[shuffle], rng.integers(-1, 2, n))


def test_hand_worked_example():
    # households of two in a and b trade, whatever else lives there; the single one in c finds nobody
    table = people([1, 2, 1, 3, 2, 4, 4], [0, 1, 0, 2, 1, -1, -1])
    masked = swapped(table, p=100)
    assert masked["town"].tolist() == [1, 0, 1, 2, 0, -1, -1]
    assert RecordSwapping(p=100).swaps(table, np.random.default_rng(0)).tolist() in ([[0, 1]], [[1, 0]])


def test_the_nearest_regions_come_first_and_level_is_a_wall():
    # one person each in a, b, c and e: a trades with b in the same province, c with e across countries
    table = people([1, 2, 3, 4], [0, 1, 2, 4])
    for seed in range(20):
        assert swapped(table, seed, p=100)["town"].tolist() == [1, 0, 4, 2]
        assert swapped(table, seed, p=100, level=2)["town"].tolist() == [1, 0, 2, 4]
        far = people([1, 2], [0, 2])
        assert swapped(far, seed, p=100, level=1)["town"].tolist() == [0, 2]
        assert swapped(far, seed, p=100, level=2)["town"].tolist() == [2, 0]


def test_similar_households_have_the_same_members_in_any_order():
    home, town = [1, 1, 2, 2, 3, 3], [0, 0, 1, 1, 2, 2]
    table = people(home, town, [0, 1, 0, 0, 1, 0])
    assert swapped(table, p=100, similar=("sex",))["town"].tolist() == [2, 2, 1, 1, 0, 0]
    assert swapped(table, p=100)["town"].tolist() == [1, 1, 0, 0, 2, 2]
    strata = people(home, town, [0, 0, 1, 1, 0, 0], sex_role="stratum")
    assert swapped(strata, p=100)["town"].tolist() == [2, 2, 1, 1, 0, 0]


@given(st.integers(1, 60), st.floats(0, 100), st.integers(0, 2), st.booleans(), st.integers(0, 9999))
def test_households_stay_whole_and_regions_keep_their_numbers(n, p, level, similar, seed):
    table = drawn(n, seed)
    swapping = RecordSwapping(p=p, level=level, similar=("sex",) if similar else ())
    masked = swapping.apply(table, np.random.default_rng(seed))
    whole = ~np.isnan(table["home"])
    for home in np.unique(table["home"][whole]):
        assert len(np.unique(masked["town"][table["home"] == home])) == 1
    assert np.array_equal(masked.missing("town"), table.missing("town"))
    columns = ("town", "sex") if similar else ("town",)
    before, after = (Counter(zip(*(t[c].tolist() for c in columns), strict=True)) for t in (table, masked))
    assert before == after
    if level:
        area = np.array([0, 0, 1, 1, 2, 2, -1] if level == 1 else [0, 0, 0, 0, 1, 1, -1])
        assert np.array_equal(area[masked["town"]], area[table["town"]])
    pairs = swapping.swaps(table, np.random.default_rng(seed))
    town = table["town"]
    assert (town[pairs[:, 0]] != town[pairs[:, 1]]).all()
    assert np.array_equal(masked["town"][pairs], town[pairs[:, ::-1]])
    assert len(np.unique(pairs)) == pairs.size


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=40), st.integers(0, 999))
def test_as_many_pairs_as_can_be(households, seed):
    cells, regions = np.array(households, np.int64).reshape(-1, 2).T
    a, b = pairs_between(cells, regions, np.random.default_rng(seed))
    assert (cells[a] == cells[b]).all()
    assert (regions[a] != regions[b]).all()
    assert len({*a.tolist(), *b.tolist()}) == 2 * len(a)
    most = 0
    for cell in np.unique(cells):
        counts = np.bincount(regions[cells == cell])
        most += min(counts.sum() // 2, counts.sum() - counts.max())
    assert len(a) == most


def test_a_survey():
    survey = household_survey(5000, seed=1)
    masked = swapped(survey, p=20, similar=("sex",))
    moved = masked["region"] != survey["region"]
    households = len(np.unique(survey["household"]))
    assert len(np.unique(survey["household"][moved])) == 2 * round(20 * households / 200)
    assert np.array_equal(np.bincount(masked["region"]), np.bincount(survey["region"]))


def test_refusals(mixed):
    with pytest.raises(DataError, match=r"record_swapping: column town must be the same .* Got 1 households"):
        swapped(people([1, 1, 2], [0, 1, 0]))
    with pytest.raises(DataError, match=r"level must be at most 2, the depth .* town. Got 3"):
        swapped(people([1], [0]), level=3)
    with pytest.raises(DataError, match="column town must not be both masked and similar"):
        swapped(people([1], [0]), similar=("town",))
    with pytest.raises(DataError, match=r"one column of regions must be named. Got 0 nominal keys"):
        swapped(people([1], [0], hierarchy=None))
    with pytest.raises(DataError, match=r"one column of regions must be named. Got 2 columns"):
        swapped(mixed(9), attributes=("town", "illness"))


def test_regions_without_a_hierarchy_are_all_alike():
    table = people([1, 2], [0, 5], hierarchy=None)
    assert swapped(table, p=100, attributes=("town",))["town"].tolist() == [5, 0]
