import naive_categories as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_tables import keys, pairs, with_weights

from sfumato.core import registry
from sfumato.measures import (
    Bivariate,
    ChiSquare,
    Ctbil,
    ExpectationRatio,
    IndividualRisk,
    LDiversity,
    LogLikelihood,
    TCloseness,
)
from sfumato.measures._tracking import Change, changed
from sfumato.measures.individual_risk import individual_risk
from sfumato.measures.statistics import cell_tracker, cross_counts
from sfumato.measures.statistics.joint_counts import domain_size

CATEGORIES = ("ordinal", "nominal")
many = settings(max_examples=100, deadline=None)


def close(value):
    return pytest.approx(value, abs=1e-9)


@many
@given(pairs(CATEGORIES))
def test_log_likelihood(pair):
    bound = LogLikelihood().bind(pair[0])
    assert bound.score(pair[1]).value == close(naive.log_likelihood(*pair, pair[0].names))
    bits = bound.records(pair[1])
    could = [pair[0].n * np.log2(domain_size(pair[0], name)) for name in bound.names]
    lost = sum(bits[:, j].sum() for j, most in enumerate(could) if most)
    most = sum(could)
    assert bound.score(pair[1]).value == close(100 * lost / most if most else 0.0)


@many
@given(pairs(CATEGORIES))
def test_chi_square(pair):
    expected = naive.chi_square(*pair, pair[0].names)
    assert ChiSquare().bind(pair[0]).score(pair[1]).value == close(expected)


@many
@given(pairs(CATEGORIES))
def test_bivariate_is_what_two_way_tables_add_to_ctbil(pair):
    d = len(pair[0].names)
    one, two = (Ctbil(dimension=t).bind(pair[0]).score(pair[1]).parts["raw"] for t in (1, 2))
    expected = 50 * (two - one) / (pair[0].n * d * (d - 1) / 2) if d > 1 else 0.0
    assert Bivariate().bind(pair[0]).score(pair[1]).value == close(expected)


@many
@given(pairs(CATEGORIES))
def test_expectation_ratio(pair):
    original, masked = pair
    same = [n for n in original.names if original.schema[n].categories == masked.schema[n].categories]
    if same:
        score = ExpectationRatio(attributes=tuple(same)).bind(original).score(masked)
        assert score.value == close(naive.expectation_ratio(original, masked, same))


@pytest.mark.parametrize("variant", ["distinct", "entropy", "recursive"])
@pytest.mark.parametrize("sensitive", [False, True], ids=["each in turn", "named"])
def test_l_diversity(variant, sensitive):
    @many
    @given(pairs(), st.sampled_from([1.0, 1.5, 2.0, 3.0]), st.sampled_from([0.5, 1.0, 3.0]))
    def check(pair, least, c):
        names = pair[0].names
        named = names[-1:] if sensitive else ()
        score = LDiversity(l=least, variant=variant, c=c, sensitive=named).bind(pair[0]).score(pair[1])
        assert score.value == close(naive.l_diversity(pair[1], names, least, variant, c, named))

    check()


@many
@given(pairs(), st.sampled_from([0.0, 0.1, 0.3]))
def test_t_closeness(pair, t):
    found = naive.t_closeness(pair[1], pair[0].names)
    score = TCloseness(t=t).bind(pair[0]).score(pair[1])
    assert score.parts["largest"] == close(100 * max(map(max, found.values())))
    assert score.parts["mean"] == close(100 * np.mean(list(found.values())))
    bad = np.any([np.array(d) > t + 1e-12 for d in found.values()], axis=0)
    assert score.value == close(100 * bad.mean())


