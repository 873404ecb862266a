"""Kernels of local suppression against slow twins: who is compatible, and exchanges that keep what was safe."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.blank_exchange import ANY, BEST, CATEGORY, Block, Demand, alike, exchanged_blanks
from sfumato.kernels.compatible_records import compatible_sums
from sfumato.kernels.group_exchange import _cut, differences, empty_cells, exchanged_groups

tables = st.builds(
    lambda seed, n, d, values: np.random.default_rng(seed).integers(-1, values, (n, d)).astype(np.int32),
    st.integers(0, 10**6),
    st.integers(1, 60),
    st.integers(1, 5),
    st.integers(1, 5),
)


def compatible(a, b):
    return all(x == y or -1 in (x, y) for x, y in zip(a, b, strict=True))


@given(rows=tables, enough=st.sampled_from([1.0, 3.0, np.inf]))
def test_compatible_records_are_counted(rows, enough):
    rows = rows[np.lexsort(rows.T[::-1])]
    weights = np.arange(1.0, len(rows) + 1)
    upto = np.concatenate(
        [np.zeros((1, 2)), np.cumsum(np.column_stack([np.ones(len(rows)), weights]), axis=0)]
    )
    found = compatible_sums(rows, upto, rows, enough)
    for row, (count, weight) in zip(rows.tolist(), found.tolist(), strict=True):
        fits = [compatible(row, other) for other in rows.tolist()]
        if sum(fits) < enough:
            assert (count, weight) == (sum(fits), weights[fits].sum())
        else:
            assert enough <= count <= sum(fits)


def lost(rows, groups):
    """Cells with a value in columns in which a group differs."""
    total = 0
    for group in set(groups.tolist()):
        members = rows[groups == group]
        columns = (members != members[0]).any(axis=0)
        total += (members[:, columns] >= 0).sum()
    return total


@given(rows=tables, k=st.integers(1, 4), seed=st.integers(0, 99))
def test_groups_stay_large_enough_and_lose_no_more(rows, k, seed):
    n = len(rows) // k * k
    if n == 0:
        return
    rows, groups = rows[:n], np.random.default_rng(seed).permutation(n) // k
    ends = np.array(sorted({0, n}), np.int64)
    least = np.r_[np.full(k, np.inf), 0.0]
    found = exchanged_groups(rows, np.ones(rows.shape[1]), groups, ends, np.ones(n), least, 500)
    assert min(Counter(found.tolist()).values()) >= k
    assert lost(rows, found) <= lost(rows, groups)
    same = exchanged_groups(rows, np.ones(rows.shape[1]), groups, ends, np.ones(n), least, 500)
    assert np.array_equal(found, same)


@given(rows=tables, k=st.integers(1, 4), seed=st.integers(0, 99))
def test_a_record_is_cut_off_with_those_of_its_group_most_like_it(rows, k, seed):
    n, d = rows.shape
    group, prices = np.random.default_rng(seed).integers(0, 2, n), np.zeros((0,))
    unlike, i = differences(rows, True), seed % n
    before, g = group.copy(), int(group[i])
    mine = np.flatnonzero(before == g)
    least = np.r_[np.full(k, np.inf), 0.0]
    new = _cut(group, i, g, unlike, prices, np.ones(d), least)
    if new == g:  # all numbers are given away
        return
    taken = np.flatnonzero(group == new)
    assert new not in before and set(taken) <= set(mine)
    assert len(taken) == min(k, len(mine))
    apart = [int(unlike[i, x]).bit_count() for x in mine]
    assert sorted(int(unlike[i, x]).bit_count() for x in taken) == sorted(apart)[: len(taken)]
    np.testing.assert_array_equal(np.delete(group, taken), np.delete(before, taken))


def test_blocks_do_not_exchange_records_and_columns_of_infinite_cost_stay():
    rows = np.random.default_rng(1).integers(0, 3, (40, 3)).astype(np.int32)
    groups, ends = np.arange(40) // 2, np.array([0, 12, 40])
    rows[:, 0] = (groups % 4).astype(np.int32)
    least, costs = np.array([np.inf, np.inf, 0.0]), np.array([np.inf, 1.0, 1.0])
    found = exchanged_groups(rows, costs, groups, ends, np.ones(40), least, 3000)
    assert not set(found[:12].tolist()) & set(found[12:].tolist())
    for group in set(found.tolist()):
        assert len(set(rows[found == group, 0].tolist())) == 1


def test_people_count_beside_records():
    rows = np.random.default_rng(2).integers(0, 3, (24, 3)).astype(np.int32)
    people = np.tile([1.0, 5.0], 12)
    least, ends = np.array([np.inf, np.inf, 6.0, 6.0]), np.array([0, 24])
    groups = np.arange(24) // 2
    found = exchanged_groups(rows, np.ones(3), groups, ends, people, least, 3000)
    assert lost(rows, found) < lost(rows, groups)
    assert all(people[found == group].sum() >= 6 for group in set(found.tolist()))


@given(rows=tables, seed=st.integers(0, 99))
def test_who_is_taken_for_whom(rows, seed):
    d = rows.shape[1]
    bits = 1 << np.arange(d)
    gone = (np.random.default_rng(seed).random(rows.shape) < 0.3) | (rows < 0)
    shown, blanks = np.where(gone, -1, rows), (gone @ bits).astype(np.int64)
    block = Block(differences(rows, False), empty_cells(rows), np.ones(len(rows)))
    for i, j in np.random.default_rng(seed).integers(0, len(rows), (20, 2)).tolist():
        found = [alike(block, blanks, i, j, (1 << d) - 1, how) for how in (CATEGORY, BEST, ANY)]
        fits = all(b in (-1, a) for a, b in zip(rows[i].tolist(), shown[j].tolist(), strict=True))
        best = fits and (shown[j] < 0).sum() <= (shown[i] < 0).sum()
        assert found == [bool((shown[i] == shown[j]).all()), best, compatible(shown[i], shown[j])]


@given(rows=tables, k=st.integers(1, 3), reading=st.sampled_from([CATEGORY, BEST, ANY]))
def test_cells_that_come_back_leave_all_records_alike_enough(rows, k, reading):
    n, d = rows.shape
    if n < k:
        return
    everything = (1 << d) - 1
    least = np.r_[np.full(k, np.inf), 0.0]
    demand = Demand(np.ones(d), np.array([everything]), least, reading)
    start = np.full(n, everything, np.int64)
    blanks = exchanged_blanks(rows, start, np.ones(n), np.array([0, n]), demand, 800)
    block = Block(differences(rows, False), empty_cells(rows), np.ones(n))
    for i in range(n):
        assert sum(alike(block, blanks, i, j, everything, reading) for j in range(n)) >= k
        assert blanks[i] & block.holes[i] == block.holes[i]
