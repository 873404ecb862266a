"""Membership against its slow twin, at its extremes, and on classic files."""

import naive_outside as naive
import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs
from outside_cases import FILES, POPULATION, in_thirds, inside_and_outside
from tree_synthesis import tree_synthesis

from sfumato.attacks.insiders import membership_panel, people
from sfumato.core import DataError, ParameterError
from sfumato.masking import Shuffling
from sfumato.measures import Membership
from sfumato.parallel.threads import using_threads


@settings(max_examples=40, deadline=None)
@given(pair=pairs(least=2))
def test_against_the_slow_twin(pair):
    original, released = pair
    released = released.with_schema(original.schema) if released.schema == original.schema else original
    outside = original.replace({name: np.sort(original[name]) for name in original.names})
    parts = Membership().bind(original, outside).score(released).parts
    expected = [*naive.nearness(original, outside, released, original.names)]
    expected += naive.tracing(original, outside, released, original.names)
    assert list(parts.values()) == pytest.approx([100 * area for area in expected], abs=1e-6)


def test_the_original_tells_everybody_and_a_fresh_sample_nobody():
    original, outside, fresh = in_thirds(POPULATION)
    bound = Membership().bind(original, outside)
    itself, other = bound.score(original), bound.score(fresh)
    assert itself.parts["nearness"] == 100
    assert itself.value == pytest.approx(100 - itself.parts["nearness_control"])
    assert other.value <= 3
    assert other.low == 0 < other.high < 8
    assert itself.sample == original.n + outside.n


def test_a_resample_lies_between():
    original, outside, fresh = in_thirds(POPULATION)
    bound = Membership().bind(original, outside)
    resample = original.take(np.random.default_rng(3).integers(0, original.n, original.n))
    assert bound.score(fresh).high < bound.score(resample).value < bound.score(original).low


def test_any_number_of_records_is_judged():
    original, outside, fresh = in_thirds(POPULATION)
    bound = Membership().bind(original, outside)
    assert bound.score(original.take(np.arange(100))).value > 3
    assert bound.score(fresh.take(np.arange(50))).value < 8


def test_only_the_columns_of_the_scenario_are_judged():
    original, outside, fresh = in_thirds(POPULATION)
    changed = fresh.replace({"x": original["x"]})
    only = Membership(attributes=("y", "u")).bind(original, outside)
    assert only.score(changed).value == only.score(fresh).value


def test_samples_find_what_all_people_do(monkeypatch):
    original, outside, _ = in_thirds(POPULATION)
    resample = original.take(np.random.default_rng(3).integers(0, original.n, original.n))
    whole = Membership().bind(original, outside).score(resample)
    monkeypatch.setattr(people, "MOST_PEOPLE", 200)
    monkeypatch.setattr(membership_panel, "MOST_CONTROLS", 150)
    part = Membership().bind(original, outside).score(resample)
    assert part.sample == 400
    assert part.low < whole.value < part.high
    assert part.high - part.low > whole.high - whole.low


def test_threads_and_the_order_of_files_change_no_bit():
    original, outside, fresh = in_thirds(POPULATION)
    turned = np.random.default_rng(0).permutation(original.n)
    found = []
    for threads, rows in ((1, np.arange(original.n)), (2, turned)):
        with using_threads(threads):
            score = Membership().bind(original.take(rows), outside).score(fresh)
            found.append((score.value, score.low, score.high, score.parts))
    assert found[0] == found[1]


def test_what_cannot_be_compared_is_refused():
    original = keys({"x": "numeric"}, {"x": [1.0, 2.0]})
    with pytest.raises(ParameterError, match="one by one"):
        Membership(weighted=True)
    with pytest.raises(DataError, match="people outside has no column x"):
        Membership().bind(original, keys({"y": "numeric"}, {"y": [1.0]}))
    with pytest.raises(DataError, match="numeric in the original and nominal in the file of people outside"):
        Membership().bind(original, keys({"x": ("nominal", "ab")}, {"x": [0]}))


@pytest.mark.slow
@pytest.mark.classic
@pytest.mark.parametrize("classic", FILES)
def test_tree_synthesis_is_told_and_shuffling_is_not(classic):
    trees, shuffled = [], []
    for fold in range(5):
        inside, outside = inside_and_outside(classic, fold)
        rng = np.random.default_rng(fold)
        trees.append(Membership().bind(inside, outside).score(tree_synthesis(inside, rng)).value)
        names = tuple(a.name for a in inside.schema if a.scale != "nominal")
        released = Shuffling(attributes=names).apply(inside, rng)
        shuffled.append(Membership(attributes=names).bind(inside, outside).score(released).value)
    assert np.mean(trees) >= 4
    assert np.mean(shuffled) <= 3
