"""The kernels and searches of the panel against slow twins that look at every pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_tables import keys, pairs

from sfumato.attacks.panel import compatible as compatible_records
from sfumato.attacks.panel import rank_window
from sfumato.attacks.panel.case import Case, record_keys
from sfumato.attacks.panel.long_list import CONTRADICTION, _view, long_list
from sfumato.attacks.panel.nearest import by_ranks, nearest, nearest_released
from sfumato.attacks.panel.pair_features import pair_features
from sfumato.attacks.panel.search import Coordinate, Search, within
from sfumato.data.coverage import coverage_of
from sfumato.kernels.cheapest_few import Costs, cheapest_few
from sfumato.kernels.nearest import BEYOND, EQUAL, SQUARED
from sfumato.measures import DistanceLinkage

quick = settings(max_examples=60, deadline=None)


def case_of(pair, seed=1):
    known, released = pair
    return Case(known, released, known.names, np.random.default_rng(seed).permutation(known.n), seed)


def cost(one: Coordinate, i, k):
    """What one attribute adds, by its definition."""
    x, y = one.known[i], one.released[k]
    if np.isnan(x) or np.isnan(y):
        return one.absent if np.isnan(x) != np.isnan(y) else 0.0
    if one.kind == SQUARED:
        return (x - y) ** 2 * one.unequal
    if one.kind == BEYOND:
        return one.unequal if abs(x - y) > 1 else 0.0
    if one.reading is not None and y >= one.reading.size:
        members = one.reading.sets[int(y) - one.reading.size]
        inside = one.unequal * (1 - 1 / len(members)) if one.covered is None else one.covered
        return inside if x in members else one.unequal
    return one.unequal if x != y else 0.0


def naive_found(case, coordinates, people):
    found = []
    for i in people:
        costs = np.array([sum(cost(one, i, k) for one in coordinates) for k in range(len(case.first))])
        least = costs <= costs[case.own[i]] * (1 + 1e-12)
        cheaper = costs < costs[case.own[i]] * (1 - 1e-12)
        found.append(0.0 if cheaper.any() else 1 / case.counts[least].sum())
    return found


def mixed_coordinates(case, rng):
    made = []
    for column in case.columns:
        weight, absent = rng.integers(1, 5, 2).astype(float)
        if column.reading is not None:
            covered = rng.choice([None, 0.0, 0.5])
            made.append(
                Coordinate(column.known, column.released, EQUAL, weight, absent, column.reading, covered)
            )
        else:
            width = rng.choice([0.0, 0.5, 2.0])
            made.append(within(column.known, column.released, float(width), weight, absent))
    return made


@quick
@given(pair=pairs(), seed=st.integers(0, 2**32))
def test_any_sum_of_costs_is_searched_as_if_pair_by_pair(pair, seed):
    case = case_of(pair)
    coordinates = mixed_coordinates(case, np.random.default_rng(seed))
    search = Search.by(case, coordinates)
    assert search.found(case.people).tolist() == pytest.approx(naive_found(case, coordinates, case.people))


@quick
@given(pair=pairs())
def test_nearest_is_distance_linkage_in_both_directions(pair):
    known, released = pair
    case = case_of(pair)
    for attacker, direction in ((nearest, "known"), (nearest_released, "released")):
        expected = DistanceLinkage(direction=direction).bind(known).outcomes(released)
        assert attacker(case).tolist() == pytest.approx(expected[case.people].tolist())


@quick
@given(seed=st.integers(0, 2**32), few=st.integers(1, 9))
def test_the_cheapest_few_are_the_cheapest(seed, few):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(few, 3000 if seed % 5 == 0 else 40))
    Q, X = (np.column_stack([rng.normal(size=m).round(1), rng.integers(0, 3, m)]) for m in (4, n))
    for points in (Q, X):
        points[rng.random(points.shape) < 0.2] = np.nan
    table = rng.integers(0, 4, 9).astype(float)
    costs = Costs(np.array([1.5, 0.0]), np.array([2.0, 1.0]), np.array([-1, 0]), np.array([0, 3]), table)
    found = cheapest_few(Q, np.ascontiguousarray(X.T), costs, few)

    def naive(q, x):
        number = (
            2.0 * (np.isnan(q[0]) != np.isnan(x[0])) if np.isnan(q[0] - x[0]) else 1.5 * (q[0] - x[0]) ** 2
        )
        if np.isnan(q[1] - x[1]):
            return number + (np.isnan(q[1]) != np.isnan(x[1]))
        return number + table[int(q[1]) * 3 + int(x[1])]

    for q, rows in zip(Q, found, strict=True):
        all_costs = np.array([naive(q, x) for x in X])
        assert len(set(rows.tolist())) == few
        assert sorted(all_costs[rows]) == pytest.approx(sorted(all_costs)[:few])


@quick
@given(pair=pairs())
def test_what_is_compatible_costs_nothing(pair):
    case = case_of(pair)
    if not case.columns:
        return
    costs = _view(case, ranks=True, compatible=True).costs
    for column, first, width in zip(case.columns, costs.first, costs.widths, strict=True):
        if column.reading is not None:
            members = [{code} for code in range(column.reading.size)] + [set(s) for s in column.reading.sets]
            for x, y in np.ndindex(column.reading.size, len(members)):
                assert costs.table[first + x * width + y] == (0 if x in members[y] else CONTRADICTION)
    assert not costs.absent.any()


@quick
@given(pair=pairs())
def test_those_a_window_was_learned_from_lie_within_it(pair):
    case = case_of(pair)
    for column in case.columns:
        window = rank_window._coordinate(case, column, case.people)
        assert [cost(window, i, case.own[i]) for i in case.people] == [0] * len(case.people)


@quick
@given(pair=pairs())
def test_a_set_has_the_ranks_from_its_first_to_its_last_category(pair):
    for column in case_of(pair).columns:
        if column.reading is None or not column.ordered or not column.reading.sets:
            continue
        known = column.known[~np.isnan(column.known)]
        singles = [(code,) for code in range(column.reading.size)]
        members = [*singles, *column.reading.sets]
        for reading, ranks in zip(column.released, column.released_ranks, strict=True):
            if not np.isnan(reading) and len(known):
                of = members[int(reading)]
                wanted = [np.mean(known < of[0]), np.mean(known <= of[-1])]
                assert ranks.tolist() == pytest.approx(wanted, abs=1e-6)


@quick
@given(pair=pairs())
def test_features_of_a_pair(pair):
    case = case_of(pair)
    if not case.columns:
        return
    places, kinds = (grid.ravel() for grid in np.meshgrid(np.arange(case.n), np.arange(len(case.first))))
    found = pair_features(case, places, kinds)
    d, ordered = len(case.columns), [column for column in case.columns if column.ordered]
    for row, place, k in zip(found, places, kinds, strict=True):
        i = case.people[place]
        apart = [naive_difference(column, column.known[i], column.released[k]) for column in case.columns]
        gaps = [naive_gap(column.known_ranks[i], column.released_ranks[k]) for column in ordered]
        assert row[:d].tolist() == pytest.approx(apart, nan_ok=True)
        assert row[d : d + len(gaps)].tolist() == pytest.approx(gaps, nan_ok=True)
        assert row[-1] == np.isnan(apart).sum()
        assert row[-2] == sum(
            contradicts(column, column.known[i], column.released[k]) for column in case.columns
        )
        largest = sorted([0.0, 0.0, 0.0, *np.nan_to_num(gaps)], reverse=True)[:3]
        assert row[-5:-2].tolist() == pytest.approx(largest)
        if gaps:
            means = np.nan_to_num(gaps)
            assert row[-7:-5].tolist() == pytest.approx([np.mean(means**2), means.mean()])


def naive_difference(column, x, y):
    if np.isnan(x) and np.isnan(y):
        return 0.0
    if np.isnan(x) or np.isnan(y):
        return np.nan
    if column.reading is None:
        return abs(x - y) / column.spread
    return float(column.reading.distances(np.array([int(y)]), np.array([int(x)]))[0])


def naive_gap(a, b):
    if np.isnan(a[0]) and np.isnan(b[0]):
        return 0.0
    return np.nan if np.isnan(a[0] - b[0]) else max(a[0] - b[1], b[0] - a[1], 0.0)


def contradicts(column, x, y):
    if np.isnan(x) or np.isnan(y):
        return False
    if column.reading is not None and y >= column.reading.size:
        return x not in column.reading.sets[int(y) - column.reading.size]
    return x != y


def test_ranks_are_those_of_each_file():
    known = keys({"x": "numeric"}, {"x": [1.0, 2.0, 2.0, 9.0]})
    case = Case(known, known.replace({"x": [40.0, 10.0, 20.0, 20.0]}), ("x",), np.arange(4), 1)
    (column,) = case.columns
    assert column.known_ranks.tolist() == [[0, 0.25], [0.25, 0.75], [0.25, 0.75], [0.75, 1]]
    assert column.released_ranks[case.own].tolist() == [[0.75, 1], [0, 0.25], [0.25, 0.75], [0.25, 0.75]]


def test_a_number_is_measured_by_how_it_spreads_and_a_category_counts_as_one():
    domains = {"x": "numeric", "grade": ("ordinal", "abc"), "u": ("nominal", "kl")}
    known = keys(domains, {"x": [0.0, 10.0, 20.0, 50.0], "grade": [0, 0, 2, 1], "u": [0, 1, 1, 1]})

    def spreads(released):
        case = Case(known, released, known.names, np.arange(4), 1)
        return {name: column.spread for name, column in zip(case.names, case.columns, strict=True)}

    as_they_are = spreads(known)
    assert 0 < as_they_are["x"] < 1 and as_they_are["grade"] == as_they_are["u"] == 1
    merged = known.schema["grade"].evolve(categories=("a", "b or c"), covers={"b or c": ("b", "c")})
    sets = spreads(known.replace({"grade": np.array([0, 0, 1, 1])}, [merged]))
    assert sets == as_they_are


def test_shape_and_scale_do_not_matter_to_ranks():
    rng = np.random.default_rng(0)
    known = keys({"x": "numeric", "y": "numeric"}, {"x": rng.normal(size=90), "y": rng.normal(size=90)})
    released = known.replace({"x": np.exp(3 * known["x"]), "y": 100 + known["y"] ** 3})
    assert by_ranks(case_of((known, released))).found(np.arange(90)).all()


def test_blanks_and_merged_categories_match_what_they_hide():
    domains = {"u": ("nominal", "abc"), "v": ("nominal", "kl")}
    known = keys(domains, {"u": [0, 1, 2, 0], "v": [0, 0, 1, 1]})
    merged = known.schema["u"].evolve(categories=("a", "b or c"), covers={"b or c": ("b", "c")})
    released = known.replace({"u": np.array([0, 1, 1, 0]), "v": np.array([0, 0, -1, 1])}, [merged])
    case = Case(known, released, known.names, np.arange(4), 1)
    # the third person (c, l) fits the third record only: the second is k
    assert compatible_records.compatible(case).tolist() == [1, 1, 1, 1]


def test_of_compatible_records_the_fullest_is_taken():
    known = keys({"u": ("nominal", "ab"), "v": ("nominal", "kl")}, {"u": [0, 0, 1], "v": [0, 1, 1]})
    released = known.replace({"v": np.array([0, -1, 1])})
    case = Case(known, released, known.names, np.arange(3), 1)
    assert compatible_records.compatible(case).tolist() == [1, 1, 1]
    released = known.replace({"v": np.array([-1, -1, 1])})
    assert compatible_records.compatible(Case(known, released, known.names, np.arange(3), 1)).tolist() == [
        0.5,
        0.5,
        1,
    ]


def test_windows_are_as_wide_as_the_farthest_swap_that_is_known():
    x = np.arange(10.0)
    known = keys({"x": "numeric"}, {"x": x})
    released = known.replace({"x": x[[1, 0, 3, 2, 5, 4, 7, 6, 9, 8]]})
    case = Case(known, released, ("x",), np.arange(10), 1)
    search = rank_window.windows(case, np.arange(4))
    assert search.found(np.array([0, 5])).tolist() == pytest.approx([1 / 2, 1 / 3])  # at most one rank away


def test_the_long_list_has_all_records_of_a_small_file_and_near_ones_of_a_large_one():
    rng = np.random.default_rng(0)
    known = keys({"x": "numeric", "y": "numeric"}, {"x": rng.normal(size=900), "y": rng.normal(size=900)})
    small = case_of((known.take(np.arange(40)), known.take(np.arange(40))))
    assert len(long_list(small).place) == 1600
    large = case_of((known, known.replace({"x": known["x"] + 0.01 * rng.normal(size=900)})))
    place, kind = long_list(large)
    assert np.all(np.diff(place) >= 0)
    own = large.own[large.people]
    assert set(zip(range(900), own.tolist(), strict=True)) <= set(
        zip(place.tolist(), kind.tolist(), strict=True)
    )


def test_keys_of_records_tell_what_is_equal():
    one = record_keys([np.array([0.0, -0.0, np.nan, 1.0]), np.array([1, 1, 1, 1])], 4)
    assert one[0] == one[1]
    assert len(set(one.tolist())) == 3


def test_a_set_of_an_ordinal_attribute_has_the_ranks_of_its_members():
    sizes = keys({"s": ("ordinal", "abcd")}, {"s": [0, 1, 1, 3]})
    merged = sizes.schema["s"].evolve(categories=("a", "bc", "d"), covers={"bc": ("b", "c")})
    released = sizes.replace({"s": np.array([0, 1, 1, 2])}, [merged])
    case = Case(sizes, released, ("s",), np.arange(4), 1)
    (column,) = case.columns
    assert column.reading is not None
    assert (
        column.reading.sets[0].tolist() == coverage_of(sizes.schema["s"], merged).sets[0].tolist() == [1, 2]
    )
    assert column.released_ranks[case.own].tolist() == [[0, 0.25], [0.25, 0.75], [0.25, 0.75], [0.75, 1]]
