import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from sfumato import datasets
from sfumato.kernels.deletion_tree import plant
from sfumato.kernels.neighbours import nearest_others, plain_nearest_others
from sfumato.kernels.vmdav import vmdav_groups
from sfumato.masking import Mdav, Vmdav

records = arrays(
    float, st.tuples(st.integers(4, 40), st.integers(1, 3)), elements=st.integers(-9, 9).map(float)
)
rng = np.random.default_rng(0)


def apart(a, b):
    return naive._squared_distance(a, b)


def twin(X, k, gamma, outward):
    """V-MDAV from its definition: all distances, every time; −1 for the records left at the end."""
    labels = np.full(len(X), -1)
    group = 0
    while (labels < 0).sum() >= k:
        outside = set(np.flatnonzero(labels < 0).tolist())
        e = next(i for i in outward.tolist() if i in outside)
        members = sorted(outside, key=lambda i: (apart(X[i], X[e]), i))[:k]
        outside -= set(members)
        while len(members) < 2 * k - 1 and outside:
            d_in, joining = min((apart(X[i], X[j]), i) for i in outside for j in members)
            others = [apart(X[i], X[joining]) for i in outside if i != joining]
            d_out = min(others) if others else np.inf
            if not np.sqrt(d_in) < gamma * np.sqrt(d_out):
                break
            members.append(joining)
            outside.remove(joining)
        labels[members] = group
        group += 1
    return labels


@given(records, st.integers(2, 6), st.sampled_from([0.01, 0.2, 1.1, 3.0]), st.sampled_from([1, 4, 32]))
def test_kernel_equals_its_twin(X, k, gamma, leaf_size):
    if len(X) >= k:
        outward = np.argsort(-(X**2).sum(axis=1), kind="stable")
        np.testing.assert_array_equal(
            vmdav_groups(X, k, gamma, outward, leaf_size), twin(X, k, gamma, outward)
        )


@given(records, st.integers(2, 6), st.sampled_from([0.0, 0.2, 1.1, 100.0]))
def test_groups_hold_k_to_3k_minus_2_records(X, k, gamma):
    if len(X) >= 2 * k:
        sizes = np.bincount(Vmdav(k=k, gamma=gamma).group(X, rng))
        assert k <= sizes.min() <= sizes.max() <= 3 * k - 2
        if gamma == 0:
            assert (sizes == k).sum() >= len(sizes) - (k - 1)


def test_clusters_are_found_whatever_their_sizes():
    sizes = np.array([3, 5, 4, 3, 5, 4])
    centres = np.repeat(100.0 * np.arange(6), sizes)
    X = np.column_stack([centres, rng.uniform(size=24)])
    labels = Vmdav(k=3, gamma=1.1).group(X, rng)
    assert len(set(zip(labels.tolist(), centres.tolist(), strict=True))) == 6


@pytest.mark.classic("eia")
def test_less_loss_than_mdav_on_a_clustered_file():
    """Solanas & Martínez-Ballesté (2006): variable sizes pay on EIA, the clustered file of the three."""
    eia = datasets.load("eia")
    assert Vmdav(k=5, gamma=1.1).partition(eia, rng).il < Mdav(k=5).partition(eia, rng).il


@given(records, st.integers(1, 6), st.sampled_from([1, 3, 32]))
def test_nearest_others_equal_their_twin(X, k, leaf_size):
    if k < len(X):
        tree = plant(X, np.arange(len(X)), leaf_size)
        expected = [
            sorted((j for j in range(len(X)) if j != i), key=lambda j, i=i: (apart(X[i], X[j]), j))[:k]
            for i in range(1, len(X))
        ]
        assert nearest_others(tree, X, 1, len(X), k).tolist() == expected
        assert plain_nearest_others(X, k, 1, len(X)).tolist() == expected
