import numpy as np
import pytest

from sfumato.datasets import business_survey


@pytest.fixture(scope="module")
def firms():
    return business_survey(20_000, seed=2)


def test_thirteen_numeric_keys():
    firms = business_survey()
    assert firms.n == 1000
    assert len(firms.schema.with_role("key")) == len(firms.schema) == 13
    assert all(a.is_numeric for a in firms.schema)


def test_nothing_is_missing_and_no_column_is_a_sum_of_others(firms):
    values = firms.numbers(firms.names)
    assert not np.isnan(values).any()
    standardised = (values - values.mean(axis=0)) / values.std(axis=0)
    smallest = np.linalg.svd(standardised, compute_uv=False)[-1] / np.sqrt(len(values))
    assert smallest > 1e-3  # an identity, exact but for rounding, would give about 1e-5


@pytest.mark.parametrize(
    "pair", [("staff", "wages"), ("turnover", "purchases"), ("fixed_assets", "depreciation")]
)
def test_strong_correlations(firms, pair):
    assert np.corrcoef(firms.numbers(pair).T)[0, 1] > 0.8


def test_sizes_are_skewed(firms):
    turnover = firms["turnover"]
    assert turnover.mean() > 2 * np.median(turnover)
    logs = np.log1p(turnover)
    assert abs(np.mean(((logs - logs.mean()) / logs.std()) ** 3)) < 0.2


def test_zeros_and_losses(firms):
    for name in ("staff", "cash", "long_term_debt", "investment"):
        assert 0.005 < np.mean(firms[name] == 0) < 0.5, name
    assert 0.1 < np.mean(firms["profit"] < 0) < 0.5
    assert 0 < np.mean(firms["equity"] < 0) < 0.15
