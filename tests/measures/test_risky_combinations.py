from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_tables import keys, pairs, with_weights
from survey_tables import guide
from test_suda2 import alike

from sfumato.measures import KAnonymity, RiskyCombinations


def rare(table, names, k, missing):
    """Which records are like fewer than k in some columns, one pair after the other."""
    rows = range(table.n)
    return np.array([sum(alike(table, names, i, j, missing) or i == j for j in rows) < k for i in rows])


@pytest.mark.parametrize("missing", ["category", "any"])
def test_against_enumeration(missing):
    @settings(max_examples=60, deadline=None)
    @given(pairs(), st.integers(2, 4), st.integers(1, 3))
    def check(pair, k, dimension):
        original, masked = pair
        names = original.names
        sets = [s for m in range(1, min(dimension, len(names)) + 1) for s in combinations(names, m)]
        risky = np.any([rare(masked, some, k, missing) for some in sets], axis=0)
        score = RiskyCombinations(k=k, dimension=dimension, missing=missing).bind(original).score(masked)
        assert score.value == pytest.approx(100 * risky.mean())

    check()


def test_all_keys_together_are_k_anonymity():
    file = guide()
    whole = RiskyCombinations(k=3, dimension=4).bind(file).score(file).value
    assert whole == KAnonymity(k=3).bind(file).score(file).value


def test_parts_say_which_keys():
    file = keys(
        {"u": ("nominal", "ab"), "v": ("nominal", "ab")}, {"u": [0, 0, 0, 1, 1, 1], "v": [0, 0, 1, 1, 1, 1]}
    )
    score = RiskyCombinations(k=2).bind(file).score(file)
    assert score.parts == pytest.approx({"u": 100 / 6, "v": 100 / 6, "u × v": 100 / 6})


def test_weights_count_records():
    file = keys({"u": ("nominal", "ab")}, {"u": [0, 0, 0, 1]})
    weighted = with_weights(file, [1, 1, 1, 7])
    assert RiskyCombinations(weighted=True).bind(weighted).score(weighted).value == pytest.approx(70)
    assert RiskyCombinations().bind(weighted).score(weighted).value == 25
