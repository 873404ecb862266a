import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.own_links import ABSENT, TIE, own_links, turned


def distance(x, y):
    one_sided = np.isnan(x) != np.isnan(y)
    return np.nansum((x - y) ** 2) + ABSENT * one_sided.sum()


def plain_links(X, M):
    """Twin: every pair, no exits."""
    return sum(
        all(distance(x, y) > distance(x, M[i]) * (1 + TIE) for j, y in enumerate(M) if j != i)
        for i, x in enumerate(X)
    )


@given(
    n=st.integers(1, 30),
    d=st.integers(1, 4),
    holes=st.sampled_from([0.0, 0.3]),
    coarse=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_as_the_plain_twin(n, d, holes, coarse, seed):
    """Coarse values make ties; missing values are in all columns but the first."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d)).astype(float) if coarse else rng.normal(size=(n, d))
    M = X[rng.permutation(n)] if rng.random() < 0.3 else X + rng.integers(-1, 2, (n, d))
    M[rng.random((n, d)) < holes] = np.nan
    X[rng.random((n, d)) < holes] = np.nan
    X[:, 0], M[:, 0] = np.nan_to_num(X[:, 0]), np.nan_to_num(M[:, 0])
    near = rng.integers(0, n, (n, 3))
    assert own_links(X, M, near) == plain_links(X, M)


def test_records_that_are_alike_are_never_linked():
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    assert own_links(X, np.array([[0.5], [0.5], [5.5], [5.5]]), np.zeros((4, 0), np.int64)) == 0
    assert own_links(X, X, np.zeros((4, 0), np.int64)) == 4


def test_likely_rows_change_nothing_but_speed():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    M = X + rng.normal(0, 0.4, (200, 3))
    none, some = np.zeros((200, 0), np.int64), rng.integers(0, 200, (200, 5))
    assert 0 < own_links(X, M, none) == own_links(X, M, some) < 200


def test_turning_keeps_equal_rows_equal_and_distances_as_they_are():
    rng = np.random.default_rng(2)
    X = np.repeat(rng.normal(size=(20, 5)), 2, axis=0)
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    found = turned(X, turn)
    assert (found[::2] == found[1::2]).all()
    np.testing.assert_allclose(found, X @ turn)
    np.testing.assert_allclose(((found[0] - found[7]) ** 2).sum(), ((X[0] - X[7]) ** 2).sum())


def test_a_missing_value_stays_in_its_column():
    found = turned(np.array([[1.0, 2.0, np.nan]]), np.array([[0.6, 0.8, 0], [0.8, -0.6, 0], [0, 0, 1]]))
    np.testing.assert_allclose(found, [[2.2, -0.4, np.nan]])
