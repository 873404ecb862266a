import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive_lines as naive
from sfumato import datasets
from sfumato.kernels.spanning_trees import neighbour_forest, prune_forest
from sfumato.masking import Approx
from sfumato.masking._nearest_records import neighbours

small = st.integers(-9, 9).map(float)
records = arrays(float, st.tuples(st.integers(4, 40), st.integers(1, 3)), elements=small)


def trees(to):
    roots = []
    for i in range(len(to)):
        while to[i] >= 0:
            i = to[i]
        roots.append(int(i))
    return np.array(roots)


@given(records, st.integers(2, 6))
def test_every_tree_holds_k_and_edges_go_to_near_neighbours(X, k):
    if len(X) < 2 * k:
        return
    near = neighbours(X, k - 1)
    to = neighbour_forest(near, k)
    assert np.unique(trees(to), return_counts=True)[1].min() >= k
    assert all(to[i] < 0 or to[i] in near[i] for i in range(len(X)))


@given(records, st.integers(2, 6))
def test_pruned_groups_are_of_one_tree_and_hold_k_to_2k_minus_2(X, k):
    if len(X) < 2 * k:
        return
    to = neighbour_forest(neighbours(X, k - 1), k)
    labels, tree = prune_forest(to, k), trees(to)
    sizes = np.bincount(labels[labels >= 0])
    assert k <= sizes.min() <= sizes.max() <= 2 * k - 2
    assert all(len(set(tree[labels == group])) == 1 for group in range(len(sizes)))
    over = np.unique(tree[labels < 0], return_counts=True)[1]
    assert over.max(initial=0) < k


@given(records, st.integers(2, 6))
def test_groups_hold_k_to_2k_minus_1_records(X, k):
    if len(X) >= 2 * k:
        sizes = np.bincount(Approx(k=k).group(X, np.random.default_rng(0)))
        assert k <= sizes.min() <= sizes.max() < 2 * k


@given(arrays(float, st.tuples(st.integers(4, 9), st.just(2)), elements=small), st.integers(2, 3))
def test_the_loss_is_a_bounded_multiple_of_the_optimum(X, k):
    if len(X) >= 2 * k:
        labels = Approx(k=k).group(X, np.random.default_rng(0))
        assert naive.loss(X, labels) <= 8 * k**3 * naive.least_loss(X, k) + 1e-9


# measured here
@pytest.mark.classic
@pytest.mark.parametrize(
    ("classic", "measured"), [("tarragona", 17.4054), ("census", 6.0153), ("eia", 0.3979)]
)
def test_classic_files(classic, measured):
    partition = Approx(k=3).partition(datasets.load(classic), np.random.default_rng(0))
    assert partition.il == pytest.approx(measured, rel=0.01)
