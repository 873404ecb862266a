import numpy as np
import pytest
from measure_tables import keys

from sfumato.measures import TCloseness


def test_the_salaries_of_the_source():
    # Li et al. (2007), §4.2: incomes 3k … 11k; {3, 4, 5} is 0.375 from the whole, {6, 8, 11} is 0.167
    classes = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    file = keys(
        {"class": ("nominal", "abc"), "income": "numeric"},
        {"class": classes, "income": [3.0, 4, 5, 6, 8, 11, 7, 9, 10]},
    )
    score = TCloseness(t=0.2, sensitive=("income",)).bind(file).score(file)
    assert score.parts["largest"] == pytest.approx(37.5)
    one = TCloseness(t=0.16, sensitive=("income",)).bind(file).score(file)
    assert score.value == pytest.approx(100 * 6 / 9)  # {7, 9, 10} is 0.208 away
    assert one.value == 100


def test_nominal_values_are_all_equally_far():
    file = keys(
        {"town": ("nominal", "ab"), "v": ("nominal", "xyz")}, {"town": [0, 0, 1, 1], "v": [0, 0, 1, 2]}
    )
    parts = TCloseness(sensitive=("v",)).bind(file).score(file).parts
    assert parts["largest"] == 50  # half of x, against all


def test_one_class_is_the_whole_file():
    file = keys({"town": ("nominal", "a"), "x": "numeric"}, {"town": [0, 0, 0], "x": [1.0, np.nan, 5.0]})
    score = TCloseness(t=0.0, sensitive=("x",)).bind(file).score(file)
    assert score.value == 0
    assert score.parts["largest"] == pytest.approx(0)


def test_ordinal_distance_counts_categories_that_nobody_has():
    file = keys({"town": ("nominal", "ab"), "u": ("ordinal", "abcde")}, {"town": [0, 1], "u": [0, 1]})
    # all of a class lie one half of one of four steps away
    assert TCloseness(sensitive=("u",)).bind(file).score(file).parts["largest"] == pytest.approx(12.5)