@pytest.mark.parametrize("missing", ["category", "any"])
def test_individual_risks_of_tables(missing):
    @many
    @given(pairs(), st.integers(0, 99))
    def check(pair, seed):
        weights = np.random.default_rng(seed).choice([0.5, 1.0, 2.5, 7.0], pair[0].n)
        original, masked = (with_weights(table, weights) for table in pair)
        bound = IndividualRisk(missing=missing).bind(original)
        f, F = naive.frequencies(masked, pair[0].names, weights, missing)
        assert bound.frequencies(masked)[0].tolist() == f
        assert bound.frequencies(masked)[1].tolist() == close(F)
        risks = [naive.individual_risk(*pair) for pair in zip(f, F, strict=True)]
        assert bound.records(masked) == close(risks)
        assert bound.score(masked).value == close(100 * np.mean(risks))

    check()


@pytest.mark.parametrize("f", [1, 2, 3, 9, 10, 11, 100])
@pytest.mark.parametrize("p", [0.001, 0.01, 0.2, 0.9, 1.0])
def test_individual_risk(f, p):
    found = individual_risk(np.array([f]), np.array([f / p]))[0]
    assert found == pytest.approx(naive.individual_risk(f, f / p), rel=1e-8)


REPEATABLE = ["dbil", "ctbil", "ebil", "log_likelihood", "bivariate", "expectation_ratio", "clustering"]


@pytest.mark.parametrize("name", REPEATABLE)
def test_a_whole_weight_is_so_many_records(name):
    @settings(max_examples=40, deadline=None)
    @given(pairs(CATEGORIES), st.integers(0, 99))
    def check(pair, seed):
        weights = np.random.default_rng(seed).integers(0, 4, pair[0].n)
        weights[0] = 1
        rows = np.repeat(np.arange(pair[0].n), weights)
        plain = registry.load("measures", name)().bind(pair[0].take(rows)).score(pair[1].take(rows))
        original, masked = (with_weights(table, weights) for table in pair)
        kept = np.flatnonzero(weights)  # a domain counts a missing value even of weight 0
        weighted = registry.load("measures", name)(weighted=True).bind(original.take(kept))
        if name == "clustering":  # it compares pairs of records, and the copies of one are pairs too
            assert weighted.score(original.take(kept)).value == 0
        else:
            assert weighted.score(masked.take(kept)).value == close(plain.value)

    check()


@many
@given(pairs(CATEGORIES), st.integers(0, 99))
def test_weighted_ctbil_of_large_domains(pair, seed):
    weights = np.random.default_rng(seed).choice([0.5, 1.0, 2.5], pair[0].n)
    original, masked = (with_weights(table, weights) for table in pair)
    bound = Ctbil(weighted=True).bind(original)
    dense = bound.score(masked).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cross_counts, "LARGEST_DENSE_TABLE", 0)
        assert bound.score(masked).value == close(dense)


@pytest.mark.parametrize("name", ["ctbil", "ebil"])
def test_trackers_of_many_cells_use_a_hash_table(name, monkeypatch):
    monkeypatch.setattr(cell_tracker, "LARGEST_DENSE", 0)
    rng = np.random.default_rng(0)
    labels = [str(i) for i in range(3000)]
    domain = {f"v{j}": ("nominal", labels) for j in range(3)}
    original = keys(domain, {v: rng.integers(0, 3000, 300) for v in domain})
    masked = keys(domain, {v: rng.integers(0, 3000, 300) for v in domain})
    bound = registry.make("measures", name).bind(original)
    tracker = bound.track(masked)
    slots = len(tracker.keys)
    for step in range(60):
        start = int(rng.integers(0, 200))
        rows = np.arange(start, start + 100)
        change = Change(rows, {v: rng.integers(-1, 3000, 100) for v in domain})
        tried = tracker.try_(change)
        if step % 3:
            tracker.accept()
            masked = changed(masked, change)
        else:
            tracker.reject()
        if step % 10 == 0:
            assert tracker.value == close(bound.score(masked).value)
            assert np.isfinite(tried)
    assert tracker.value == close(bound.score(masked).value)
    assert slots <= len(tracker.keys) <= 64 * slots  # cells that were left are dropped
