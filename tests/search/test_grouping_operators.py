"""Groupings and the operators on them: always a partition, and as the source describes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.search.grouping import grouping_operators as operators
from sfumato.search.grouping.groupings import (
    all_groupings,
    canonical,
    count,
    grouping_of,
    members,
    number_of_groupings,
)

groupings = st.lists(st.integers(0, 7), min_size=1, max_size=10).map(canonical)
seeds = st.integers(0, 100_000)
MUTATIONS = tuple(operators.MUTATIONS)


def sets(grouping):
    return {frozenset(group) for group in members(grouping)}


def is_grouping(found, size):
    return len(found) == size and found == canonical(found) and all(isinstance(g, int) for g in found)


@given(labels=st.lists(st.sampled_from("ABCDE"), min_size=1, max_size=9), seed=seeds)
def test_clones_are_the_same_grouping(labels, seed):
    """Figure 3.2: other names, same groups."""
    names = np.random.default_rng(seed).permutation(list("ABCDE"))
    renamed = [names["ABCDE".index(label)] for label in labels]
    assert canonical(labels) == canonical(renamed)
    assert grouping_of(members(canonical(labels)), len(labels)) == canonical(labels)


def test_the_chromosome_of_figure_3_1():
    """Attributes 1, 2 and 5 are grouped together, 3 and 4 are another group."""
    assert sets(canonical("AABBA")) == {frozenset({0, 1, 4}), frozenset({2, 3})}


@pytest.mark.parametrize("groups", [[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (2, 3)]])
def test_groups_must_hold_every_attribute_once(groups):
    with pytest.raises(ValueError, match="exactly one group"):
        grouping_of(groups, 3)


@pytest.mark.parametrize("size", range(9))
def test_all_groupings_are_all_of_them_once(size):
    found = list(all_groupings(size))
    assert len(found) == len(set(found)) == number_of_groupings(size)
    assert all(is_grouping(grouping, size) for grouping in found)


@pytest.mark.parametrize("name", MUTATIONS)
@given(parent=groupings, seed=seeds)
def test_a_mutation_gives_a_grouping(name, parent, seed):
    child = operators.MUTATIONS[name](parent, np.random.default_rng(seed))
    assert is_grouping(child, len(parent))
    assert child == operators.MUTATIONS[name](parent, np.random.default_rng(seed))


@given(
    pair=st.integers(1, 9).flatmap(lambda n: st.tuples(*[st.tuples(*[st.integers(0, 5)] * n)] * 2)),
    seed=seeds,
)
def test_children_of_a_crossover_hold_groups_of_one_parent_and_the_rest_of_the_other(pair, seed):
    one, other = map(canonical, pair)
    children = operators.crossover(one, other, np.random.default_rng(seed))
    for child, giver, host in zip(children, (one, other), (other, one), strict=True):
        assert is_grouping(child, len(one))
        injected = sets(child) & sets(giver)
        assert injected
        rest = set(range(len(one))) - set().union(*injected)
        assert all(group in injected or any(group <= home for home in sets(host)) for group in sets(child)), (
            "what is not injected stays together as it was"
        )
        left = {frozenset(group & rest) for group in sets(host)} - {frozenset()}
        assert all(any(group <= found for found in sets(child)) for group in left)


def test_the_crossover_that_section_2_2_1_asks_for():
    """Parents AABABC and DEFEFE: with groups A and C of the first, the group F of the second survives."""
    child = operators.injected(canonical("DEFEFE"), [(0, 1, 3), (5,)])
    assert sets(child) == {frozenset({0, 1, 3}), frozenset({5}), frozenset({2, 4})}


@given(parent=groupings, seed=seeds)
def test_group_create_adds_one_group_and_leaves_the_rest(parent, seed):
    child = operators.group_create(parent, np.random.default_rng(seed))
    new = sets(child) - sets(parent)
    broken = [group for group in sets(child) if not any(group <= old for old in sets(parent))]
    assert len(broken) <= 1
    assert count(child) <= count(parent) + 1
    assert new or child == parent


def test_group_create_can_make_any_grouping_one_group():
    rng = np.random.default_rng(0)
    made = {operators.group_create(tuple(range(12)), rng) for _ in range(300)}
    assert (0,) * 12 in made


@given(parent=groupings, seed=seeds)
def test_group_eliminate_has_a_group_less(parent, seed):
    child = operators.group_eliminate(parent, np.random.default_rng(seed))
    if count(parent) == 1:
        assert child == parent
    else:
        assert count(child) == count(parent) - 1
        assert sum(not any(old <= new for new in sets(child)) for old in sets(parent)) <= 1


@given(parent=groupings, seed=seeds)
def test_group_split_halves_a_group(parent, seed):
    child = operators.group_split(parent, np.random.default_rng(seed))
    new = sets(child) - sets(parent)
    if child != parent:
        assert count(child) == count(parent) + 1
        small, large = sorted(map(len, new))
        assert large - small <= 1
        assert frozenset().union(*new) in sets(parent)
    else:
        assert any(len(group) == 1 for group in sets(parent))


@given(parent=groupings, seed=seeds)
def test_element_swap_keeps_the_sizes(parent, seed):
    child = operators.element_swap(parent, np.random.default_rng(seed))
    assert sorted(map(len, sets(child))) == sorted(map(len, sets(parent)))


@given(parent=groupings, seed=seeds)
def test_element_move_moves_one(parent, seed):
    child = operators.element_move(parent, np.random.default_rng(seed))
    if count(parent) == 1:
        assert child == parent
        return
    assert count(parent) - 1 <= count(child) <= count(parent)
    homes = {}
    for attribute, group in enumerate(child):
        homes.setdefault(group, []).append(parent[attribute])
    strangers = [min(found.count(g) for g in set(found)) for found in homes.values() if len(set(found)) > 1]
    assert strangers
    assert strangers[0] == 1
    assert len(strangers) == 1


def test_the_start_has_many_groups():
    """As the source says of its first population."""
    rng = np.random.default_rng(0)
    counts = [count(operators.random_grouping(38, rng)) for _ in range(200)]
    assert 22 < np.mean(counts) < 26
