import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.groups.adequacy import Adequacy, adequacy, log_bayes_factor
from sfumato.groups.outliers import Outliers

COUNTS = st.integers(0, 30)


def judged(tp, fp, fn, tn):
    places = tuple(f"p{number}" for number in range(tp + fp + fn + tn))
    return Adequacy(
        places=places, true=(*range(tp), *range(tp + fp, tp + fp + fn)), found=tuple(range(tp + fp))
    )


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_bayes_factor_in_exact_fractions(tp, fp, fn, tn):
    m1, m2 = tp + fn, fp + tn
    dependent = Fraction(1, (m1 + 1) * (m2 + 1))
    independent = Fraction(math.comb(m1, tp) * math.comb(m2, fp), math.comb(m1 + m2, tp + fp) * (m1 + m2 + 1))
    assert log_bayes_factor(tp, fp, fn, tn) == pytest.approx(math.log(dependent / independent), abs=1e-9)


def test_published_totals():
    """Tables 6 and 7: 98 outliers of which 38 undisclosed, 4 false; 81, 39 and 8. The number of areas of the
    states in the tables is lost; with the 1238 of the whole country both tests are decisive, and the figures
    of the later year are lower, as the source says."""
    census = judged(60, 4, 38, 1238 - 102)
    survey = judged(42, 8, 39, 1238 - 89)
    assert len(census.true) == 98 and len(census.undisclosed) == 38 and len(census.false) == 4
    assert len(census.found) == 64 and len(survey.found) == 50
    assert census.reading == survey.reading == "decisive"
    assert survey.youden < census.youden and survey.ln_b < census.ln_b


def test_a_table_by_hand():
    found = judged(3, 1, 1, 15)
    assert found.confusion == (3, 1, 1, 15)
    assert found.accuracy == 18 / 20
    assert found.youden == pytest.approx(3 / 4 + 15 / 16 - 1)
    assert found.disclosed == ("p0", "p1", "p2") and found.false == ("p3",) and found.undisclosed == ("p4",)
    # (1 / 85) / (4 * 16 / (4845 * 21))
    assert found.ln_b == pytest.approx(math.log(4845 * 21 / (85 * 64)))
    assert found.reading == "positive" and found.is_adequate
    assert found.to_dict()["false"] == ["p3"]


@pytest.mark.parametrize(
    ("table", "reading"),
    [
        ((0, 0, 8, 92), "negative"),
        ((1, 2, 2, 50), "bare mention"),
        ((2, 0, 0, 2), "positive"),
        ((2, 1, 1, 60), "strong"),
        ((8, 0, 0, 92), "decisive"),
    ],
)
def test_readings(table, reading):
    found = judged(*table)
    assert found.reading == reading, found.ln_b
    assert found.is_adequate == (reading in ("positive", "strong", "decisive"))


def test_a_model_that_is_always_wrong_is_not_adequate():
    found = judged(0, 40, 40, 0)
    assert found.ln_b > 5 and not found.is_adequate


def test_without_true_outliers_youden_is_not_defined():
    found = judged(0, 2, 0, 20)
    assert math.isnan(found.youden) and found.to_dict()["youden"] is None
    assert not found.is_adequate


def test_struck_outliers_do_not_count():
    places = tuple("abcd")
    true = Outliers(places=places, found=(1, 2), struck=(2,), alpha=0.05)
    seen = Outliers(places=places, found=(1, 2, 3), struck=(2,), alpha=0.05)
    assert adequacy(true, seen).confusion == (1, 1, 0, 2)
    assert np.array_equal(true.flags, [False, True, False, False])
    with pytest.raises(DataError, match="over the same places"):
        adequacy(true, Outliers(places=("a",), found=(), struck=(), alpha=0.05))
