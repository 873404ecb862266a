import numpy as np
import pytest
from measure_tables import keys

from sfumato.core import DataError
from sfumato.measures import Bivariate

DOMAINS = {"u": ("ordinal", "abc"), "v": ("nominal", "ab"), "w": ("nominal", "ab")}


def people():
    return keys(DOMAINS, {"u": [0, 1, 2, 2], "v": [0, 0, 1, 1], "w": [0, 1, 0, 1]})


def test_pairs_by_hand():
    masked = people().replace({"u": np.array([1, 1, 2, 2])})
    score = Bivariate().bind(people()).score(masked)
    assert score.parts == {"u × v": 25.0, "u × w": 25.0, "v × w": 0.0}
    assert score.value == pytest.approx(50 / 3)


def test_crossed_with_a_column_that_is_not_protected():
    masked = people().replace({"u": np.array([1, 1, 2, 2])})
    score = Bivariate(attributes=("u",), crossed=("w",)).bind(people()).score(masked)
    assert score.parts == {"u × w": 25.0}
    tracker = Bivariate(attributes=("u",), crossed=("w",)).bind(people()).track(masked)
    assert tracker.value == score.value


def test_bad_columns_to_cross_with():
    file = keys({**DOMAINS, "x": "numeric"}, {n: people()[n] for n in DOMAINS} | {"x": [1.0, 2, 3, 4]})
    with pytest.raises(DataError, match="column x is numeric"):
        Bivariate(crossed=("x",)).bind(file)
    bound = Bivariate(attributes=("u",), crossed=("w",)).bind(file)
    with pytest.raises(DataError, match="no column w"):
        bound.score(file.select(["u", "v", "x"]))


def test_a_single_attribute_has_no_pair():
    score = Bivariate(attributes=("u",)).bind(people()).score(people())
    assert (score.value, score.parts) == (0, {})
