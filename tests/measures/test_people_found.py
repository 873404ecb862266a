import time

import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs, with_weights

from sfumato import datasets
from sfumato.masking import Generalisation, LocalSuppression, Mondrian, Pram, RankSwapping
from sfumato.measures import Change, DistanceLinkage, Estimate, PeopleFound
from sfumato.parallel.threads import using_threads


def firms(n, d=4, seed=0):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    columns = {f"x{j}": (0.6 * size + 0.8 * rng.normal(size=n)).round(2) for j in range(d)}
    return keys(dict.fromkeys(columns, "numeric"), columns)


def noisy(table, spread=0.5, seed=1):
    rng = np.random.default_rng(seed)
    return table.replace({name: table[name] + spread * rng.normal(size=table.n) for name in table.names})


def test_the_verdict_has_its_interval_and_its_attackers():
    original = firms(200)
    score = PeopleFound().bind(original).score(noisy(original))
    assert isinstance(score, Estimate)
    assert score.sample == 200
    assert score.low < score.value < score.high
    assert {"nearest", "compatible", "boosted", "guess", "best_known", "best_released"} <= set(score.parts)
    assert score.parts["guess"] < score.low
    attackers = {
        name: v for name, v in score.parts.items() if name not in ("guess", "best_known", "best_released")
    }
    assert score.value <= max(attackers.values()) + 1e-9


@settings(max_examples=40, deadline=None)
@given(pair=pairs())
def test_the_form_for_searches_is_the_larger_of_two_linkages(pair):
    original, masked = pair
    rates = [
        DistanceLinkage(direction=direction).bind(original).score(masked).value
        for direction in ("known", "released")
    ]
    score = PeopleFound(panel="nearest").bind(original).score(masked)
    assert list(score.parts.values()) == pytest.approx(rates)
    assert score.value == pytest.approx(max(rates))


def test_nobody_is_in_an_empty_file():
    score = PeopleFound().bind(firms(0)).score(firms(0))
    assert (score.value, score.low, score.high, score.sample) == (0, 0, 0, 0)


@pytest.mark.parametrize("panel", ["full", "nearest"])
def test_weights_count_people(panel):
    original = firms(40)
    masked = original.replace(
        {name: np.where(np.arange(40) < 20, original[name], 0.0) for name in original.names}
    )
    weights = np.where(np.arange(40) < 20, 9.0, 1.0)
    plain = PeopleFound(panel=panel).bind(original).score(masked)
    weighted = PeopleFound(panel=panel, weighted=True).bind(with_weights(original, weights))
    found = weighted.score(with_weights(masked, weights))
    assert plain.value == pytest.approx(50, abs=6)
    assert found.value == pytest.approx(90, abs=4)
    assert found.high - found.low > 5  # of fewer people than there are records


def test_threads_change_no_bit_of_the_verdict():
    original = firms(260)
    found = []
    for count in (1, 3):
        with using_threads(count):
            score = PeopleFound().bind(original).score(noisy(original))
            found.append((score.value, score.parts))
    assert found[0] == found[1]


def cpu(function, times):
    start = time.process_time()
    for _ in range(times):
        function()
    return (time.process_time() - start) / times


@pytest.mark.slow
@pytest.mark.classic("census")
def test_a_step_of_a_search_takes_a_two_hundredth_of_a_full_evaluation():
    census = datasets.census()
    masked = RankSwapping(p=20).apply(census, np.random.default_rng(1))
    bound = PeopleFound(panel="nearest").bind(census)
    tracker, rng = bound.track(masked), np.random.default_rng(0)

    def step():
        name = bound.names[rng.integers(len(bound.names))]
        tracker.try_(Change.cell(int(rng.integers(census.n)), name, float(rng.choice(census[name]))))

    step()
    with using_threads(1):
        assert cpu(step, 500) <= cpu(lambda: bound.score(masked), 5) / 200


@pytest.mark.slow
def test_five_thousand_records_take_half_of_the_verdicts_time():
    original = firms(5000, 9)
    masked = noisy(original, 0.3)
    few = np.arange(700)  # enough for all kernels to be compiled
    PeopleFound().bind(original.take(few)).score(masked.take(few))
    assert cpu(lambda: PeopleFound().bind(original).score(masked), 1) <= 15


def certain_one_by_one(original, masked):
    """The slow and obvious count: blanks and merged categories agree with what they may hide."""

    def agree(person, record):
        for name in original.names:
            known, shown = original[name][person], masked[name][record]
            if original.schema[name].is_numeric:
                if not (np.isnan(known) or np.isnan(shown) or known == shown):
                    return False
            elif known >= 0 and shown >= 0:
                label = masked.schema[name].categories[shown]
                meant = masked.schema[name].covers.get(label, (label,))
                if original.schema[name].categories[known] not in meant:
                    return False
        return True

    n = original.n
    return [[r for r in range(n) if agree(p, r)] == [p] for p in range(n)]


@pytest.mark.parametrize(
    "masking", [LocalSuppression(k=2), Generalisation(k=2, suppress=10), Mondrian(k=2), Pram()]
)
def test_certain_are_those_with_whom_one_record_agrees(masking):
    rng = np.random.default_rng(5)
    domains = {"a": "xyz", "b": "stuv", "c": "klmno"}
    columns = {name: rng.integers(0, len(domain), 60) for name, domain in domains.items()}
    original = keys({name: ("nominal", domain) for name, domain in domains.items()}, columns)
    masked = masking.apply(original, np.random.default_rng(1))
    score = PeopleFound().bind(original).score(masked)
    assert score.parts["certain"] == pytest.approx(100 * np.mean(certain_one_by_one(original, masked)))


def test_of_a_k_anonymous_file_nobody_is_certain():
    original = datasets.household_survey(120, seed=2)
    masked = Mondrian(k=3).apply(original, np.random.default_rng(1))
    assert PeopleFound().bind(original).score(original).parts["certain"] > 50
    assert PeopleFound().bind(original).score(masked).parts["certain"] == 0
