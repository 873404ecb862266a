import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs

from sfumato.measures import Ebil


def test_two_attributes_by_hand():
    original = keys(
        {"v": ("nominal", "abcd"), "w": ("nominal", "ab")}, {"v": [0, 1, 2, 3], "w": [0, 0, 1, 1]}
    )
    masked = original.replace({"v": np.array([0, 0, 1, 1])})
    score = Ebil().bind(original).score(masked)
    assert score.parts == {"v": 50.0, "w": 0.0}
    assert score.value == pytest.approx(100 * 4 / (4 * 2 + 4 * 1))


def test_new_names_lose_nothing():
    original = keys({"v": ("nominal", "ab")}, {"v": [0, 1, 1]})
    renamed = original.replace({}, [original.schema["v"].evolve(categories=("A", "B"))])
    assert Ebil().bind(original).score(renamed).value == 0


def test_all_in_one_of_equally_frequent_categories_loses_everything():
    original = keys({"v": ("nominal", "abc")}, {"v": [0, 1, 2] * 4})
    assert Ebil().bind(original).score(original.replace({"v": np.zeros(12, int)})).value == pytest.approx(100)


def test_a_domain_of_one_category_adds_nothing():
    original = keys({"v": ("nominal", "a"), "w": ("nominal", "ab")}, {"v": [0, 0], "w": [0, 1]})
    score = Ebil().bind(original).score(original.replace({"w": np.array([0, 0])}))
    assert score.parts["v"] == 0
    assert score.value == 100


@settings(max_examples=100, deadline=None)
@given(pairs(("ordinal", "nominal")))
def test_merging_masked_categories_never_lowers_it(pair):
    original, masked = pair
    bound = Ebil().bind(original)
    merged = masked.replace({n: np.where(masked[n] == 1, 0, masked[n]) for n in masked.names})
    assert bound.score(merged).value >= bound.score(masked).value - 1e-9
