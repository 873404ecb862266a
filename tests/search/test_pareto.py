from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.search.contracts import Individual
from sfumato.search.pareto import contributions, crowding_distances, front, front_ranks, hypervolume


def beats(a, b):
    return all(x <= y for x, y in zip(a, b, strict=True)) and any(x < y for x, y in zip(a, b, strict=True))


def slow_ranks(costs):
    """Peel fronts off by comparing all pairs."""
    ranks, left, number = {}, set(range(len(costs))), 0
    while left:
        now = {i for i in left if not any(beats(costs[j], costs[i]) for j in left)}
        ranks.update(dict.fromkeys(now, number))
        left -= now
        number += 1
    return [ranks[i] for i in range(len(costs))]


def slow_crowding(costs):
    """Deb's rule, objective by objective."""
    distances = [0.0] * len(costs)
    for m in range(len(costs[0])):
        order = sorted(range(len(costs)), key=lambda i: costs[i][m])
        extent = costs[order[-1]][m] - costs[order[0]][m]
        for before, i, after in zip(order, order[1:], order[2:], strict=False):
            if extent > 0:
                distances[i] += (costs[after][m] - costs[before][m]) / extent
        distances[order[0]] = distances[order[-1]] = float("inf")
    return distances


def slow_volume(costs, reference):
    """Inclusion and exclusion over all subsets of boxes."""
    volume = 0.0
    for size in range(1, len(costs) + 1):
        for subset in combinations(costs, size):
            corner = [max(values) for values in zip(*subset, strict=True)]
            box = np.prod([max(r - c, 0.0) for r, c in zip(reference, corner, strict=True)])
            volume += box if size % 2 else -box
    return volume


def points(dimensions, most=9):
    cost = st.integers(0, 12).map(float)
    return st.lists(st.tuples(*[cost] * dimensions), min_size=1, max_size=most)


SEVERAL = st.sampled_from([1, 2, 3, 4]).flatmap(points)


@given(SEVERAL)
def test_ranks_are_those_of_the_slow_twin(costs):
    assert front_ranks(np.array(costs)).tolist() == slow_ranks(costs)


@given(SEVERAL)
def test_crowding_is_that_of_the_slow_twin(costs):
    assert crowding_distances(np.array(costs)).tolist() == pytest.approx(slow_crowding(costs))


@given(SEVERAL)
def test_the_volume_is_that_of_the_slow_twin(costs):
    reference = (10.0,) * len(costs[0])  # some points lie beyond it
    assert hypervolume(np.array(costs), reference) == pytest.approx(slow_volume(costs, reference), abs=1e-9)


@given(st.sampled_from([2, 3, 4]).flatmap(points))
def test_contributions_are_what_would_be_lost(costs):
    unbeaten = [c for c, rank in zip(costs, slow_ranks(costs), strict=True) if rank == 0]
    reference = (10.0,) * len(costs[0])
    whole = slow_volume(unbeaten, reference)
    lost = [whole - slow_volume(unbeaten[:i] + unbeaten[i + 1 :], reference) for i in range(len(unbeaten))]
    assert contributions(np.array(unbeaten), reference).tolist() == pytest.approx(lost, abs=1e-9)


@pytest.mark.parametrize("dimensions", [2, 3, 4])
def test_another_package_finds_the_same(dimensions):
    moocore = pytest.importorskip("moocore")
    costs = np.random.default_rng(dimensions).uniform(0, 12, (40, dimensions))
    reference = (10.0,) * dimensions
    assert front_ranks(costs).tolist() == moocore.pareto_rank(costs).tolist()
    assert hypervolume(costs, reference) == pytest.approx(moocore.hypervolume(costs, ref=reference))


def test_nothing_dominates_nothing():
    assert front_ranks(np.empty((0, 2))).tolist() == []
    assert crowding_distances(np.empty((0, 2))).tolist() == []
    assert hypervolume(np.empty((0, 2)), (1.0, 1.0)) == 0.0


def test_the_front_is_sorted_and_holds_the_first_of_equals():
    people = [Individual(i, costs, "") for i, costs in enumerate([(3, 1), (2, 2), (1, 3), (2, 2), (3, 2)])]
    assert [individual.genome for individual in front(people)] == [2, 1, 0]
