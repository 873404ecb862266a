import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Resampling


def table_of(values, **details):
    attribute = Attribute(name="x", scale="numeric", role="key", **details)
    return Table(Schema([attribute]), {"x": np.array(values, float)})


def resampled(table, rng=None, **parameters):
    return Resampling(**parameters).apply(table, rng or np.random.default_rng(0))["x"]


class Draws:
    """A generator whose samples were written down."""

    def __init__(self, *samples):
        self.samples = [np.array(sample) for sample in samples]

    def permutation(self, rows):
        return rows

    def integers(self, low, high, size):
        return self.samples.pop(0)


def test_hand_worked_example():
    # ranks of 40, 10, 30, 20 are 4, 1, 3, 2; the samples are 10 10 30 40 and 20 30 40 40
    draws = Draws([3, 0, 2, 0], [2, 3, 1, 3])
    masked = resampled(table_of([40, 10, np.nan, 30, 20]), draws, t=2)
    np.testing.assert_array_equal(masked, [40, 15, np.nan, 35, 20])


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.integers(1, 5), st.integers(0, 99))
def test_ranks_and_range_are_kept_and_the_twin_agrees(values, t, seed):
    table = table_of(values)
    masked = resampled(table, np.random.default_rng(seed), t=t)
    assert masked.min() >= min(values) - 1e-6
    assert masked.max() <= max(values) + 1e-6
    order = np.lexsort((masked, table["x"]))
    assert (np.diff(masked[order]) >= -1e-6).all()
    rng = np.random.default_rng(seed)
    rng.permutation(len(values))
    ordered = sorted(values)
    samples = [sorted(ordered[i] for i in rng.integers(0, len(values), len(values))) for _ in range(t)]
    np.testing.assert_allclose(np.sort(masked), np.mean(samples, axis=0), atol=1e-6)


def test_the_distribution_is_nearly_kept():
    values = np.random.default_rng(1).lognormal(size=20_000)
    masked = resampled(table_of(values), t=3)
    assert masked.mean() == pytest.approx(values.mean(), rel=0.02)
    np.testing.assert_allclose(
        np.quantile(masked, [0.1, 0.5, 0.9]), np.quantile(values, [0.1, 0.5, 0.9]), 0.05
    )
    assert (masked != values).mean() > 0.9


def test_equal_values_do_not_follow_the_order_of_the_file():
    values = np.repeat([1.0, 2.0], [500, 500])
    masked = resampled(table_of(values), np.random.default_rng(5), t=1)
    changed = np.flatnonzero(masked != values)
    assert len(changed) > 1
    assert np.diff(changed).max() > 1


def test_a_lone_value_is_refused():
    with pytest.raises(DataError, match="resampling: column x must have at least 2 values"):
        resampled(table_of([3, np.nan]))
    assert np.isnan(resampled(table_of([np.nan, np.nan]))).all()
