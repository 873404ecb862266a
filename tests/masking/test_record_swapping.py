from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, progress
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.datasets import household_survey
from sfumato.masking import RecordSwapping
from sfumato.masking.record_swapping import pairs_between, without_partner

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


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.booleans()), max_size=40), st.integers(0, 999)
)
def test_the_urgent_are_left_out_only_where_nobody_can_help(households, seed):
    cells, regions, urgent = (np.array(households, np.int64).reshape(-1, 3)).T
    cells, urgent = np.unique(cells, return_inverse=True)[1].ravel(), urgent.astype(bool)
    rng = np.random.default_rng(seed)
    out = without_partner(cells, regions, urgent, rng)
    able = np.setdiff1d(np.arange(len(cells)), out)
    pairs = able[pairs_between(cells[able], regions[able], rng)]
    assert sorted(pairs.ravel()) == able.tolist()
    for cell in np.unique(cells):
        here = cells == cell
        gone = [p for p in out if here[p] and urgent[p]]
        if not gone:
            continue
        counts = np.bincount(regions[here])
        if 2 * counts.max() > here.sum():  # the urgent of one region alone outnumber everybody else
            ruling = here & (regions == counts.argmax())
            assert len(gone) == max((ruling & urgent).sum() - (here & ~ruling).sum(), 0)
        else:
            assert len(gone) == 1 and urgent[here].all()


def at_risk(table):
    """Slow and obvious: towns and homes of the records whose sex nobody else in the town has."""
    seen = Counter(zip(table["town"].tolist(), table["sex"].tolist(), strict=True))
    return {
        row
        for row in range(table.n)
        if seen[table["town"][row], table["sex"][row]] == 1 and table["town"][row] >= 0
    }


def test_those_at_risk_go_first():
    # the only man of a and the only one of c; women everywhere
    table = people(
        range(12), [0, 0, 0, 1, 1, 1, 2, 2, 2, 4, 4, 4], [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], sex_role="key"
    )
    for seed in range(20):
        masked = swapped(table, seed, p=100 * 4 / 12, risk="keys")
        assert masked["town"][0] == 1  # the nearest town
        assert masked["town"][6] != 2
        assert np.count_nonzero(masked["town"] != table["town"]) == 4


def test_partners_of_those_at_risk_are_not_taken_by_others():
    # the man of e finds only women of other provinces, who could also trade among themselves
    table = people(range(5), [0, 1, 2, 3, 4], [0, 0, 0, 0, 1], sex_role="key")
    lonely = people(range(7), [0, 0, 1, 1, 4, 4, 4], [0, 0, 0, 0, 0, 0, 1], sex_role="key")
    for seed in range(20):
        assert swapped(lonely, seed, p=100 * 2 / 7, risk="keys")["town"][6] != 4
        assert np.count_nonzero(swapped(table, seed, p=100, risk="keys")["town"] != table["town"]) == 4


@given(st.integers(1, 60), st.integers(0, 2), st.integers(0, 9999))
def test_risk_changes_who_moves_and_nothing_else(n, level, seed):
    table = drawn(n, seed)
    table = table.with_schema(table.schema.with_roles({"sex": "key"}))
    swapping = RecordSwapping(p=40, level=level, risk="keys")
    masked = swapping.apply(table, np.random.default_rng(seed))
    assert Counter(masked["town"].tolist()) == Counter(table["town"].tolist())
    for home in np.unique(table["home"][~np.isnan(table["home"])]):
        assert len(np.unique(masked["town"][table["home"] == home])) == 1
    risky = at_risk(table)
    homes = np.where(np.isnan(table["home"]), -1.0 - np.arange(n), table["home"])
    risky_homes = {homes[row] for row in risky}
    pairs = swapping.swaps(table, np.random.default_rng(seed))
    aimed = [bool(risky_homes & set(homes[pair])) for pair in pairs]
    assert aimed == sorted(aimed, reverse=True)
    if False in aimed:  # somebody else was drawn, so all pairs of those at risk were
        everything = RecordSwapping(p=100, level=level, risk="keys").swaps(table, np.random.default_rng(seed))
        assert sum(aimed) == sum(bool(risky_homes & set(homes[pair])) for pair in everything)


def test_the_user_is_told_who_stays():
    class Notes:
        told: ClassVar[list[str]] = []

        def noted(self, message):
            self.told.append(message)

    with progress.listening(Notes()):
        swapped(people(range(3), [0, 2, 2], [0, 0, 1], sex_role="key"), p=100, level=1, risk="keys")
    assert Notes.told == [
        "record_swapping: 3 of 3 households at risk stay in their region; raise p, or name fewer similar columns."
    ]


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
    with pytest.raises(DataError, match="risk = keys needs a key attribute beside column town"):
        swapped(people([1], [0]), risk="keys")
    with pytest.raises(DataError, match="column town must not be both masked and similar"):
        swapped(people([1], [0]), similar=("town",))
    with pytest.raises(DataError, match=r"one column of regions must be named. Got 0 nominal keys"):
        swapped(people([1], [0], hierarchy=None))
    with pytest.raises(DataError, match=r"one column of regions must be named. Got 2 columns"):
        swapped(mixed(9), attributes=("town", "illness"))


def test_regions_without_a_hierarchy_are_all_alike():
    table = people([1, 2], [0, 5], hierarchy=None)
    assert swapped(table, p=100, attributes=("town",))["town"].tolist() == [5, 0]
