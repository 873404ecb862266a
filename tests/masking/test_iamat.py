import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato import datasets
from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.deletion_tree import leaf_size
from sfumato.kernels.iamat import iamat_groups, iamat_labels, plain_labels
from sfumato.masking import Iamat, make_masking

small = st.integers(-9, 9).map(float)
records = arrays(float, st.tuples(st.integers(4, 40), st.integers(1, 3)), elements=small)


def table_of(X):
    names = [f"x{j}" for j in range(X.shape[1])]
    schema = Schema(Attribute(name=name, scale="numeric", role="key") for name in names)
    return Table(schema, dict(zip(names, X.T, strict=True)))


def apart(a, b):
    total = 0.0
    for difference in (a - b).tolist():
        total += difference * difference
    return total


def naive_groups(X, k, gamma, fixed):
    """Twin of `kernels.iamat.iamat_groups`; ties to the record that comes first."""
    left = list(range(len(X)))
    labels = np.full(len(X), -1)
    total = np.zeros(X.shape[1])
    for x in X:
        total += x
    whole, group = total / len(X), 0
    while len(left) >= k:
        centre = whole if fixed else total / len(left)
        p = min(left, key=lambda i: (-apart(X[i], centre), i))
        members, within = [], np.zeros(X.shape[1])
        while True:
            members.append(p)
            left.remove(p)
            within += X[p]
            total -= X[p]
            if not left or len(members) == 2 * k - 1:
                break
            if len(members) >= k and (gamma == 0 or len(left) <= k):
                break
            p = min(left, key=lambda i: (apart(X[i], within / len(members)), i))
            if len(members) >= k:
                inside = min(apart(X[i], X[p]) for i in members)
                outside = min(apart(X[i], X[p]) for i in left if i != p)
                if inside >= gamma * outside:
                    break
        labels[members] = group
        group += 1
    return labels


def by_products(X, k):
    """Algorithm 12 as printed, with associations and their products, but for the scale α of 5.14, doubled."""
    mu = X.mean(axis=0)
    alpha = 2 * np.sqrt(len(X)) / ((X - mu) ** 2).sum(axis=1).mean()
    left, labels, group = list(range(len(X))), np.full(len(X), -1), 0
    while len(left) >= k:
        members = [min(left, key=lambda i: np.exp(-apart(X[i], mu) / alpha**2))]
        left.remove(members[0])
        while len(members) < k:
            eta = {p: np.prod([np.exp(-apart(X[i], X[p]) / alpha) for i in members]) for p in left}
            members.append(max(left, key=eta.get))
            left.remove(members[-1])
        labels[members] = group
        group += 1
    return labels


@given(records, st.integers(2, 6), st.sampled_from([0.0, 0.5, 2.0]), st.booleans())
def test_kernel_and_plain_numpy_equal_the_twin(X, k, gamma, fixed):
    expected = naive_groups(X, k, gamma, fixed)
    np.testing.assert_array_equal(iamat_labels(X, k, gamma, fixed, leaf_size(X.shape[1])), expected)
    np.testing.assert_array_equal(plain_labels(X, k, gamma, fixed), expected)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("gamma", [0.0, 0.7])
def test_kernel_and_plain_numpy_equal_the_twin_on_real_numbers(k, gamma):
    X = np.random.default_rng(k).normal(size=(300, 4))
    expected = naive_groups(X, k, gamma, False)
    np.testing.assert_array_equal(iamat_labels(X, k, gamma, False, leaf_size(4)), expected)
    np.testing.assert_array_equal(plain_labels(X, k, gamma, False), expected)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_sums_of_squares_choose_what_products_of_associations_choose(k):
    X = np.random.default_rng(k).uniform(-1, 1, size=(60, 3))
    np.testing.assert_array_equal(iamat_groups(X, k, 0.0, True), by_products(X, k))


@given(records, st.integers(2, 6), st.sampled_from([0.0, 0.5, 10.0]), st.sampled_from(["left", "file"]))
def test_groups_hold_k_to_2k_minus_1_records(X, k, gamma, centre):
    if len(X) >= k:
        method = Iamat(k=k, gamma=gamma, centre=centre)
        partition = method.partition(table_of(X), np.random.default_rng(0))
        assert k <= partition.smallest <= partition.largest < 2 * k
        assert partition.sizes.sum() == len(X)


def test_constants_and_duplicates():
    assert Iamat(k=3).partition(table_of(np.full((20, 2), 0.1)), np.random.default_rng(0)).il == 0
    twins = np.repeat(np.arange(10) / 10, 3)[:, None]
    assert Iamat(k=3).partition(table_of(twins), np.random.default_rng(0)).il == pytest.approx(0, abs=1e-20)


def test_records_left_over_join_the_nearest_group():
    X = np.array([[0.0], [0.1], [10.0], [10.1], [5.5]])
    labels = Iamat(k=2, standardise="none").group(X - X.mean(), np.random.default_rng(0))
    assert labels[4] == labels[2] == labels[3]
    assert labels[0] == labels[1] != labels[2]


def test_records_left_over_go_into_the_last_group_as_printed():
    """Algorithm 12, line 26."""
    X = np.array([[0.0], [0.1], [10.0], [10.1], [5.5]])
    assert Iamat(k=2, remainder="last").group(X - X.mean(), np.random.default_rng(0)).tolist() == [
        0,
        0,
        1,
        1,
        1,
    ]
    for n in range(7, 30):
        X = np.random.default_rng(n).normal(size=(n, 2))
        kernel = iamat_groups(X, 3, 0.0, True)
        labels = make_masking("IAMAT-printed(k=3)").group(X, np.random.default_rng(0))
        np.testing.assert_array_equal(labels, np.where(kernel < 0, n // 3 - 1, kernel))
        assert np.bincount(labels)[:-1].tolist() == [3] * (n // 3 - 1)


# Fayyoumi, *thesis*, Table 5.1: the losses, reached here with the parameters as they are
PUBLISHED = [
    ("tarragona", 3, 15.6023),
    ("tarragona", 4, 19.2872),
    ("tarragona", 5, 22.7164),
    ("census", 3, 5.3639),
    ("census", 4, 7.2170),
    ("census", 5, 8.8428),
    ("census", 6, 9.9871),
]


@pytest.mark.classic
@pytest.mark.parametrize(("classic", "k", "published"), PUBLISHED)
def test_losses_are_at_most_the_published_ones(classic, k, published):
    partition = Iamat(k=k).partition(datasets.load(classic), np.random.default_rng(0))
    assert partition.il <= published


@pytest.mark.classic
@pytest.mark.parametrize(("classic", "k", "published"), PUBLISHED)
@pytest.mark.parametrize("centre", ["left", "file"])
def test_the_algorithm_loses_about_as_much_as_published(classic, k, published, centre):
    """Not to the last digit: the thesis's MDAV on the same files differs as much from everybody else's."""
    partition = Iamat(k=k, centre=centre, gamma=0.0).partition(
        datasets.load(classic), np.random.default_rng(0)
    )
    assert partition.il == pytest.approx(published, rel=0.02)
