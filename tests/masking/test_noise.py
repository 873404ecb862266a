import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Noise
from sfumato.masking._correlation import correlation, joint_moments, spreads, square_root, standardised
from sfumato.masking.noise import KINDS

SIGMA = np.array([[4.0, 3.0, 0.0], [3.0, 9.0, -2.0], [0.0, -2.0, 1.0]])


def table_of(X, **details):
    attributes = [Attribute(name=f"x{j}", scale="numeric", role="key", **details) for j in range(X.shape[1])]
    return Table(Schema(attributes), {f"x{j}": X[:, j] for j in range(X.shape[1])})


def masked(X, seed=0, **parameters):
    table = table_of(X)
    return Noise(**parameters).apply(table, np.random.default_rng(seed)).numbers(table.names)


def normal(n, seed=1):
    return np.random.default_rng(seed).multivariate_normal([10, -5, 100], SIGMA, n)


class Draws:
    """A generator of draws that were written down."""

    def __init__(self, draws):
        self.draws = np.array(draws)

    def standard_normal(self, shape):
        return self.draws.reshape(shape)


def test_hand_worked_examples():
    # the values 1, 3, 5, 7 have mean 4 and variance 5
    X, draws = np.array([[1.0], [3.0], [5.0], [7.0]]), [1.0, -1.0, 0.0, 2.0]

    def by(kind):
        return Noise(kind=kind, alpha=0.2).apply(table_of(X), Draws(draws))["x0"]

    np.testing.assert_allclose(by("uncorrelated"), [2, 2, 5, 9])  # √(0.2 · 5) = 1
    # 2, 2, 5, 9 have mean 4.5 and variance 8.25
    back = 4 + np.sqrt(5 / 8.25) * (np.array([2, 2, 5, 9]) - 4.5)
    np.testing.assert_allclose(by("correlated_transformed"), back)
    s = np.sqrt(np.log(1.2))
    np.testing.assert_allclose(by("multiplicative"), X[:, 0] * np.exp(s * np.array(draws) - s * s / 2))


@pytest.mark.parametrize(
    ("kind", "covariance"),
    [
        ("uncorrelated", SIGMA + 0.3 * np.diag(np.diag(SIGMA))),
        ("correlated", 1.3 * SIGMA),
        ("correlated_transformed", SIGMA),
    ],
)
def test_means_and_covariances(kind, covariance):
    X = normal(200_000)
    Y = masked(X, kind=kind, alpha=0.3)
    np.testing.assert_allclose(Y.mean(axis=0), X.mean(axis=0), atol=0.03)
    np.testing.assert_allclose(np.cov(Y.T), covariance, atol=0.12)
    np.testing.assert_allclose((Y - X).var(axis=0) > 0.01, True)


def test_covariances_survive_missing_values():
    X = normal(200_000)
    X[np.random.default_rng(2).random(X.shape) < 0.3] = np.nan
    noise = masked(X, kind="correlated", alpha=0.5) - X
    complete = ~np.isnan(noise).any(axis=1)
    np.testing.assert_allclose(np.cov(noise[complete].T), 0.5 * SIGMA, atol=0.06)


@given(st.integers(2, 40), st.floats(0, 3), st.integers(0, 99))
def test_the_transformation_keeps_mean_and_variance_exactly(n, alpha, seed):
    X = normal(n, seed)
    Y = masked(X, kind="correlated_transformed", alpha=alpha)
    np.testing.assert_allclose(Y.mean(axis=0), X.mean(axis=0))
    np.testing.assert_allclose(Y.var(axis=0), X.var(axis=0))


def test_multiplicative_noise_has_mean_one_and_variance_alpha():
    factors = masked(np.full((400_000, 1), 1.0), kind="multiplicative", alpha=0.4)
    assert factors.min() > 0
    assert factors.mean() == pytest.approx(1, abs=0.005)
    assert factors.var() == pytest.approx(0.4, abs=0.02)
    assert masked(np.array([[0.0], [-2.0]]), kind="multiplicative", alpha=1).max() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_no_noise_changes_nothing_and_missing_stays(kind, mixed):
    table = mixed(100)
    same = Noise(kind=kind, alpha=0).apply(table, np.random.default_rng(0))
    other = Noise(kind=kind, alpha=1).apply(table, np.random.default_rng(0))
    for name in ("age", "income"):
        np.testing.assert_allclose(same[name], table[name])
        np.testing.assert_array_equal(other.missing(name), table.missing(name))


@pytest.mark.parametrize("kind", KINDS[:3])
def test_a_constant_stays_and_a_lone_value_is_refused(kind):
    X = np.column_stack([np.full(5, 0.1), np.arange(5.0)])
    np.testing.assert_allclose(masked(X, kind=kind)[:, 0], 0.1)
    X[1:, 0] = np.nan
    with pytest.raises(DataError, match=r"noise: column x0 must have at least 2 values, or none\. Got 1"):
        masked(X, kind=kind)


@given(st.integers(0, 10**6))
def test_correlations_are_a_matrix_of_correlations(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(2, 9), 4))
    X[rng.random(X.shape) < 0.4] = np.nan
    Z, _, spreads = standardised(X)
    R = correlation(Z)
    assert np.linalg.eigvalsh(R).min() > -1e-9
    np.testing.assert_allclose(np.diag(R), spreads > 0, atol=1e-9)


@pytest.mark.parametrize("kind", ["uncorrelated", "correlated"])
@pytest.mark.parametrize("absent", [False, True])
def test_noise_in_blocks_is_that_of_all_records_at_once(kind, absent):
    X = np.random.default_rng(1).normal(size=(9_000, 3)) @ [[1, 2, 0], [0, 1, -3], [0, 0, 5]] + 7
    if absent:
        X[::7, 1] = np.nan
    found = Noise(kind=kind, alpha=0.3).apply(table_of(X), np.random.default_rng(2))
    draws = np.random.default_rng(2).standard_normal(X.shape)
    if kind == "correlated":
        draws = draws @ square_root(correlation(standardised(X)[0])).T
    expected = X + np.sqrt(0.3) * draws * np.nanstd(X, axis=0)
    np.testing.assert_allclose(found.numbers(found.names), expected, rtol=1e-11)


def test_moments_of_complete_columns_are_those_of_any():
    X = np.random.default_rng(1).normal(size=(5_000, 4)) * [1, 0, 1e6, 1e-6] + [0, 0.1, 1e6, 5]
    X[:, 0] += X[:, 2] / 1e6
    found = joint_moments(list(np.ascontiguousarray(X.T)))
    means, deviations = spreads(X)
    np.testing.assert_allclose(found.means, means, rtol=1e-12)
    np.testing.assert_allclose(found.deviations, deviations, rtol=1e-9)
    np.testing.assert_allclose(found.correlation, correlation(standardised(X)[0]), atol=1e-9)
    X[3, 2] = np.nan
    assert joint_moments(list(X.T)) is None
