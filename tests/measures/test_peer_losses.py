"""IL1s, granularity, discernibility, average class size and non-uniform entropy against slow twins."""

from collections import Counter
from math import log2, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import pairs

from sfumato.data.coverage import coverage_of
from sfumato.measures.average_class_size import AverageClassSize
from sfumato.measures.discernibility import Discernibility
from sfumato.measures.ebil import Ebil
from sfumato.measures.granularity import Granularity
from sfumato.measures.il1s import Il1s
from sfumato.measures.non_uniform_entropy import NonUniformEntropy

many = settings(max_examples=60, deadline=None)
CATEGORIES = ("ordinal", "nominal")


def value(measure, original, masked):
    return measure.bind(original).score(masked).value


@many
@given(pairs(scales=("numeric",)))
def test_il1s(pair):
    original, masked = pair
    cells = []
    for name in original.names:
        known = [x for x in original[name] if x == x]
        s = np.std(known) if known else 0.0
        for x, y in zip(original[name], masked[name], strict=True):
            if x != x or y != y:
                cells.append(float((x != x) != (y != y)))
            else:
                cells.append(abs(x - y) / (sqrt(2) * s) if s > 0 else float(x != y))
    assert value(Il1s(), *pair) == pytest.approx(100 * np.mean(cells), abs=1e-9)


@many
@given(pairs())
def test_granularity(pair):
    original, masked = pair
    cells = []
    for name in original.names:
        gone, there = masked.missing(name), ~original.missing(name)
        if original.schema[name].is_numeric:
            cells += (gone & there).astype(float).tolist()
            continue
        reading, size = (
            coverage_of(original.schema[name], masked.schema[name]),
            original.schema[name].domain_size,
        )
        for code, known in zip(masked[name], there, strict=True):
            at = int(reading.of(np.array([code]))[0])
            covered = (
                1 if 0 <= at < reading.size else len(reading.sets[at - reading.size]) if at >= 0 else size
            )
            share = (covered - 1) / max(size - 1, 1) if at >= 0 else 1.0
            cells.append(share if at >= 0 or known else 0.0)
    assert value(Granularity(), *pair) == pytest.approx(100 * np.mean(cells), abs=1e-9)


def classes(table):
    """The sizes of classes of equal records, and how many hold nothing at all."""
    columns = [np.nan_to_num(column, nan=-77.0).tolist() for column in table.shown(table.names)]
    records = list(zip(*columns, strict=True))
    empty = np.all([table.missing(name) for name in table.names], axis=0)
    full = [record for record, gone in zip(records, empty, strict=True) if not gone]
    return Counter(records), Counter(full), int(empty.sum())


@many
@given(pairs())
def test_discernibility(pair):
    n = pair[0].n
    before, after = (
        sum(count**2 for count in full.values()) + gone * n
        for _, full, gone in (classes(table) for table in pair)
    )
    span = n**2 - before
    expected = 100 * max(after - before, 0) / span if span else 0.0
    assert value(Discernibility(), *pair) == pytest.approx(expected)


@many
@given(pairs())
def test_average_class_size(pair):
    n = pair[0].n
    before, after = (n / len(classes(table)[0]) for table in pair)
    expected = 100 * max(after - before, 0) / (n - before) if n > before else 0.0
    assert value(AverageClassSize(), *pair) == pytest.approx(expected)


@many
@given(pairs(scales=CATEGORIES))
def test_non_uniform_entropy(pair):
    original, masked = pair
    losses = []
    for name in original.names:
        old, new = original[name].tolist(), masked[name].tolist()
        both, released, known = Counter(zip(old, new, strict=True)), Counter(new), Counter(old)
        lost = sum(log2(released[j] / both[i, j]) for i, j in zip(old, new, strict=True))
        most = sum(log2(original.n / known[i]) for i in old)
        losses.append(100 * lost / most if most else 0.0)
    assert value(NonUniformEntropy(), *pair) == pytest.approx(np.mean(losses), abs=1e-9)


@many
@given(pairs(scales=CATEGORIES))
def test_an_attribute_loses_no_less_entropy_than_ebil_says(pair):
    uniform = Ebil().bind(pair[0]).score(pair[1]).parts
    for name, lost in NonUniformEntropy().bind(pair[0]).score(pair[1]).parts.items():
        assert lost >= uniform[name] - 1e-9 or lost == 0
