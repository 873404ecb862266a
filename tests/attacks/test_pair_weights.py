"""Weights of attributes, against a plain twin without slopes and against an equation solved by itself."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from sfumato.attacks.learned_linkage import Gaps
from sfumato.attacks.linkage.pair_weights import fitted_weights
from sfumato.attacks.linkage.record_space import Space
from sfumato.datasets import household_survey

PENALTY = 0.001


def loss(weights, pairs):
    """The mean of −log P(the true record is nearer), and the penalty."""
    chances = [1 / (1 + np.exp(-sum(w * x for w, x in zip(weights, pair, strict=True)))) for pair in pairs]
    return -np.mean(np.log(chances)) + PENALTY * sum(w * w for w in weights) / 2


@pytest.mark.parametrize("seed", range(3))
def test_weights_lose_as_little_as_those_of_a_plain_search(seed):
    rng = np.random.default_rng(seed)
    pairs = rng.normal([0.8, 0.1, -0.5], 1.0, (60, 3))
    found = fitted_weights(pairs, np.ones(3))
    plain = minimize(loss, np.ones(3), args=(pairs,), method="Nelder-Mead", bounds=[(0, None)] * 3)
    assert found == pytest.approx(plain.x, abs=0.01)
    assert found[2] == 0 < found[0]


@pytest.mark.parametrize("start", [1.0, 30.0])
def test_where_an_attribute_never_errs_the_penalty_keeps_its_weight_finite(start):
    # the slope is 0 where PENALTY · w = 1 − P = 1 / (1 + exp(w))
    expected = brentq(lambda w: PENALTY * w - 1 / (1 + np.exp(w)), 0, 50)
    assert fitted_weights(np.ones((5, 1)), np.array([start])) == pytest.approx([expected], abs=0.01)


def test_pairs_are_the_nearest_wrong_records_minus_the_true_one():
    known = household_survey(40, seed=3)
    released = known.take(np.random.default_rng(0).permutation(40))  # so that no record is its own nearest
    names = ("age", "region", "education")
    space = Space(known, names, weights=dict.fromkeys(names, 1.0))
    readings = space.read(released.schema)
    points, own = space.points(released, readings), space.points(known)
    gaps = Gaps(space, readings, points[:6], own, np.arange(40))
    weights, true = np.array([1.0, 0.5, 2.0]), np.arange(6)
    found = gaps.hard_pairs(true, weights)
    for i in range(6):
        apart = np.array([[gaps.between(j, points[i, j], own[r, j]) for j in range(3)] for r in range(40)])
        wrong = sorted(r for r in range(40) if r != i)
        nearest = sorted(float(weights @ apart[r]) for r in wrong)[:8]
        rows = found[8 * i : 8 * i + 8]
        assert sorted(rows @ weights + weights @ apart[i]) == pytest.approx(nearest)
        assert all(any(np.allclose(row, apart[r] - apart[i]) for r in wrong) for row in rows)
