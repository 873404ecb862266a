import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import datasets
from sfumato.core import ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import KeptMoments, Mdav
from sfumato.masking.kept_moments import least_map, with_moments


def covariance(rng, d):
    root = rng.normal(size=(d, d))
    return root @ root.T


@given(st.integers(1, 5), st.integers(0, 999))
def test_the_map_gives_the_wanted_covariance(d, seed):
    rng = np.random.default_rng(seed)
    given_, wanted = covariance(rng, d) + np.eye(d), covariance(rng, d)
    T = least_map(given_, wanted)
    np.testing.assert_allclose(T @ given_ @ T, wanted, atol=1e-6 * np.abs(wanted).max())


def test_no_other_map_that_gives_it_moves_records_less():
    rng = np.random.default_rng(1)
    given_, wanted = covariance(rng, 4), covariance(rng, 4)

    def moved(T):
        apart = T - np.eye(4)
        return np.trace(apart.T @ given_ @ apart)

    least = least_map(given_, wanted)
    roots = np.linalg.inv(np.linalg.cholesky(given_)).T, np.linalg.cholesky(wanted).T
    for _ in range(200):
        turned = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        other = roots[0] @ turned @ roots[1]
        np.testing.assert_allclose(other.T @ given_ @ other, wanted, atol=1e-6)
        assert moved(other) >= moved(least) - 1e-9


@pytest.mark.parametrize("masking", ["mdav(k=5)", "noise", "rank_swapping(p=10)", "single_axis(k=20)"])
def test_means_and_covariances_are_those_of_the_original(masking):
    X = np.random.default_rng(0).multivariate_normal(
        np.zeros(4), covariance(np.random.default_rng(5), 4), 300
    )
    names = tuple("abcd")
    table = Table(
        Schema(Attribute(name=name, scale="numeric", role="key") for name in names),
        dict(zip(names, X.T, strict=True)),
    )
    masked = KeptMoments(masking=masking).apply(table, np.random.default_rng(1)).numbers(names)
    np.testing.assert_allclose(masked.mean(axis=0), X.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(np.cov(masked.T), np.cov(X.T), atol=1e-6)
    assert not np.allclose(masked, X)


def test_records_that_were_alike_stay_alike():
    firms = datasets.business_survey(300, seed=2)
    plain, moved = (
        masking.apply(firms, np.random.default_rng(0)).numbers(firms.names)
        for masking in (Mdav(k=4), KeptMoments(masking="mdav(k=4)"))
    )
    _, labels = np.unique(plain, axis=0, return_inverse=True)
    for group in range(labels.max() + 1):
        assert len(np.unique(moved[labels.ravel() == group], axis=0)) == 1


def test_what_no_longer_varies_and_what_is_missing_stay_so():
    original = np.array([[1.0, 5.0], [2.0, 6.0], [4.0, np.nan], [7.0, 9.0]])
    masked = np.array([[2.0, 8.0], [2.0, np.nan], [5.0, 8.0], [5.0, 8.0]])
    found = with_moments(masked, original)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(masked))
    assert np.ptp(found[[0, 2, 3], 1]) < 1e-9


@pytest.mark.parametrize("masking", ["pram", "sampling(fraction=0.5)", "noise + mdav", "kept_moments"])
def test_other_maskings_are_refused(masking):
    with pytest.raises(ParameterError, match="kept_moments: masking must be one that takes numbers"):
        KeptMoments(masking=masking)
