import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import LossyCompression
from sfumato.masking import lossy_compression as module
from sfumato.masking.lossy_compression import compressed, steps


def table_of(X):
    names = [f"x{j}" for j in range(X.shape[1])]
    attributes = [Attribute(name=name, scale="numeric", role="key") for name in names]
    return Table(Schema(attributes), dict(zip(names, X.T, strict=True)))


def masked(X, quality):
    table = table_of(X)
    return LossyCompression(quality=quality).apply(table, np.random.default_rng(0)).numbers(table.names)


def naive_block(block, Q):
    """A block there and back, straight from the formulas of T.81, A.3.3."""

    def c(u):
        return math.sqrt(0.5) if u == 0 else 1.0

    def wave(x, u):
        return math.cos((2 * x + 1) * u * math.pi / 16)

    def whole(value):
        return round(round(value, 6))

    eight = range(8)
    kept = np.zeros((8, 8))
    for u in eight:
        for v in eight:
            total = sum((block[x, y] - 128) * wave(x, u) * wave(y, v) for x in eight for y in eight)
            kept[u, v] = Q[u, v] * whole(c(u) * c(v) / 4 * total / Q[u, v])
    back = np.zeros((8, 8))
    for x in eight:
        for y in eight:
            total = sum(c(u) * c(v) * kept[u, v] * wave(x, u) * wave(y, v) for u in eight for v in eight)
            back[x, y] = min(max(whole(total / 4 + 128), 0), 255)
    return back


def test_hand_worked_example():
    # of a flat block only the mean coefficient is not 0: 8 · (100 − 128) = −224 is −14 steps of 16, exactly
    flat = np.full((8, 8), 100.0)
    assert (compressed(flat, 50) == 100).all()
    # 8 · (103 − 128) = −200 is −12.5 steps, rounded to −12: 128 − 12 · 16 / 8 = 104
    assert (compressed(flat + 3, 50) == 104).all()


def test_steps():
    assert steps(50).tolist() == module.STEPS.tolist()
    assert steps(25)[0].tolist() == [32, 22, 20, 32, 48, 80, 102, 122]
    assert steps(75)[0].tolist() == [8, 6, 5, 8, 12, 20, 26, 31]
    assert (steps(100) == 1).all()
    assert (steps(1) == 255).all()


@pytest.mark.parametrize("quality", [1, 20, 50, 90, 100])
def test_blocks_equal_the_twin(quality):
    picture = np.random.default_rng(quality).integers(0, 256, (16, 16)).astype(float)
    after = compressed(picture, quality)
    for i in (0, 8):
        for j in (0, 8):
            block = naive_block(picture[i : i + 8, j : j + 8], steps(quality))
            np.testing.assert_array_equal(after[i : i + 8, j : j + 8], block)


def test_edges_are_repeated_and_strips_change_nothing(monkeypatch):
    picture = np.random.default_rng(0).integers(0, 256, (61, 11)).astype(float)
    whole = compressed(picture, 40)
    filled = np.pad(picture, ((0, 3), (0, 5)), mode="edge")
    np.testing.assert_array_equal(whole, compressed(filled, 40)[:61, :11])
    monkeypatch.setattr(module, "BLOCKS_AT_ONCE", 2)
    np.testing.assert_array_equal(compressed(picture, 40), whole)


@given(st.integers(2, 40), st.integers(1, 10), st.integers(1, 100), st.integers(0, 999))
def test_values_stay_in_their_range_and_missing_stays(n, m, quality, seed):
    rng = np.random.default_rng(seed)
    X = rng.lognormal(size=(n, m))
    X[2:][rng.random((n - 2, m)) < 0.2] = np.nan
    Y = masked(X, quality)
    np.testing.assert_array_equal(np.isnan(Y), np.isnan(X))
    assert (np.nanmin(Y, axis=0) >= np.nanmin(X, axis=0) - 1e-9).all()
    assert (np.nanmax(Y, axis=0) <= np.nanmax(X, axis=0) * (1 + 1e-9)).all()


def test_loss_grows_as_quality_falls():
    X = np.random.default_rng(1).normal(size=(4000, 6))
    losses = [np.abs(masked(X, q) - X).mean() for q in (100, 90, 50, 10)]
    assert losses == sorted(losses)
    assert losses[0] < 0.02 < losses[1]


def test_a_constant_stays_and_a_lone_value_is_refused():
    X = np.column_stack([np.full(9, 0.1), np.arange(9.0)])
    np.testing.assert_array_equal(masked(X, 30)[:, 0], 0.1)
    X[1:, 0] = np.nan
    with pytest.raises(DataError, match="lossy_compression: column x0 must have at least 2 values"):
        masked(X, 30)
