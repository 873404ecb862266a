import numpy as np
import pytest
from measure_tables import keys

from sfumato.data import Attribute, Schema, Table
from sfumato.measures import KAnonymity


def test_numbers_and_categories_by_hand():
    file = keys(
        {"x": "numeric", "v": ("nominal", "ab")}, {"x": [1.0, 1.0, 1.0, 1.5, 1.5], "v": [0, 0, 1, 1, 1]}
    )
    score = KAnonymity(k=2).bind(file).score(file)
    assert score.value == 20
    assert score.parts == {"smallest": 1, "uniques": 20, "classes": 3}
    assert KAnonymity(k=1).bind(file).score(file).value == 0
    assert KAnonymity(k=3).bind(file).score(file).value == 100


def test_only_the_masked_file_counts():
    original = keys({"v": ("nominal", "abcd")}, {"v": [0, 1, 2, 3]})
    masked = original.replace({"v": np.array([0, 0, 1, 1])})
    assert KAnonymity(k=2).bind(original).score(masked).value == 0


def test_missing_as_a_category_or_as_any_value():
    file = keys({"v": ("nominal", "ab"), "w": ("nominal", "ab")}, {"v": [0, 0, -1, 1], "w": [0, 1, 1, -1]})
    as_category = KAnonymity(k=2).bind(file).score(file)
    assert (as_category.value, as_category.parts["smallest"]) == (100, 1)
    # a a: alone; a b and ? b match each other; ? b and b ? match each other; b ? matches ? b
    matching = KAnonymity(k=2, missing="any").bind(file).score(file)
    assert matching.value == 25
    assert matching.parts["uniques"] == 25


def test_codes_for_missing_values_are_different_categories():
    x = Attribute(name="x", scale="numeric", role="key", missing=("-8", "-9"))
    columns, reasons = {"x": [np.nan] * 4}, {"x": np.array([0, 0, 1, 2])}
    file = Table(Schema([x]), columns, reasons=reasons)
    found = KAnonymity(k=2).bind(file).score(file)
    assert (found.value, found.parts["classes"]) == (50, 3)
    assert KAnonymity(k=4, missing="any").bind(file).score(file).value == 0


def test_suppressed_records_match_everything():
    file = keys({"x": "numeric"}, {"x": [1.0, 2.0, np.nan, np.nan]})
    assert KAnonymity(k=4, missing="any").bind(file).score(file).value == 50


@pytest.mark.parametrize("missing", ["category", "any"])
def test_many_patterns_of_missing_values(missing):
    rng = np.random.default_rng(1)
    columns = {f"v{j}": rng.integers(-1, 3, 5000) for j in range(6)}
    file = keys(dict.fromkeys(columns, ("nominal", "abc")), columns)
    score = KAnonymity(missing=missing).bind(file).score(file)
    assert 0 <= score.value <= 100
    assert score.seconds < 5
