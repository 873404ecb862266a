"""What holds for every measure, found by its name: a new file is tested without a change here."""

import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from measure_tables import keys, pairs

from sfumato.core import DataError, UnknownNameError, parameters, registry
from sfumato.measures import Estimate, Measure

DOMAINS = {"x": "numeric", "y": "numeric", "u": ("ordinal", "abcd"), "v": ("nominal", "abc")}
quick = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=registry.names("measures"))
def measure(request):
    return registry.make("measures", request.param)


def people(n=12, seed=0):
    rng = np.random.default_rng(seed)
    columns = {"x": rng.normal(size=n), "y": rng.integers(0, 5, n) * 1.0}
    columns |= {"u": rng.integers(0, 4, n), "v": rng.integers(0, 3, n)}
    return keys(DOMAINS, columns)


def fitting(measure, original):
    return measure.fitting(original) != ()


def bound(measure, original):
    """The measure bound, beside people outside where it needs them: with the same values, each by itself in order."""
    if measure.outside != "needed":
        return measure.bind(original)
    in_order = {name: np.sort(original[name]) for name in original.names}
    return measure.bind(original, original.replace(in_order) if original.n else people(seed=9))


def check_score(measure, original, masked):
    score = bound(measure, original).score(masked)
    values = [score.value, *score.parts.values()]
    assert all(type(value) is float and np.isfinite(value) for value in values)
    assert score.value >= -1e-9
    if measure.bounded:
        assert score.value <= 100 + 1e-9
    return score


@pytest.mark.parametrize("name", registry.names("measures"))
def test_every_choice_of_every_parameter_makes_a_measure_that_travels(name):
    kind = registry.load("measures", name)
    for parameter in parameters(kind).values():
        for choice in parameter.choices:
            measure = kind(**{parameter.name: choice})
            assert registry.make("measures", measure.spec()) == measure
            check_score(measure, people(), people(seed=1))


def test_documentation(measure):
    kind = type(measure)
    assert issubclass(kind, Measure)
    assert kind.sense in ("loss", "risk", "score")
    assert registry.summary("measures", measure.name).endswith(".")
    assert ">>>" in kind.__doc__
    assert "Source:" in kind.__doc__
    assert "issing" in kind.__doc__


def test_what_is_joinable_is_made_of_statistics(measure):
    kind = type(measure)
    made_of_statistics = kind.statistics is not Measure.statistics and kind.value is not Measure.value
    assert measure.joinable == made_of_statistics


def test_spec_and_pickles(measure):
    assert registry.make("measures", measure.spec()) == measure
    assert pickle.loads(pickle.dumps(measure)) == measure
    original, masked = people(), people(seed=1)
    known = bound(measure, original)
    copy = pickle.loads(pickle.dumps(known))
    assert copy.score(masked).value == known.score(masked).value


def test_scores_become_frames(measure):
    score = bound(measure, people()).score(people(seed=1))
    assert score.to_dict()["measure"] == measure.name
    of_sample = 3 if isinstance(score, Estimate) else 0  # its interval, and the size of the sample
    assert score.to_frame().num_rows == 1 + of_sample + len(score.parts)


@quick
@given(pair=pairs())
def test_random_tables(measure, pair):
    original, masked = pair
    if fitting(measure, original):
        before = original.fingerprint, masked.fingerprint
        score = check_score(measure, original, masked)
        assert bound(measure, original).score(masked).value == score.value
        assert (original.fingerprint, masked.fingerprint) == before


@quick
@given(pair=pairs())
def test_the_order_of_records_does_not_matter(measure, pair):
    original, masked = pair
    if fitting(measure, original):
        rows = np.random.default_rng(1).permutation(original.n)
        turned = bound(measure, original.take(rows)).score(masked.take(rows)).value
        assert turned == pytest.approx(bound(measure, original).score(masked).value, abs=1e-9)


@quick
@given(pair=pairs())
def test_the_file_itself_has_no_loss(measure, pair):
    if measure.sense == "loss" and fitting(measure, pair[0]):
        assert bound(measure, pair[0]).score(pair[0]).value == 0


def test_the_file_itself_is_at_greatest_risk(measure):
    known = bound(measure, people())
    if measure.sense == "risk":
        assert known.score(people()).value >= known.score(people(seed=1)).value


@pytest.mark.parametrize("n", [0, 1])
def test_few_records(measure, n):
    original = people(n)
    score = check_score(measure, original, original)
    if n == 0:
        assert (score.value, score.parts) == (0, {})


def test_constant_and_missing_columns(measure):
    gone = {"x": np.full(6, np.nan), "y": np.full(6, np.nan), "u": np.full(6, -1), "v": np.full(6, -1)}
    flat = {"x": np.full(6, 0.1), "y": np.ones(6), "u": np.zeros(6, int), "v": np.zeros(6, int)}
    tables = [keys(DOMAINS, columns) for columns in (gone, flat)] + [people(6)]
    for original in tables:
        for masked in tables:
            check_score(measure, original, masked)


def test_an_empty_domain(measure):
    empty = keys({"x": "numeric", "v": ("nominal", ())}, {"x": np.full(3, np.nan), "v": np.full(3, -1)})
    named = empty.schema["v"].evolve(categories=("a", "b"))
    check_score(measure, empty, empty)
    check_score(measure, empty, empty.replace({"v": np.array([0, 1, -1])}, [named]))


def test_a_masked_file_of_other_length_is_refused_where_order_counts(measure):
    if not measure.aligned:
        check_score(measure, people(), people(5))
        return
    with pytest.raises(DataError, match=r"same order. Got 5 records where the original has 12"):
        measure.bind(people()).score(people(5))


def test_people_outside_who_are_needed_are_asked_for(measure):
    if measure.outside == "needed":
        for nobody in (None, people(0)):
            with pytest.raises(DataError, match="others of the same population"):
                measure.bind(people(), nobody)


def test_a_missing_column_is_refused(measure):
    original = people()
    name = measure.fitting(original)[0]
    with pytest.raises(DataError, match=f"no column {name}"):
        bound(type(measure)(attributes=(name,)), original).score(
            original.select([n for n in original.names if n != name])
        )


def test_a_column_of_another_kind_is_refused(measure):
    original = people()
    name = measure.fitting(original)[0]
    scale = ("nominal", "ab") if DOMAINS[name] == "numeric" else "numeric"
    columns = {other: original[other] for other in original.names} | {name: np.zeros(original.n, int)}
    other = keys({**DOMAINS, name: scale}, columns)
    with pytest.raises(DataError, match=f"column {name} is"):
        bound(measure, original).score(other)


def test_columns_the_measure_cannot_take_are_refused(measure):
    original = people()
    for name in set(original.names) - set(measure.fitting(original)):
        with pytest.raises(DataError, match=f"column {name} is"):
            type(measure)(attributes=(name,)).bind(original)
        with pytest.raises(DataError, match="no key attribute"):
            measure.bind(original.select([name]))
    with pytest.raises(UnknownNameError):
        type(measure)(attributes=("z",)).bind(original)
    first = measure.fitting(original)[0]
    with pytest.raises(DataError, match="named twice"):
        type(measure)(attributes=(first, first)).bind(original)


def test_only_the_named_columns_count(measure):
    original = people()
    first, *others = measure.fitting(original)
    only = bound(type(measure)(attributes=(first,)), original)
    unneeded = [name for name in others if name not in only.needed_columns]
    changed = original.replace({name: people(seed=1)[name] for name in unneeded})
    assert only.score(changed).value == only.score(original).value
