import numpy as np
import pytest
from measure_tables import keys
from scipy.stats import chi2_contingency

from sfumato.measures import ChiSquare

DOMAINS = {"u": ("ordinal", "abc"), "v": ("nominal", "ab")}


def test_against_scipy():
    rng = np.random.default_rng(0)
    u, noise = rng.integers(0, 3, 200), rng.random(200)
    original = keys(DOMAINS, {"u": u, "v": (u > 1) ^ (noise < 0.2)})
    masked = original.replace({"u": np.where(noise > 0.7, rng.permutation(u), u)})

    def statistic(table):
        counts = np.zeros((3, 2))
        np.add.at(counts, (table["u"], table["v"]), 1)
        return chi2_contingency(counts, correction=False).statistic

    expected = 100 * abs(statistic(masked) - statistic(original)) / statistic(original)
    assert ChiSquare().bind(original).score(masked).value == pytest.approx(expected)


def test_attributes_that_were_independent():
    original = keys(DOMAINS, {"u": [0, 0, 1, 1], "v": [0, 1, 0, 1]})
    masked = original.replace({"v": np.array([0, 0, 1, 1])})
    # χ² goes from 0 to 4; one degree of freedom is the unit
    assert ChiSquare().bind(original).score(masked).value == pytest.approx(400)
    assert ChiSquare().bind(original).score(original).value == 0


def test_new_names_change_nothing():
    original = keys(DOMAINS, {"u": [0, 0, 1, 2], "v": [0, 0, 1, 1]})
    turned = original.replace({"v": 1 - original["v"]})
    assert ChiSquare().bind(original).score(turned).value == 0
