"""What swaps cost and keep up to date, against records that are counted again from the start."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.swapped_records import case
from sfumato.kernels.calibrating_swaps import (
    RELIEF,
    all_banned_pairs,
    banned_pairs,
    guard_change,
    part_banned,
    product_cost,
    swap,
    swap_cost,
    table_cost,
)
from sfumato.kernels.offered_swaps import calibrate, near_in_rank, partner, with_wanted_value
from sfumato.kernels.random_draws import state_from

KINDS = st.text("nmc", min_size=1, max_size=5)
small = given(
    seed=st.integers(0, 10**6), n=st.integers(2, 14), kinds=KINDS, contexts=st.sampled_from([1, 1, 3])
)
few = settings(max_examples=25)


def random_swap(rng, made):
    n, d = made.records.bins.shape
    return int(rng.integers(d)), int(rng.integers(n)), int(rng.integers(n))


@small
@few
def test_a_swap_costs_what_counting_again_says_and_keeps_gaps(seed, n, kinds, contexts):
    made, rng = case(seed, n=n, kinds=kinds, contexts=contexts), np.random.default_rng(seed)
    for _ in range(12):
        j, a, b = random_swap(rng, made)
        before = made.cost()
        told = swap_cost(made.records, made.tables, made.products, j, a, b)
        assert told == pytest.approx(
            table_cost(made.records, made.tables, j, a, b)
            + product_cost(made.records, made.products, j, a, b)
        )
        swap(made.records, made.tables, made.products, j, a, b)
        assert told == pytest.approx(made.cost() - before, abs=1e-8)
        np.testing.assert_allclose(made.tables.gap, made.gaps(), atol=1e-9)
        kept = made.products.weight > 0
        np.testing.assert_allclose(made.products.gap[kept], made.product_gaps()[kept], atol=1e-9)


@small
@few
def test_pairs_that_must_not_meet_change_as_a_recount_says(seed, n, kinds, contexts):
    made, rng = case(seed, n=n, kinds=kinds, contexts=contexts), np.random.default_rng(seed)
    for _ in range(12):
        j, a, b = random_swap(rng, made)
        before = made.banned()
        assert all_banned_pairs(made.records, made.guard) == before
        told = guard_change(made.records, made.guard, j, a, b)
        swap(made.records, made.tables, made.products, j, a, b)
        assert told == made.banned() - before
        pairs = [banned_pairs(made.records, made.guard, a, column) for column in made.movable]
        fine = made.records.fine[a]
        assert sum(pairs) == 2 * sum(bool(never[fine[k], fine[m]]) for (k, m), never in made.never.items())


def test_a_swap_exchanges_all_there_is_of_two_values_and_nothing_else():
    made = case(3, kinds="nmc", contexts=2)
    before = [array.copy() for array in made.records]
    swap(made.records, made.tables, made.products, 1, 2, 5)
    rows = np.arange(12)
    rows[[2, 5]] = [5, 2]
    for name, old, new in zip(made.records._fields, before, made.records, strict=True):
        columns = {"numbers": [3, 4, 5], "context": [], "order": [], "rank": [], "first": []}.get(name, [1])
        expected = old.copy()
        if columns:
            expected[:, columns] = old[rows][:, columns]
        np.testing.assert_array_equal(new, expected, name)


@small
@few
def test_calibration_only_ever_gains(seed, n, kinds, contexts):
    made = case(seed, n=n, kinds=kinds, contexts=contexts)
    if seed % 2:
        made.tables.weight[:] *= 1000  # so that no gain would be too small for a pair that must not meet
    donors = np.sort(made.records.donor, axis=0)
    cost, banned = made.cost(), made.banned()
    for step in range(3):
        kept = calibrate(*made.parts, made.movable, 60, state_from(step))
        now, still = made.cost(), made.banned()
        assert still <= banned
        assert now + RELIEF * still <= cost + RELIEF * banned + 1e-9 * (1 + cost)
        if still == banned:
            assert now <= cost * (1 + 1e-9)
        assert (kept > 0) == (now + RELIEF * still < cost + RELIEF * banned)
        cost, banned = now, still
    np.testing.assert_array_equal(np.sort(made.records.donor, axis=0), donors)


def test_calibration_moves_only_what_may_move_and_comes_to_an_end():
    made = case(5, n=20, kinds="nnc", ban=0.0)
    before = made.records.donor.copy()
    start = made.cost()
    calibrate(*made.parts, np.array([1]), 4000, state_from(1))
    np.testing.assert_array_equal(made.records.donor[:, [0, 2]], before[:, [0, 2]])
    assert made.cost() < start
    swaps = [(a, b) for a in range(20) for b in range(a)]
    assert all(swap_cost(*made.parts[:3], 1, a, b) >= -1e-9 for a, b in swaps)  # and no swap could help


@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_who_holds_a_value_and_who_is_near_it_is_known_after_any_swaps(n):
    """Of numbers those a few ranks away are proposed; beyond the ends there is nobody."""
    one = case(5, n=n)
    state = state_from(1)
    calibrate(*one.parts, one.movable, 500, state)
    records = one.records
    assert (np.take_along_axis(records.holder, records.donor, 0) == np.arange(n)[:, None]).all()
    steps = set()
    for chance in range(0, 4096, 2):
        b = near_in_rank(records, 0, n // 2, chance % n, np.uint64(chance >> 1))
        ranks = records.rank[records.donor[[n // 2, b], 0], 0]
        steps.add(int(ranks[1]) - int(ranks[0]))
    assert max(map(abs, steps)) < n
    assert n < 3 or {-1, 1} & steps
    assert n < 40 or len(steps) > 15
    assert partner(records, one.tables, 0, 0, n - 1, np.uint64(0), True) == n - 1  # anybody


@small
@few
def test_who_has_a_wanted_value_is_found_as_by_looking_at_all_cells(seed, n, kinds, contexts):
    made, rng = case(seed, n=n, kinds=kinds, contexts=contexts), np.random.default_rng(seed)
    calibrate(*made.parts, made.movable, 20, state_from(seed))
    bins, gaps = made.records.bins, made.gaps() * made.tables.weight
    for _ in range(12):
        j, a, b = random_swap(rng, made)
        beside = [k for k in range(len(kinds)) if k != j]
        labels = {k: _labels_along(made, j, k)[:, bins[a, k]] for k in beside}
        most = max((gaps[labels[k][bins[a, j]]] for k in beside), default=0.0)
        found = with_wanted_value(made.records, made.tables, j, a, b)
        if most <= 0:
            assert found == b
            continue
        fullest = next(k for k in beside if gaps[labels[k][bins[a, j]]] == pytest.approx(most))
        there = np.unique(bins[:, j])
        least = min(gaps[labels[fullest][there]])
        if least >= 0:
            assert found == b
        else:
            assert gaps[labels[fullest][bins[found, j]]] == pytest.approx(least)


def _labels_along(made, j, k):
    """The cell of each bin of j and of k."""
    whole = made.labels["whole", min(j, k), max(j, k)][0]
    return whole if j < k else whole.T


def test_one_state_fixes_the_result():
    first, second, third = (case(7, n=14) for _ in range(3))
    kept = [
        calibrate(*made.parts, made.movable, 500, state_from(seed))
        for made, seed in ((first, 2), (second, 2), (third, 3))
    ]
    assert kept[0] == kept[1] > 0
    np.testing.assert_array_equal(first.records.donor, second.records.donor)
    assert (first.records.donor != third.records.donor).any()


@small
@few
def test_parting_tells_how_many_pairs_are_left(seed, n, kinds, contexts):
    made = case(seed, n=n, kinds=kinds, contexts=contexts)
    before = made.banned()
    left = part_banned(*made.parts, made.movable, 20, state_from(seed))
    assert left == made.banned() <= before
    np.testing.assert_allclose(made.tables.gap, made.gaps(), atol=1e-9)


def test_pairs_that_can_be_parted_are():
    made = case(1, n=40, kinds="cc", ban=0.0)
    fine = np.repeat([[0, 0], [1, 1]], 20, axis=0).astype(np.int16)
    guard = made.guard._replace(
        banned=np.eye(2, dtype=np.int8).ravel(),
        start=np.where(np.eye(2), -1, 0),
        step=np.array([[0, 2], [1, 0]]),
    )
    records = made.records._replace(fine=fine)
    assert all_banned_pairs(records, guard) == 40
    assert part_banned(records, made.tables, made.products, guard, np.array([0]), 50, state_from(1)) == 0
