"""Whatever the operators do, the rules of the matrix U hold, and the scratch array is left as it was."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swapping import METRIC, small_problem, small_table

from sfumato.groups.influential_metric import distances
from sfumato.groups.swaps import SwapList
from sfumato.kernels.random_draws import state_from
from sfumato.kernels.swap_improvement import improve, nearest_swaps, redirect
from sfumato.kernels.swap_lists import (
    GIVER,
    RECORD,
    TAKER,
    exchange_pairs,
    joined,
    random_swaps,
    reset_records,
    resized,
)

PROBLEM = small_problem()
POINTS = METRIC.points(small_table())
TAKEN = np.zeros(PROBLEM.files.n, bool)
seeds = st.integers(0, 2**62)
lengths = st.integers(1, PROBLEM.target.most)
rates = st.sampled_from([0.0, 0.2, 1.0])


def state_of(seed):
    return state_from(seed)


def drawn(count, seed):
    return random_swaps(count, PROBLEM.ground, TAKEN, state_of(seed))


def check(U, *, length=None):
    SwapList.of(U).check(PROBLEM.files)
    assert set(U[:, GIVER]) <= set(PROBLEM.target.givers)
    assert set(U[:, TAKER]) <= set(PROBLEM.target.takers)
    assert not TAKEN.any()
    assert length is None or len(U) == length


@given(lengths, seeds)
def test_random_lists(count, seed):
    U = drawn(count, seed)
    check(U)
    assert len(U) <= min(count, PROBLEM.files.quantity[0])


def test_a_place_gives_all_it_has_and_no_more():
    assert len(drawn(10 * PROBLEM.files.quantity[0], 1)) == PROBLEM.files.quantity[0]


@given(lengths, seeds, st.integers(1, 9))
def test_every_mover_goes_to_a_place_of_the_deck_with_a_near_partner(count, seed, tries):
    rng = np.random.default_rng(seed)
    movers = rng.permutation(PROBLEM.files.members.at(0))[:count]
    deck = rng.choice(PROBLEM.target.takers, len(movers))
    U = nearest_swaps(
        movers, np.zeros_like(movers), deck.copy(), tries, PROBLEM.nearby, TAKEN, state_of(seed)
    )
    check(U, length=len(movers))
    assert U[:, RECORD].tolist() == movers.tolist()
    assert sorted(U[:, TAKER]) == sorted(deck)


def test_with_one_try_each_partner_is_the_nearest_that_is_free():
    movers = PROBLEM.files.members.at(0)[:6]
    deck = np.resize(PROBLEM.target.takers[:2], 6)
    drawn_deck = deck.copy()
    U = nearest_swaps(movers, np.zeros_like(movers), drawn_deck, 1, PROBLEM.nearby, TAKEN, state_of(3))
    taken: set[int] = set()
    for giver, record, taker, partner in U.tolist():
        free = [row for row in PROBLEM.files.others.at(taker).tolist() if row not in taken]
        rows = np.array([[giver, record, taker, row] for row in free])
        apart = distances(rows, POINTS, METRIC)
        assert apart[free.index(partner)] == apart.min()
        taken.add(partner)


@given(lengths, lengths, seeds, st.data())
def test_tails_are_exchanged(m, n, seed, data):
    a, b = drawn(m, seed), drawn(n, seed + 1)
    i, j = data.draw(st.integers(0, len(a))), data.draw(st.integers(0, len(b)))
    for child, head, tail in (
        (joined(a, i, b, j, TAKEN), a[:i], b[j:]),
        (joined(b, j, a, i, TAKEN), b[:j], a[i:]),
    ):
        check(child)
        assert (child[: len(head)] == head).all()
        rest = child[len(head) :].tolist()
        free = [r for r in tail.tolist() if not {r[1], r[3]} & {*head[:, 1], *head[:, 3]}]
        assert rest == free


@given(lengths, seeds, rates, st.sampled_from([GIVER, TAKER]))
def test_pairs_change_rows_and_stay_pairs(count, seed, rate, first):
    U = drawn(count, seed)
    before, fresh = U.copy(), np.zeros(len(U), bool)
    exchange_pairs(U, first, rate, fresh, state_of(seed))
    check(U, length=len(before))
    other = TAKER - first
    assert (U[:, other : other + 2] == before[:, other : other + 2]).all()
    assert sorted(map(tuple, U[:, first : first + 2])) == sorted(map(tuple, before[:, first : first + 2]))
    assert (before == U)[~fresh].all()


@given(lengths, seeds, rates, st.sampled_from([GIVER, TAKER]))
def test_records_are_drawn_anew_in_the_same_place(count, seed, rate, first):
    U = drawn(count, seed)
    before, fresh = U.copy(), np.zeros(len(U), bool)
    reset_records(U, first, rate, PROBLEM.ground, fresh, TAKEN, state_of(seed))
    check(U, length=len(before))
    unchanged = [column for column in range(4) if column != first + 1]
    assert (U[:, unchanged] == before[:, unchanged]).all()
    assert (before == U)[~fresh].all()
    if rate == 0:
        assert not fresh.any()


@given(lengths, seeds)
def test_a_list_gains_or_loses_one_row(count, seed):
    U = drawn(count, seed)
    child = resized(U.copy(), PROBLEM.target.most, PROBLEM.ground, TAKEN, state_of(seed))
    check(child)
    assert abs(len(child) - len(U)) <= 1
    assert 1 <= len(child) <= max(PROBLEM.target.most, len(U))
    assert len({*map(tuple, U)} - {*map(tuple, child)}) <= 1


@settings(max_examples=25)
@given(lengths, seeds, rates, rates)
def test_the_local_search_only_brings_records_closer(count, seed, share, old):
    U = drawn(count, seed)
    before = U.copy()
    fresh = np.random.default_rng(seed).random(len(U)) < old
    improve(U, share, PROBLEM.nearby, fresh, TAKEN, state_of(seed))
    check(U, length=len(before))
    assert (U[:, [GIVER, TAKER]] == before[:, [GIVER, TAKER]]).all()
    apart, was = (distances(rows, POINTS, METRIC) for rows in (U, before))
    assert (apart <= was + 1e-12).all()
    if share == 0:
        assert (before == U)[~fresh].all()


@settings(max_examples=25)
@given(lengths, seeds, rates, st.integers(1, 6))
def test_records_are_sent_elsewhere(count, seed, rate, tries):
    U = drawn(count, seed)
    before = U.copy()
    redirect(U, rate, tries, PROBLEM.ground, PROBLEM.nearby, TAKEN, state_of(seed))
    check(U, length=len(before))
    assert (U[:, [GIVER, RECORD]] == before[:, [GIVER, RECORD]]).all()


def test_what_was_found_before_changes_nothing():
    fresh = np.ones(12, bool)
    lists = []
    for _ in range(2):  # with nothing remembered, then with much
        problem = small_problem() if not lists else PROBLEM
        U = drawn(12, 5)
        for round in range(4):
            improve(U, 1.0, problem.nearby, fresh[: len(U)], TAKEN, state_of(round))
        lists.append(U.tolist())
    assert lists[0] == lists[1]


@pytest.mark.parametrize("seed", range(20))
def test_a_record_becomes_the_nearest_free_one(seed):
    """The slow twin, for a list whose first row alone is treated."""
    U = drawn(8, seed)
    fresh = np.arange(len(U)) == 0
    giver, record, taker, partner = U[0].tolist()
    got = U.copy()
    improve(got, 0.0, PROBLEM.nearby, fresh, TAKEN, state_of(seed))
    elsewhere = {*U[1:, 1], *U[1:, 3]}
    forth = [[0, record, 0, r] for r in PROBLEM.files.others.at(taker) if r not in elsewhere]
    back = [[0, r, 0, partner] for r in PROBLEM.files.members.at(giver) if r not in elsewhere]
    nearest = [distances(np.array(pairs), POINTS, METRIC).min() for pairs in (forth, back)]
    assert (got[1:] == U[1:]).all()
    (apart,) = distances(got[:1], POINTS, METRIC)
    changed = got[0, 1] != record
    assert (
        apart == pytest.approx(nearest[1])
        if changed
        else apart == pytest.approx(nearest[0]) or apart <= nearest[1]
    )
