import numpy as np
import pytest
from measure_tables import keys

from sfumato.measures import LogLikelihood


def test_by_hand():
    original = keys({"v": ("nominal", "abcd")}, {"v": [0, 0, 0, 0, 1, 1]})
    masked = original.replace({"v": np.array([0, 0, 0, 1, 2, 2])})
    bound = LogLikelihood().bind(original)
    kept, moved = -np.log2(3 / 4), -np.log2(1 / 4)
    assert bound.records(masked)[:, 0] == pytest.approx([kept, kept, kept, moved, 0, 0])
    assert bound.score(masked).value == pytest.approx(100 * (3 * kept + moved) / (6 * 2))


def test_what_is_certain_loses_nothing():
    original = keys({"v": ("nominal", "abc")}, {"v": [0, 1, 1, 2]})
    turned = original.replace({"v": np.array([1, 2, 2, 0])})
    merged = original.replace({"v": np.array([0, 0, 0, 0])})
    bound = LogLikelihood().bind(original)
    assert bound.score(turned).value == bound.score(merged).value == 0


def test_values_that_become_missing_may_pass_100():
    original = keys({"v": ("nominal", "ab")}, {"v": [0, 0, 0]})
    masked = original.replace({"v": np.array([0, 1, -1])})
    assert LogLikelihood().bind(original).score(masked).value == pytest.approx(100 * np.log2(3))
