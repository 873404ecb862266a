"""MDAV makes the same groups whatever it does to be fast, and its tree answers exactly."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from sfumato.kernels import mdav
from sfumato.kernels._small_files import ENOUGH, SmallFiles
from sfumato.kernels.deletion_tree import peel, plant, take_out
from sfumato.kernels.mdav import mdav_groups, mdav_labels, plain_labels
from sfumato.kernels.tree_search import farthest, nearest, outermost


def normal(rng, n, d):
    return rng.normal(size=(n, d))


def integers(rng, n, d):
    return rng.integers(0, 4, size=(n, d)).astype(float)


def duplicates(rng, n, d):
    return rng.normal(size=(max(n // 6, 1), d))[rng.integers(0, max(n // 6, 1), size=n)]


def constant_columns(rng, n, d):
    return np.where(np.arange(d) % 2, rng.normal(size=(n, d)), 0.1)


def one_point(rng, n, d):
    """Means of some parts are the value itself, and those of others only nearly."""
    return np.full((n, d), rng.normal(size=d))


def clusters(rng, n, d):
    return 100 * rng.integers(0, 3, size=(n, 1)) + 1e-3 * rng.normal(size=(n, d))


def skewed(rng, n, d):
    return np.exp(3 * rng.normal(size=(n, d)))


def sphere(rng, n, d):
    """All equally far from the centre, but for rounding."""
    X = rng.normal(size=(n, d))
    return X / np.sqrt((X**2).sum(axis=1, keepdims=True))


def very_small(rng, n, d):
    """Squares are below the smallest normal number."""
    return 1e-158 * rng.normal(size=(n, d))


def very_large(rng, n, d):
    """Squares are infinite, and all distances tied."""
    return 1e200 * rng.normal(size=(n, d))


def far_from_zero(rng, n, d):
    return 1e8 + rng.integers(0, 5, size=(n, d)) / 3


KINDS = [
    normal,
    integers,
    duplicates,
    constant_columns,
    one_point,
    clusters,
    skewed,
    sphere,
    very_small,
    very_large,
    far_from_zero,
]
NOBODY = np.int64(-1), -1.0
seeds = st.integers(0, 2**32 - 1)


@given(
    st.sampled_from(KINDS),
    st.integers(2, 90),
    st.integers(1, 12),
    st.integers(1, 9),
    st.sampled_from([1, 2, 3, 8, 32, 200]),
    seeds,
)
def test_every_path_equals_the_twin(kind, n, d, k, leaf_size, seed):
    X = kind(np.random.default_rng(seed), max(n, k), d)
    expected = naive.mdav_groups(X, k)
    np.testing.assert_array_equal(plain_labels(X, k), expected)
    for shell in (1, 4, 256):
        np.testing.assert_array_equal(mdav_labels(X, k, leaf_size, shell), expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "d", "k"), [(1_500, 2, 3), (1_000, 6, 10), (800, 13, 4), (300, 40, 2)])
def test_paths_agree_on_larger_files(kind, n, d, k):
    X = kind(np.random.default_rng(n), n, d)
    expected = plain_labels(X, k)
    for leaf_size, shell in ((1, 16), (1, n), (5, 1), (64, 16), (n, 1), (n, n)):
        np.testing.assert_array_equal(mdav_labels(X, k, leaf_size, shell), expected)


def test_small_files_are_grouped_alike_before_and_after_compiling(monkeypatch):
    X = skewed(np.random.default_rng(1), 200, 3)
    expected = mdav_labels(X, 4, 32, 32)
    monkeypatch.setattr(mdav, "_small_files", SmallFiles())
    for done in (0, ENOUGH):
        mdav._small_files.done = done
        np.testing.assert_array_equal(mdav_groups(X, 4), expected)
    assert mdav._small_files.done == ENOUGH


def test_a_small_file_compiles_nothing():
    code = """
import numpy as np
from sfumato.kernels._small_files import SMALL
from sfumato.kernels.mdav import mdav_groups, mdav_labels
mdav_groups(np.random.default_rng(0).normal(size=(SMALL, 3)), 4)
assert not mdav_labels.signatures
mdav_groups(np.random.default_rng(0).normal(size=(SMALL + 1, 3)), 4)
assert mdav_labels.signatures
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@given(st.sampled_from(KINDS), st.integers(1, 120), st.integers(1, 9), st.sampled_from([1, 2, 5, 40]), seeds)
def test_tree_answers_exactly_while_records_leave(kind, n, d, leaf_size, seed):
    rng = np.random.default_rng(seed)
    X = kind(rng, n, d)
    tree, shells = plant(X, np.arange(n), leaf_size), peel(X, np.arange(n), leaf_size)
    left = list(range(n))
    for gone in rng.permutation(n)[: n - 1].tolist():
        take_out(tree, gone)
        take_out(shells, gone)
        left.remove(gone)
        q = X[gone] if gone % 3 else X[left].mean(axis=0) + rng.normal(size=d) * (gone % 2)
        near = np.empty(min(3, len(left)), np.int64)
        apart = np.empty(len(near))
        by_distance = sorted(left, key=lambda i: (naive._squared_distance(X[i], q), i))
        far = min(left, key=lambda i: (-naive._squared_distance(X[i], q), i))
        nearest(tree, q, near, apart)
        assert near.tolist() == by_distance[: len(near)]
        assert apart.tolist() == [naive._squared_distance(X[i], q) for i in near]
        assert farthest(tree, q, *NOBODY)[0] == far
        reached, reach, scanned = outermost(shells, q, n)
        assert (reached, reach) == (far, naive._squared_distance(X[far], q))
        some, reach, more = outermost(shells, q, 1)
        assert more == min(scanned, 2)
        assert farthest(tree, q, some, reach)[0] == far


def test_growth_is_far_below_quadratic_in_few_dimensions():
    """Leaves and nodes, not seconds: the searches of a record look at a few dozen of more than two thousand."""
    X = np.random.default_rng(0).normal(size=(50_000, 2))
    tree = plant(X, np.arange(len(X)), 32)
    near, apart = np.empty(5, np.int64), np.empty(5)
    r, scanned = farthest(tree, X.mean(axis=0), *NOBODY)
    scanned += nearest(tree, X[r], near, apart) + farthest(tree, X[r], *NOBODY)[1]
    assert scanned < 60
    assert outermost(peel(X, np.arange(len(X)), 32), X[r], 60)[2] < 60
