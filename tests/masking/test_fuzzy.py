import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato import datasets
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Fuzzy, Mdav
from sfumato.masking._fuzzy_clusters import log_memberships
from sfumato.masking.fuzzy import nearest_allowed

small = st.integers(-9, 9).map(float)
records = arrays(float, st.tuples(st.integers(4, 60), st.integers(1, 3)), elements=small)


def table_of(X):
    names = [f"x{j}" for j in range(X.shape[1])]
    schema = Schema(Attribute(name=name, scale="numeric", role="key") for name in names)
    return Table(schema, dict(zip(names, X.T, strict=True)))


@given(records, st.integers(2, 6), st.sampled_from([1.05, 1.2, 2.0, 5.0]), st.integers(2, 9))
def test_groups_hold_k_to_2k_minus_1_records(X, k, fuzziness, clusters):
    if len(X) >= k:
        method = Fuzzy(k=k, fuzziness=fuzziness, clusters=clusters)
        partition = method.partition(table_of(X), np.random.default_rng(0))
        assert k <= partition.smallest <= partition.largest < 2 * k
        assert partition.sizes.sum() == len(X)


@given(arrays(float, st.tuples(st.integers(1, 20), st.integers(1, 5)), elements=small), st.integers(1, 6))
def test_clusters_that_stay_hold_k_records(scores, k):
    member = nearest_allowed(scores, min(k, len(scores)))
    sizes = np.bincount(member)
    assert sizes[sizes > 0].min() >= min(k, len(scores))


def test_memberships_are_the_fixed_point_of_fuzzy_c_means():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 6])
    m = 2.0
    u = np.exp(log_memberships(X, 2, m, 500))
    u /= u.sum(axis=1, keepdims=True)
    centres = (u**m).T @ X / (u**m).sum(axis=0)[:, None]
    distances = np.sqrt(((X[:, None] - centres) ** 2).sum(axis=2))
    expected = 1 / np.array([[sum((row[c] / row) ** (2 / (m - 1))) for c in range(2)] for row in distances])
    np.testing.assert_allclose(u, expected, atol=1e-4)


def test_clusters_that_are_there_are_found():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(12, 3)) * 50
    X = np.concatenate([centre + rng.normal(size=(4, 3)) for centre in centres])
    labels = Fuzzy(k=4).partition(table_of(X), rng).labels.reshape(12, 4)
    assert (labels == labels[:, :1]).all()


def test_constants_duplicates_and_outliers():
    assert Fuzzy(k=3).partition(table_of(np.full((20, 2), 0.1)), np.random.default_rng(0)).il == 0
    outlier = np.append(np.zeros(20), 1e9)[:, None]
    partition = Fuzzy(k=3).partition(table_of(outlier), np.random.default_rng(0))
    assert 3 <= partition.smallest <= partition.largest < 6


@pytest.mark.classic
@pytest.mark.parametrize("classic", ["tarragona", "census", "eia"])
@pytest.mark.parametrize("k", [3, 5, 10])
def test_loses_about_as_much_as_mdav(classic, k):
    table = datasets.load(classic)
    fuzzy, mdav = (method.partition(table, np.random.default_rng(0)).il for method in (Fuzzy(k=k), Mdav(k=k)))
    assert fuzzy < 1.2 * mdav
