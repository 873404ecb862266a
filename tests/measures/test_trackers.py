"""What holds for every tracker: after any sequence of changes its value is that of the changed table."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from measure_tables import SCALES, keys, pairs

from sfumato.core import parameters, registry
from sfumato.data import Attribute, Schema, Table
from sfumato.measures import Change
from sfumato.measures._tracking import RecomputingTracker, changed

DOMAINS = {"x": "numeric", "y": "numeric", "u": ("ordinal", "abcd"), "v": ("nominal", "abc")}
# searches follow what is known of the file alone; people outside are for the verdict
NAMES = [name for name in registry.names("measures") if registry.load("measures", name).outside != "needed"]


def variants():
    """Each measure as it is, and with each other choice and switch of its own parameters."""
    for name in NAMES:
        kind = registry.load("measures", name)
        yield kind()
        for parameter in parameters(kind).values():
            others = [c for c in parameter.choices if c != parameter.default]
            if parameter.type is bool and not parameter.repeated and parameter.name not in NEEDS_ROLES:
                others = [not parameter.default]
            for value in others:
                try:
                    yield kind(**{parameter.name: value})
                except ValueError:  # a switch that goes with another choice only
                    continue


NEEDS_ROLES = ("weighted", "by_stratum")
VARIANTS = tuple(variants())
each_variant = pytest.mark.parametrize(
    "measure",
    # each model of population uniques reckons all of them, and only chooses what it tells
    [pytest.param(one, marks=pytest.mark.slow if "model = " in str(one) else []) for one in VARIANTS],
    ids=str,
)
each_measure = pytest.mark.parametrize("name", NAMES)


def close(value):
    """Equal to 1e-9; of values above 100, which some measures have, to as many digits."""
    return pytest.approx(value, abs=1e-9, rel=1e-11)


def random_cells(rng, attribute, old, rows):
    """New values for some rows of a column: other values it holds, values near them, or missing."""
    k = len(rows)
    if attribute.is_numeric:
        known = old[~np.isnan(old)]
        drawn = rng.choice(known, k) if len(known) else np.zeros(k)
        values = drawn + rng.choice([0.0, 0.0, 0.5, -0.25], k)
        return np.where(rng.random(k) < 0.2, np.nan, values)
    size = attribute.domain_size
    return rng.integers(-1, size, k) if size else np.full(k, -1)


def random_change(rng, table, kind, names=None):
    """A change of one cell, of one record, or of some columns of a range of records."""
    names = names or table.names
    rows = np.array([rng.integers(table.n)])
    if kind == "cell":
        names = (names[rng.integers(len(names))],)
    elif kind == "range":
        start = rng.integers(table.n)
        rows = np.arange(start, rng.integers(start, table.n) + 1)
        names = tuple(name for name in names if rng.random() < 0.6) or names[:1]
    return Change(rows, {n: random_cells(rng, table.schema[n], table[n], rows) for n in names})


KINDS = st.sampled_from(["cell", "record", "range"])
STEPS = st.lists(st.tuples(KINDS, st.sampled_from(["accept", "reject", "forget"])), min_size=1, max_size=8)


def follow(bound, masked, steps, rng):
    tracker = bound.track(masked)
    assert tracker.value == close(bound.score(masked).value)
    for kind, verdict in steps:
        change = random_change(rng, masked, kind)
        after = changed(masked, change)
        tried = tracker.try_(change)
        assert type(tried) is float
        assert tried == close(bound.score(after).value)
        if verdict == "accept":
            tracker.accept()
            masked = after
        elif verdict == "reject":
            tracker.reject()
        assert tracker.value == close(bound.score(masked).value)


@each_variant
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=pairs(), steps=STEPS, seed=st.integers(0, 2**32))
def test_value_follows_the_table(measure, pair, steps, seed):
    original, masked = pair
    if measure.fitting(original):
        follow(measure.bind(original), masked, steps, np.random.default_rng(seed))


def survey(n, seed, holes=0.1):
    """Two numbers, two categories, a survey weight and a stratum."""
    rng = np.random.default_rng(seed)
    columns = {"x": rng.normal(50, 10, n), "y": rng.integers(0, 9, n) * 1.0}
    columns |= {"u": rng.integers(0, 4, n), "v": rng.integers(0, 3, n)}
    for name, values in columns.items():
        columns[name] = np.where(rng.random(n) < holes, -1 if name in "uv" else np.nan, values)
    others = [
        Attribute(name="weight", scale="numeric", role="weight"),
        Attribute(name="region", scale="nominal", role="stratum", categories=("n", "s")),
    ]
    schema = Schema([*keys(DOMAINS, columns).schema, *others])
    return Table(schema, columns | {"weight": 1.0 + np.arange(n) % 3, "region": np.arange(n) % 2})


@pytest.mark.parametrize("option", [{"weighted": True}, {"by_stratum": True}], ids=lambda o: next(iter(o)))
@each_measure
def test_weights_and_strata(name, option):
    original, masked = survey(24, 0), survey(24, 1)
    bound = registry.load("measures", name)(**option).bind(original)
    names, rng = bound.names, np.random.default_rng(2)
    tracker = bound.track(masked)
    for kind in ("cell", "record", "range", "cell"):
        change = random_change(rng, masked, kind, names)
        masked = changed(masked, change)
        assert tracker.try_(change) == close(bound.score(masked).value)
        tracker.accept()


@each_variant
def test_a_long_walk_does_not_drift(measure):
    original, masked = survey(60, 0), survey(60, 1)
    bound, rng = measure.bind(original), np.random.default_rng(3)
    tracker = bound.track(masked)
    steps = 10 if isinstance(tracker, RecomputingTracker) else 250
    for _ in range(steps):
        change = random_change(rng, masked, "cell", bound.names)
        masked = changed(masked, change)
        tracker.try_(change)
        tracker.accept()
    assert tracker.value == close(bound.score(masked).value)


@each_variant
def test_a_wild_value_leaves_no_trace(measure):
    original, masked = survey(20, 0, holes=0.0), survey(20, 1, holes=0.0)
    bound = measure.bind(original)
    tracker = bound.track(masked)
    for name in bound.names:
        wild = 1e12 if masked.schema[name].is_numeric else masked.schema[name].domain_size - 1
        for value in (wild, float("nan") if wild == 1e12 else -1, masked[name][4]):
            tracker.try_(Change.cell(4, name, value))
            tracker.accept()
    assert tracker.value == close(bound.score(masked).value)


@each_variant
def test_rejected_tries_change_nothing(measure):
    original, masked = survey(20, 0), survey(20, 1)
    bound, rng = measure.bind(original), np.random.default_rng(4)
    straight, wavering = bound.track(masked), bound.track(masked)
    for kind in ("cell", "range", "record", "cell", "range"):
        change = random_change(rng, masked, kind, bound.names)
        wavering.try_(random_change(rng, masked, "range", bound.names))
        wavering.reject()
        wavering.try_(random_change(rng, masked, "cell", bound.names))
        assert wavering.value == straight.value
        assert wavering.try_(change) == straight.try_(change)
        straight.accept()
        wavering.accept()
        masked = changed(masked, change)
        assert wavering.value == straight.value


@each_measure
def test_protocol(name):
    original, masked = survey(10, 0), survey(10, 1)
    tracker = registry.make("measures", name).bind(original).track(masked)
    for verdict in (tracker.accept, tracker.reject):
        with pytest.raises(RuntimeError, match="no change was tried"):
            verdict()
    change = Change.cell(0, "x", 1.0)
    tracker.try_(change)
    tracker.accept()
    with pytest.raises(RuntimeError, match="accept: no change was tried"):
        tracker.accept()
    tracker.try_(change)
    tracker.reject()
    with pytest.raises(RuntimeError, match="reject: no change was tried"):
        tracker.reject()


@each_variant
def test_other_columns_and_no_rows_change_nothing(measure):
    original, masked = survey(10, 0), survey(10, 1)
    only = measure.fitting(original)[:1]
    bound = registry.make("measures", {**measure.spec(), "attributes": list(only)}).bind(original)
    tracker = bound.track(masked)
    others = {name: masked[name][:3] for name in ("x", "y", "u", "v") if name not in only}
    assert tracker.try_(Change(np.arange(3), others)) == close(tracker.value)
    assert tracker.try_(Change(np.arange(0), {only[0]: masked[only[0]][:0]})) == close(tracker.value)
    tracker.accept()


@pytest.mark.parametrize("n", [0, 1])
@each_measure
def test_few_records(name, n):
    original = survey(n, 0, holes=0.0)
    bound = registry.make("measures", name).bind(original)
    tracker = bound.track(original)
    assert tracker.value == bound.score(original).value
    if n:
        first = bound.names[0]
        gone = float("nan") if original.schema[first].is_numeric else -1
        tracker.try_(Change.cell(0, first, gone))
        tracker.accept()
        tracker.try_(Change.cell(0, first, original[first][0]))
        tracker.accept()
        assert tracker.value == close(bound.score(original).value)


@each_variant
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=pairs(SCALES, least=3), seed=st.integers(0, 2**32))
def test_a_tracker_leaves_its_tables_alone(measure, pair, seed):
    original, masked = pair
    if measure.fitting(original):
        before, rng = (original.fingerprint, masked.fingerprint), np.random.default_rng(seed)
        tracker = measure.bind(original).track(masked)
        for kind in ("cell", "range"):
            tracker.try_(random_change(rng, masked, kind))
            tracker.accept()
        assert (original.fingerprint, masked.fingerprint) == before
