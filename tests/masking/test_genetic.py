import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato import datasets
from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.genetic import evolve, repair, sse
from sfumato.masking import Genetic, Mdav
from sfumato.masking._microaggregation import squares

small = st.integers(-9, 9).map(float)
records = arrays(float, st.tuples(st.integers(4, 40), st.integers(1, 3)), elements=small)


def table_of(X):
    names = [f"x{j}" for j in range(X.shape[1])]
    schema = Schema(Attribute(name=name, scale="numeric", role="key") for name in names)
    return Table(schema, dict(zip(names, X.T, strict=True)))


@given(records, st.integers(2, 5), st.data())
def test_any_chromosome_can_be_repaired(X, k, data):
    if len(X) < 2 * k:
        return
    labels = np.array(data.draw(st.lists(st.integers(0, len(X) - 1), min_size=len(X), max_size=len(X))))
    repair(X, labels, k)
    sizes = np.bincount(labels)
    assert sizes[sizes > 0].min() >= k
    assert sizes.max() < 2 * k


def test_groups_that_need_no_repair_stay():
    X = np.random.default_rng(0).normal(size=(12, 2))
    labels = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2])
    repaired = labels.copy()
    repair(X, repaired, 3)
    np.testing.assert_array_equal(repaired, labels)


def test_sse_equals_its_twin():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(30, 4)), rng.integers(0, 5, 30)
    assert sse(X, labels) == pytest.approx(squares(X, labels))


def test_evolution_finds_the_best_groups_of_a_small_set():
    X = np.repeat([[0.0], [5.0], [9.0], [14.0]], 3, axis=0)
    shuffled = np.random.default_rng(0).permutation(12)
    found = evolve(X[shuffled], np.arange(12) // 3, 3, 20, 3000, 0.02, np.random.default_rng(0))
    assert sse(X[shuffled], found) == 0


@given(records, st.integers(2, 5), st.integers(2, 5))
@settings(max_examples=40)
def test_groups_hold_k_to_2k_minus_1_records_and_are_no_worse_than_those_of_mdav(X, k, block):
    if len(X) < k:
        return
    method = Genetic(k=k, block=block, offspring=50)
    partition = method.partition(table_of(X), np.random.default_rng(0))
    assert k <= partition.smallest <= partition.largest < 2 * k
    assert partition.sizes.sum() == len(X)
    mdav = Mdav(k=k).partition(table_of(X), np.random.default_rng(0))
    assert partition.sse <= mdav.sse + 1e-9
    again = method.partition(table_of(X), np.random.default_rng(0))
    np.testing.assert_array_equal(partition.labels, again.labels)


def test_constants():
    assert Genetic(k=3).partition(table_of(np.full((20, 2), 0.1)), np.random.default_rng(0)).il == 0


@pytest.mark.classic
@pytest.mark.parametrize("classic", ["tarragona", "census", "eia"])
@pytest.mark.parametrize("k", [3, 5, 10])
def test_loses_less_than_mdav(classic, k):
    table = datasets.load(classic)
    genetic, mdav = (
        method.partition(table, np.random.default_rng(0)).il for method in (Genetic(k=k), Mdav(k=k))
    )
    assert genetic < 0.97 * mdav
