"""What is learned, against slow twins, at its extremes, and on classic files."""

import naive_outside as naive
import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs
from outside_cases import FILES, POPULATION, in_thirds, inside_and_outside, population

from sfumato.attacks.insiders import inference, learned_panel
from sfumato.attacks.insiders.learned_panel import Learned as Found
from sfumato.attacks.insiders.learned_panel import LearnedPanel, Sides, better_attacker
from sfumato.attacks.insiders.nearness import NearnessSpace
from sfumato.attacks.insiders.targets import Target
from sfumato.core import DataError
from sfumato.data import Attribute, Schema
from sfumato.measures import Learned
from sfumato.parallel.threads import using_threads


@settings(max_examples=40, deadline=None)
@given(pair=pairs(least=1))
def test_nearest_records_against_the_slow_twin(pair):
    file, names = pair[0], pair[0].names
    people = file.replace({name: np.sort(file[name]) for name in names})
    targets = [Target(file, name) for name in names]
    guesses = inference.by_nearest(NearnessSpace(file, names), file, targets, people)
    records = naive.rows_of(file, names)
    for j, (target, guess) in enumerate(zip(targets, guesses, strict=True)):
        others = [name for name in names if name != target.name]
        kept = [k for k in range(len(names)) if k != j]
        standings = target.standings(file)
        for person, found in zip(naive.rows_of(people, names), guess, strict=True):
            a = [person[k] for k in kept]
            apart = [naive.gower(file, others, a, [row[k] for k in kept]) for row in records]
            near = [i for i, d in enumerate(apart) if d <= min(apart) + 1e-9]
            told = [s for s in standings[near[:5]] if not np.isnan(s)]
            if not told:
                assert np.isnan(found)
            elif target.is_numeric:
                assert found == sorted(told)[(len(told) - 1) // 2]
            else:
                assert told.count(found) == max(map(told.count, told))


def test_right_guesses_and_their_weights_by_hand():
    table = keys({"x": "numeric", "v": ("nominal", "abc")}, {"x": np.arange(100.0), "v": [0] * 64 + [1] * 36})
    number, category = Target(table, "x"), Target(table, "v")
    truths = number.standings(table)[[50, 50, 50, 50]]
    assert number.right(truths + np.array([0, 0.049, -0.051, np.nan]), truths).tolist() == [1, 1, 0, 0]
    assert number.chances(np.array([0.5])) == pytest.approx(0.1, abs=0.011)
    assert category.right(np.array([0.0, 1, 1]), np.array([0.0, 0, np.nan]))[:2].tolist() == [1, 0]
    assert category.weights(np.array([0.0, 1, np.nan])).tolist() == pytest.approx([1 / 0.8, 1 / 0.6, 0])


def test_the_difference_by_hand():
    original, outside, fresh = in_thirds(POPULATION)
    panel = LearnedPanel(original, outside, ("x", "y", "u", "v"), ("ill",))
    for found in panel.learned(fresh)["ill"].values():
        by_side = []
        for release, control, weights in zip(*found, strict=True):
            counted = weights > 0
            by_side.append(np.average((release - control)[counted], weights=weights[counted]))
        assert found.above == pytest.approx(by_side[0] - by_side[1])


def test_nobody_is_judged_by_an_attacker_chosen_on_her():
    rng = np.random.default_rng(0)
    ones = Sides(np.ones(2000), np.ones(2000))
    found = []
    for _ in range(20):  # two attackers who know nothing: the better of them is still no better than chance
        guessers = {
            name: learned_panel.Learned(
                Sides(*rng.integers(0, 2, (2, 2000)) * 1.0), Sides(*rng.integers(0, 2, (2, 2000)) * 1.0), ones
            )
            for name in ("one", "other")
        }
        found.append(better_attacker(guessers).above)
    assert abs(np.mean(found)) < 0.012


def test_halves_are_every_second_person_on_each_side():
    whole = Found(*(Sides(np.arange(first, first + 5), np.arange(3)) for first in (0, 10, 20)))
    even, odd = whole.of(0), whole.of(1)
    assert [sides.inside.tolist() for sides in even] == [[0, 2, 4], [10, 12, 14], [20, 22, 24]]
    assert [sides.inside.tolist() for sides in odd] == [[1, 3], [11, 13], [21, 23]]
    assert even.release.outside.tolist() == [0, 2] and odd.weights.outside.tolist() == [1]


def test_the_original_discloses_what_a_fresh_sample_does_not():
    original, outside, fresh = in_thirds(population(6000))
    bound = Learned().bind(original, outside)
    itself, other = bound.score(original), bound.score(fresh)
    assert list(itself.parts) == ["ill", "mean"]
    assert itself.value > 20
    assert itself.low > 10
    assert other.value < 3
    assert other.low == 0


def test_the_mean_of_all_columns_where_none_is_confidential():
    original, outside, fresh = in_thirds(population(6000))
    names = ("x", "y", "u", "v")
    bound = Learned().bind(original.select(names), outside.select(names))
    itself = bound.score(original.select(names))
    assert set(itself.parts) == {*names, "mean"}
    assert itself.value == itself.parts["mean"] == pytest.approx(np.mean([itself.parts[n] for n in names]))
    assert itself.value > 40
    assert bound.score(fresh.select(names)).value < 3


def test_a_rare_category_counts():
    """Of 2 in 100 who are ill, all are told to whoever knows them: people alone would make it 2 points."""
    rng = np.random.default_rng(0)
    scales = {"x": "numeric", "y": "numeric", "ill": ("nominal", ("no", "yes"))}

    def sample():
        columns = {"x": rng.normal(size=2000), "y": rng.normal(size=2000), "ill": rng.random(2000) < 0.02}
        table = keys(scales, columns | {"ill": columns["ill"].astype(int)})
        return table.with_schema(
            Schema([a if a.name != "ill" else a.evolve(role="confidential") for a in table.schema])
        )

    original, outside = sample(), sample()
    assert Learned().bind(original, outside).score(original).value > 8


def test_named_columns_and_what_the_intruder_knows():
    original, outside, _ = in_thirds(POPULATION)
    bound = Learned(attributes=("x",), knows=("y", "u")).bind(original, outside)
    assert set(bound.needed_columns) == {"x", "y", "u"}
    changed = original.replace({"v": np.zeros(original.n, int), "ill": np.zeros(original.n, int)})
    assert bound.score(changed).parts == bound.score(original).parts
    with pytest.raises(DataError, match="no attribute is a key"):
        plain = Schema([Attribute(name="x", scale="numeric")])
        Learned().bind(original.select(["x"]).with_schema(plain), outside)


def test_recoded_and_missing_targets():
    original, outside, _ = in_thirds(POPULATION)
    coarse = original.schema["u"].evolve(
        categories=("abc", "de"), covers={"abc": ("a", "b", "c"), "de": ("d", "e")}
    )
    recoded = original.replace({"u": np.where(original["u"] > 2, 1, 0)}, [coarse])
    bound = Learned(attributes=("u",)).bind(original, outside)
    assert bound.score(recoded).value < bound.score(original).value
    gone = original.replace({"u": np.full(original.n, -1)})
    assert bound.score(gone).high < 10


def test_threads_and_the_order_of_files_change_no_bit():
    original, outside, fresh = in_thirds(POPULATION)
    turned = np.random.default_rng(0).permutation(original.n)
    found = []
    for threads, rows in ((1, np.arange(original.n)), (2, turned)):
        with using_threads(threads):
            score = Learned().bind(original.take(rows), outside).score(fresh)
            found.append((score.value, score.low, score.high, score.parts))
    assert found[0] == found[1]


def test_samples_of_records_and_people(monkeypatch):
    original, outside, fresh = in_thirds(population(6000))
    whole = Learned().bind(original, outside).score(original)
    monkeypatch.setattr(learned_panel, "MOST_PEOPLE", 300)
    part = Learned().bind(original, outside).score(original)
    assert part.sample == 600
    assert part.low < whole.value < part.high
    monkeypatch.setattr(learned_panel, "MOST_CONTROLS", 500)
    assert Learned().bind(original, outside).score(fresh).low == 0


@pytest.mark.slow
@pytest.mark.classic
@pytest.mark.parametrize("classic", FILES)
def test_a_fresh_sample_of_a_classic_file_teaches_nothing_about_anybody(classic):
    values, originals = [], []
    for fold in range(5):
        inside, outside = inside_and_outside(classic, fold)
        half = np.random.default_rng(fold).permutation(inside.n)
        known, fresh = inside.take(half[::2]), inside.take(half[1::2])
        bound = Learned(knows=inside.names).bind(known, outside)
        values.append(bound.finding(fresh).difference)
        originals.append(bound.score(known).value)
    assert abs(np.mean(values)) <= 3.5  # the standard error of the mean of five cuts of some hundred people
    assert np.mean(originals) > 10


def test_several_releases_are_judged_by_the_column_that_is_worst_on_average():
    table = POPULATION.with_schema(POPULATION.schema.with_roles({"v": "confidential", "u": "confidential"}))
    bounds = [
        Learned().bind(*in_thirds(table.take(np.random.default_rng(i).permutation(table.n)))[:2])
        for i in (0, 1, 2)
    ]
    scores = [bound.score(bound.original) for bound in bounds]
    found = bounds[0].pooled(scores)
    worst = max(np.mean([score.parts[name] for score in scores]) for name in ("u", "v", "ill"))
    assert found.value == pytest.approx(worst)
    assert found.low <= found.value <= found.high
    margin = np.mean([score.high - score.value for score in scores])  # all above 0, and none beyond 100
    assert found.high == pytest.approx(found.value + margin)
    assert bounds[0].pooled(scores[:1]) is scores[0]
