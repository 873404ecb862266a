"""Trackers of categories and classes where the generic tests do not go: weights, and domains of all sizes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_tables import keys, pairs, with_weights

from sfumato.core import registry
from sfumato.measures import Change, chi_square, ctbil, dbil
from sfumato.measures._tracking import RecomputingTracker, changed
from sfumato.measures.statistics import cell_tracker, cross_counts, lost_bits

NAMES = (
    "dbil",
    "ctbil",
    "ebil",
    "log_likelihood",
    "bivariate",
    "chi_square",
    "k_anonymity",
    "individual_risk",
)


def random_change(rng, masked, names):
    start, end = np.sort(rng.integers(0, masked.n + 1, 2))
    rows = np.arange(start, end) if rng.random() < 0.5 else rng.integers(masked.n, size=1)
    columns = {}
    for name in names if rng.random() < 0.5 else rng.choice(names, 1):
        attribute = masked.schema[name]
        numbers = rng.choice([np.nan, -0.0, 0.0, 1.0, 0.25, 64.0], len(rows))
        columns[name] = (
            numbers if attribute.is_numeric else rng.integers(-1, attribute.domain_size, len(rows))
        )
    return Change(rows, columns)


def walk(bound, masked, rng, steps=8):
    tracker = bound.track(masked)
    for _ in range(steps):
        change = random_change(rng, masked, bound.names)
        after = changed(masked, change)
        assert tracker.try_(change) == pytest.approx(bound.score(after).value, abs=1e-9)
        if rng.random() < 0.6:
            tracker.accept()
            masked = after
        assert tracker.value == pytest.approx(bound.score(masked).value, abs=1e-9)
    return tracker


@pytest.mark.parametrize("name", NAMES)
def test_weights(name):
    @settings(max_examples=40, deadline=None)
    @given(pairs(), st.integers(0, 2**32))
    def check(pair, seed):
        rng = np.random.default_rng(seed)
        weights = rng.choice([0.0, 0.5, 1.0, 3.3], pair[0].n)
        weights[0] = 1.1
        original, masked = (with_weights(table, weights) for table in pair)
        measure = registry.make("measures", {"method": name, "weighted": True})
        if measure.fitting(original):
            walk(measure.bind(original), masked, rng)

    check()


def town_and_trade(seed, n=40, size=50):
    rng = np.random.default_rng(seed)
    domain = ("ordinal", [str(i) for i in range(size)])
    return keys({"u": domain, "v": domain}, {name: rng.integers(-1, size, n) for name in "uv"})


@pytest.mark.parametrize("name", NAMES)
def test_domains_too_large_for_tables(name, monkeypatch):
    monkeypatch.setattr(cell_tracker, "LARGEST_DENSE", 0)
    monkeypatch.setattr(chi_square, "LARGEST_DENSE", 0)
    monkeypatch.setattr(dbil, "LARGEST_TABLE", 0)
    bound = registry.make("measures", name).bind(town_and_trade(0))
    walk(bound, town_and_trade(1), np.random.default_rng(2), steps=40)


@pytest.mark.parametrize("name", ["ctbil", "ebil", "log_likelihood"])
def test_cells_beyond_counting_are_judged_from_the_start(name, monkeypatch):
    for module in (cross_counts, lost_bits):
        monkeypatch.setattr(module, "LARGEST_CELL", 1)
    tracker = registry.make("measures", name).bind(town_and_trade(0)).track(town_and_trade(1))
    assert isinstance(tracker, RecomputingTracker)


def test_masked_labels_in_another_order():
    original = town_and_trade(0)
    turned = original.schema["u"].evolve(categories=original.schema["u"].categories[::-1])
    masked = town_and_trade(1).replace({}, [turned])
    walk(ctbil.Ctbil().bind(original), masked, np.random.default_rng(3), steps=30)
    walk(dbil.Dbil().bind(original), masked, np.random.default_rng(3), steps=30)
