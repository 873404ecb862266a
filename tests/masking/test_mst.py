import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive_lines as naive
from sfumato import datasets
from sfumato.kernels.spanning_trees import cut_tree, spanning_tree
from sfumato.masking import Mst

small = st.integers(-9, 9).map(float)
records = arrays(float, st.tuples(st.integers(4, 40), st.integers(1, 3)), elements=small)


@given(records)
def test_the_tree_is_as_short_as_kruskals(X):
    order, hangs_on, length = spanning_tree(X)
    assert sorted(order) == list(range(len(X)))
    assert np.sqrt(length).sum() == pytest.approx(naive.spanning_length(X))
    place = np.argsort(order)
    assert all(hangs_on[i] < 0 or place[hangs_on[i]] < place[i] for i in range(len(X)))


def test_edges_are_cut_from_the_longest_while_k_stay_on_both_sides():
    X = np.array([0.0, 1.0, 2.0, 50.0, 60.0, 61.0, 62.0, 63.0, 64.5, 65.5, 66.5])[:, None]
    order, hangs_on, length = spanning_tree(X)
    labels = cut_tree(order, hangs_on, np.argsort(-length, kind="stable"), 3)
    assert naive.as_sets(labels) == {frozenset({0, 1, 2}), frozenset(range(3, 8)), frozenset({8, 9, 10})}


@given(records, st.integers(2, 5), st.sampled_from(["mdav", "md", "none"]))
def test_sizes(X, k, split):
    if len(X) >= 2 * k:
        sizes = np.bincount(Mst(k=k, split=split).group(X, np.random.default_rng(0)))
        assert k <= sizes.min()
        assert split == "none" or sizes.max() < 2 * k


def test_natural_clusters_are_found():
    centres = np.random.default_rng(0).normal(size=(8, 3)) * 100
    X = np.repeat(centres, 6, axis=0) + np.random.default_rng(1).normal(size=(48, 3))
    assert naive.as_sets(Mst(k=4).group(X, np.random.default_rng(0))) == {
        frozenset(range(6 * c, 6 * c + 6)) for c in range(8)
    }


# measured here
@pytest.mark.classic
@pytest.mark.parametrize(
    ("classic", "measured"), [("tarragona", 16.6869), ("census", 6.1410), ("eia", 0.3951)]
)
def test_classic_files(classic, measured):
    partition = Mst(k=3).partition(datasets.load(classic), np.random.default_rng(0))
    assert round(partition.il, 4) == measured
