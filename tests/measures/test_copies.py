"""Copies against their slow twin, at their extremes, and on classic files."""

import naive_outside as naive
import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs
from outside_cases import FILES, in_thirds, inside_and_outside, population

from sfumato.measures import Copies


@settings(max_examples=60, deadline=None)
@given(pair=pairs())
def test_against_the_slow_twin(pair):
    original, released = pair
    released = released if released.schema == original.schema else original
    outside = released.replace({name: np.sort(released[name]) for name in original.names})
    score = Copies().bind(original, outside).score(released)
    shares, above = naive.copies(original, outside, released, original.names)
    assert list(score.parts.values()) == pytest.approx([100 * share for share in shares])
    assert any(score.value == pytest.approx(100 * excess) for excess in above)
    assert score.low <= 100 * max(above)  # the surer kind, which may not be the larger


def test_people_by_hand():
    scales = {"x": "numeric", "v": ("nominal", "ab")}
    original = keys(
        scales, {"x": [1.0, 1.0, 2.0, 5.0], "v": [0, 1, 1, 1]}
    )  # 2 and 5 are single, all four unique
    outside = keys(scales, {"x": [1.0, 7.0, 8.0], "v": [0, 1, 1]})  # the first is like somebody inside
    released = keys(scales, {"x": [1.0, 5.0, 7.0], "v": [0, 0, 1]})
    score = Copies().bind(original, outside).score(released)
    assert score.parts == {"records": 25, "records_outside": 50, "values": 50, "values_outside": 50}
    assert score.value == 0


def test_a_recoded_category_stands_as_often_as_it_is_drawn():
    original = keys({"v": ("nominal", [f"c{i}" for i in range(400)])}, {"v": np.arange(400)})
    outside = original.take(np.arange(1))
    pairs_of = {f"p{i}": (f"c{2 * i}", f"c{2 * i + 1}") for i in range(200)}
    coarse = original.schema["v"].evolve(categories=tuple(pairs_of), covers=pairs_of)
    released = original.replace({"v": np.arange(400) // 2}, [coarse])
    assert Copies().bind(original, outside).score(released).parts["records"] == pytest.approx(75, abs=6)


def test_missing_numbers_are_nobodys_own():
    original = keys({"x": "numeric"}, {"x": [1.0, 1.0, np.nan]})
    outside = original.take(np.arange(2))
    score = Copies().bind(original, outside).score(original)
    assert (score.parts["values"], score.parts["records"]) == (0, 100)


@pytest.mark.parametrize("seed", range(3))
def test_the_original_is_all_copies_and_a_fresh_sample_none(seed):
    original, outside, fresh = in_thirds(population(15_000, seed))
    bound = Copies().bind(original, outside)
    assert bound.score(original).value == bound.score(original).low == 100
    assert bound.score(fresh).value <= 1
    assert bound.score(original.take(np.arange(original.n // 2))).value == pytest.approx(50, abs=2)


@pytest.mark.classic
@pytest.mark.parametrize("classic", FILES)
def test_classic_files(classic):
    values = []
    for fold in range(5):
        inside, outside = inside_and_outside(classic, fold)
        half = np.random.default_rng(fold).permutation(inside.n)
        known, fresh = inside.take(half[::2]), inside.take(half[1::2])
        score = Copies().bind(known, outside).score(fresh)
        assert score.low <= 1
        values.append(score.value)
        assert Copies().bind(inside, outside).score(inside).value == 100
    assert np.median(values) <= 1
