import naive_measures as naive
import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import pairs

from sfumato.attacks.linkage import record_tree
from sfumato.measures import (
    Ctbil,
    Dbil,
    DistanceLinkage,
    Ebil,
    IntervalDisclosure,
    KAnonymity,
    Sse,
)
from sfumato.measures.statistics import cross_counts

CATEGORIES = ("ordinal", "nominal")
many = settings(max_examples=60, deadline=None)


def value(measure, original, masked):
    return measure.bind(original).score(masked).value


@many
@given(pairs(CATEGORIES))
def test_dbil(pair):
    assert value(Dbil(), *pair) == pytest.approx(naive.dbil(*pair, pair[0].names), abs=1e-9)


@many
@given(pairs(CATEGORIES))
def test_ebil(pair):
    assert value(Ebil(), *pair) == pytest.approx(naive.ebil(*pair, pair[0].names), abs=1e-9)


@pytest.mark.parametrize("dimension", [1, 2, 4])
@pytest.mark.parametrize("largest", [10**6, 0], ids=["dense", "sparse"])
def test_ctbil(dimension, largest, monkeypatch):
    monkeypatch.setattr(cross_counts, "LARGEST_DENSE_TABLE", largest)

    @settings(max_examples=40, deadline=None)
    @given(pairs(CATEGORIES))
    def check(pair):
        expected = naive.ctbil(*pair, pair[0].names, dimension)
        assert value(Ctbil(dimension=dimension), *pair) == pytest.approx(expected, abs=1e-9)

    check()


@many
@given(pairs(("numeric",)))
def test_sse(pair):
    assert value(Sse(), *pair) == pytest.approx(naive.sse(*pair, pair[0].names), abs=1e-6)


@many
@given(pairs())
def test_interval_disclosure(pair):
    expected = naive.interval_disclosure(*pair, pair[0].names)
    assert value(IntervalDisclosure(), *pair) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("ties", ["expected", "miss", "hit"])
@pytest.mark.parametrize("leaf", [1, 12])
@pytest.mark.parametrize("scales", [CATEGORIES, ("nominal",), ("ordinal", "numeric")], ids="-".join)
def test_distance_linkage(ties, leaf, scales, monkeypatch):
    monkeypatch.setattr(record_tree, "LEAF", leaf)

    @settings(max_examples=25, deadline=None)
    @given(pairs(scales, columns=3))
    def check(pair):
        expected = naive.distance_linkage(*pair, pair[0].names, ties)
        assert value(DistanceLinkage(ties=ties), *pair) == pytest.approx(expected, abs=1e-9)

    check()


@pytest.mark.parametrize("leaf", [1, 12])
@pytest.mark.parametrize("scales", [("numeric",), ("numeric", "ordinal", "nominal")], ids=len)
def test_distance_linkage_of_real_numbers(leaf, scales, monkeypatch):
    monkeypatch.setattr(record_tree, "LEAF", leaf)

    @settings(max_examples=40, deadline=None)
    @given(pairs(scales, columns=3))
    def check(pair):
        # roots and noise leave few ties but those of equal records and of ends of the range
        original, masked = pair
        for name in [a.name for a in original.schema if a.is_numeric]:
            x = np.sqrt(2 + original[name])
            if np.isnan(x).all():
                continue
            y = np.sqrt(2 + np.abs(masked[name])) + np.random.default_rng(masked.n).normal(size=masked.n)
            original = original.replace({name: x})
            masked = masked.replace({name: np.clip(y, np.nanmin(x), np.nanmax(x))})
        expected = naive.distance_linkage(original, masked, original.names)
        assert value(DistanceLinkage(), original, masked) == pytest.approx(expected, abs=1e-9)

    check()


@pytest.mark.parametrize("missing", ["category", "any"])
def test_k_anonymity(missing):
    @many
    @given(pairs())
    def check(pair):
        expected = naive.k_anonymity(pair[1], pair[0].names, 3, missing)
        assert value(KAnonymity(k=3, missing=missing), *pair) == pytest.approx(expected, abs=1e-9)

    check()
