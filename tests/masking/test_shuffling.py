import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Shuffling
from sfumato.masking.shuffling import MOST_INDICATORS, _indicators, _scores


def numbers(**columns):
    attributes = [Attribute(name=name, scale="numeric", role="key") for name in columns]
    return Table(Schema(attributes), columns)


def shuffled(table, seed=0, **parameters):
    return Shuffling(**parameters).apply(table, np.random.default_rng(seed))


def related(n, seed=1):
    rng = np.random.default_rng(seed)
    z = rng.multivariate_normal([0, 0, 0], [[1, 0.8, 0.5], [0.8, 1, 0.3], [0.5, 0.3, 1]], n)
    return {"x": np.exp(z[:, 0]), "y": z[:, 1] ** 3, "w": z[:, 2]}


def rank_correlation(table, a, b):
    complete = ~(table.missing(a) | table.missing(b))
    return stats.spearmanr(table[a][complete], table[b][complete]).statistic


class Draws:
    def __init__(self, draws):
        self.draws = np.array(draws)

    def standard_normal(self, shape):
        return self.draws.reshape(shape)


def test_hand_worked_example():
    # nothing is given: the ranks of the draws decide, and the missing value keeps its draw to itself
    table = numbers(x=np.array([40.0, 10.0, np.nan, 30.0, 20.0]))
    masked = Shuffling().apply(table, Draws([-1.0, 0.5, 9.0, 0.1, 2.0]))
    np.testing.assert_array_equal(masked["x"], [10, 30, np.nan, 20, 40])


def test_normal_scores():
    scores = _scores(np.array([5.0, 1.0, 5.0, 9.0]), np.arange(4))
    np.testing.assert_allclose(scores, stats.norm.ppf(np.array([2, 0.5, 2, 3.5]) / 4))


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_rank_correlations_are_kept_while_values_move(missing):
    columns = related(40_000)
    for j, values in enumerate(columns.values()):
        values[np.random.default_rng(j).random(len(values)) < missing] = np.nan
    table = numbers(**columns)
    masked = shuffled(table, attributes=("x", "y"))
    for pair in ("xy", "xw", "yw"):
        tolerance = 0.02 if pair == "xy" or not missing else 0.08  # a missing w tells the draw nothing
        assert rank_correlation(masked, *pair) == pytest.approx(rank_correlation(table, *pair), abs=tolerance)
    both = ~table.missing("x")
    # x given w has correlation 0.5 with w: the old and the new x share no more than w tells
    assert stats.spearmanr(table["x"][both], masked["x"][both]).statistic < 0.3


@given(st.integers(2, 30), st.integers(0, 10**6))
def test_distributions_are_kept_exactly(n, seed):
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, 5, n).astype(float) for name in "xyw"}
    columns["x"][rng.random(n) < 0.2] = np.nan
    table = numbers(**columns)
    if np.count_nonzero(~table.missing("x")) == 1:
        return
    masked = shuffled(table, seed, attributes=("x", "y"))
    for name in "xyw":
        np.testing.assert_array_equal(np.sort(masked[name]), np.sort(table[name]))
        np.testing.assert_array_equal(masked.missing(name), table.missing(name))


def test_nominal_attributes_are_known_by_indicators(mixed):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 30_000)
    attributes = [
        Attribute(name="x", scale="numeric", role="key"),
        Attribute(name="c", scale="nominal", role="key", categories=("a", "b", "c")),
    ]
    table = Table(Schema(attributes), {"x": np.array([0, 5, 2])[group] + rng.normal(size=30_000), "c": group})
    masked = shuffled(table)
    for code in range(3):
        assert masked["x"][group == code].mean() == pytest.approx(table["x"][group == code].mean(), abs=0.25)
    assert _indicators(np.int8([2, -1, 0, 2])).shape == (4, 3)
    assert _indicators(np.arange(200)).shape == (200, MOST_INDICATORS)


def test_few_records_are_not_repeated():
    # as many given attributes as records would determine every score
    rng = np.random.default_rng(4)
    table = numbers(x=np.arange(12.0), **{f"w{j}": rng.normal(size=12) for j in range(20)})
    kept = [(shuffled(table, seed, attributes=("x",))["x"] == table["x"]).mean() for seed in range(50)]
    assert np.mean(kept) < 0.3


def test_refusals():
    table = numbers(**related(10))
    with pytest.raises(DataError, match="shuffling: column w must not be both masked and given"):
        shuffled(table, given=("w",))
    with pytest.raises(DataError, match="column x must have at least 2 values"):
        shuffled(numbers(x=np.array([1.0, np.nan])))
