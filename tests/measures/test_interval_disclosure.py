import numpy as np
import pytest
from measure_tables import keys

from sfumato.measures import IntervalDisclosure


def test_numbers_by_hand():
    original = keys({"x": "numeric"}, {"x": np.arange(20.0)})
    # one rank is 5 % of 20 records: inside for p = 5 … 10; two ranks are 10 %; three are never inside
    for shift, share in ((0, 1.0), (1, 0.6), (2, 0.1), (3, 0.0)):
        masked = original.replace({"x": (original["x"] + shift) % 20})
        score = IntervalDisclosure().bind(original).score(masked)
        assert score.value == pytest.approx(100 * share * (20 - shift) / 20)


def test_tied_values_share_their_rank():
    original = keys({"x": "numeric"}, {"x": [1.0, 1.0, 1.0, 9.0]})
    assert IntervalDisclosure().bind(original).score(original).value == 100


def test_ordinal_categories_lie_in_the_middle_of_their_records():
    codes = np.repeat([0, 1, 2], [90, 2, 8])  # middles at 45, 91 and 96
    original = keys({"v": ("ordinal", "abc")}, {"v": codes})
    masked = original.replace({"v": np.where(codes == 1, 2, codes)})
    assert IntervalDisclosure().bind(original).score(masked).value == pytest.approx(98 + 2 * 0.6)


def test_sets_disclose_their_share():
    original = keys({"v": ("nominal", "abcd")}, {"v": [0, 1, 2, 3]})
    wide = original.schema["v"].evolve(categories=("ab", "d", "?"), covers={"ab": ("a", "b")})
    masked = original.replace({"v": np.array([0, 0, 2, 1])}, [wide])
    assert IntervalDisclosure().bind(original).score(masked).value == 100 * (0.5 + 0.5 + 0.25 + 1) / 4


def test_missing_values():
    original = keys({"x": "numeric"}, {"x": [1.0, np.nan, np.nan, 4.0]})
    masked = original.replace({"x": [1.0, np.nan, 2.0, np.nan]})
    assert IntervalDisclosure().bind(original).score(masked).value == pytest.approx(100 / 3)


def test_a_narrower_interval_discloses_less():
    original = keys({"x": "numeric"}, {"x": np.arange(100.0)})
    masked = original.replace({"x": original["x"][::-1] * 0.05 + original["x"] * 0.95})
    values = [IntervalDisclosure(percent=p).bind(original).score(masked).value for p in (1, 2, 5, 10)]
    assert values == sorted(values)
    assert values[0] < values[-1]
