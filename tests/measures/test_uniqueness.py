import math

import numpy as np
import pytest
from measure_tables import keys, with_weights

from sfumato.measures import KAnonymity, Uniqueness

KEYS = dict.fromkeys("abcd", ("nominal", "01"))
RECORDS = np.array(
    [
        [0, 0, 0, 0],
        [0, 1, 0, 1],
        [0, 1, 0, 1],
        [1, 0, 1, 0],
        [1, 0, 1, 0],
        [0, 1, 0, -1],
        [1, -1, 1, 0],
        [1, 1, 1, 0],
    ]
)
WEIGHTS = [10, 20, 30, 5, 40, 60, 15, 20]


def toy():
    return with_weights(keys(KEYS, dict(zip("abcd", RECORDS.T, strict=True))), WEIGHTS)


def test_frequencies_with_missing_as_a_category():
    f, F = Uniqueness(weighted=True).bind(toy()).frequencies(toy())
    assert f.tolist() == [1, 2, 2, 2, 2, 1, 1, 1]
    assert F.tolist() == [10, 50, 50, 45, 45, 60, 15, 20]


def test_frequencies_with_missing_as_any_value():
    f, F = Uniqueness(weighted=True, missing="any").bind(toy()).frequencies(toy())
    # 2, 3 and 6 match each other; 7 matches 4, 5 and 8, which do not match one another
    assert f.tolist() == [1, 3, 3, 3, 3, 3, 4, 2]
    assert F.tolist() == [10, 110, 110, 60, 60, 110, 80, 35]


def test_risks_by_hand():
    bound = Uniqueness(weighted=True).bind(toy())
    alone = [p / (1 - p) * math.log(1 / p) for p in (1 / 10, 1 / 60, 1 / 15, 1 / 20)]
    odds = [p / (1 - p) for p in (2 / 50, 2 / 45)]
    twos = [o - o * o * math.log(1 + 1 / o) for o in odds]  # Benedetti & Franconi for f = 2
    expected = [alone[0], twos[0], twos[0], twos[1], twos[1], *alone[1:]]
    assert bound.records(toy()) == pytest.approx(expected)
    parts = bound.score(toy()).parts
    assert parts["sample_uniques"] == 50
    assert parts["population_uniques"] == pytest.approx(100 * (1 / 10 + 1 / 60 + 1 / 15 + 1 / 20) / 8)
    assert parts["expected"] == pytest.approx(sum(expected))
    assert parts["largest"] == pytest.approx(100 * alone[0])


def test_without_weights_the_file_is_the_population():
    score = Uniqueness().bind(toy()).score(toy())
    assert score.parts["population_uniques"] == score.parts["sample_uniques"] == 50
    assert score.parts["expected"] == 6  # one for each combination
    assert score.parts["sample_uniques"] == KAnonymity().bind(toy()).score(toy()).parts["uniques"]


def test_a_census_has_weights_of_one():
    file = with_weights(toy().select(list("abcd")), np.ones(8))
    weighted, plain = (Uniqueness(weighted=w).bind(file).score(file) for w in (True, False))
    assert weighted.value == pytest.approx(plain.value)


def test_larger_weights_mean_less_risk():
    file = toy()
    heavier = file.replace({"weight": file["weight"] * 3})
    light, heavy = (Uniqueness(weighted=True).bind(t).score(t).value for t in (file, heavier))
    assert heavy < light
