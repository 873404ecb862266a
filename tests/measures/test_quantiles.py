"""Quantiles, and the probabilistic loss made of them, found block by block."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_blocks import assert_as_in_memory, blocks_of, judged
from measure_tables import pairs, with_weights

from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.pil import quantiles
from sfumato.measures import Pil
from sfumato.measures.statistics import quantiles as outlining
from sfumato.measures.statistics.contract import Part
from sfumato.measures.statistics.quantiles import (
    LEVELS,
    Quantiles,
    _Around,
    _brackets,
    _Outlines,
    _targets,
    weighted_quantiles,
)
from sfumato.measures.statistics.sources import FilePair, Sources
from sfumato.measures.statistics.spreads import Spreads
from sfumato.parallel import Workers

VALUES = st.sampled_from([np.nan, -3.0, -0.0, 0.0, 0.1, 1.5, 7.0, 1e6])
WEIGHTS = st.sampled_from([0.0, 0.25, 1.0, 3.0, 1000.0])


def one_column(values, weights=None):
    attribute = Attribute(name="x", scale="numeric", role="key")
    table = Table(Schema([attribute]), {"x": np.array(values, float)})
    return with_weights(table, np.ones(table.n) if weights is None else weights)


def sources(original, masked, folder, size):
    a, b = (blocks_of(table, folder / name, size) for name, table in (("a", original), ("b", masked)))
    return Sources(FilePair(a, b, ("x",)), folder, Workers(None), seed=0, sample=1, memory=2**26)


def standardised(original, table):
    return Spreads(("x",)).take(Part(original), table).standardised(table.numbers(("x",)))[:, 0]


@settings(max_examples=25)
@given(
    records=st.lists(st.tuples(VALUES, VALUES, WEIGHTS), min_size=1, max_size=40),
    size=st.integers(1, 20),
    points=st.integers(1, 5),
)
def test_quantiles_are_those_of_all_values(records, size, points, tmp_path_factory):
    old, new, weights = np.array(records).T
    weights[0] = 2.0  # not all zero
    original, masked = one_column(old, weights), one_column(new, weights)
    here = sources(original, masked, tmp_path_factory.mktemp("blocks"), size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outlining, "POINTS", points)
        wanted = [Quantiles(("x",), weighted, side) for side in (False, True) for weighted in (False, True)]
        found = here.find(*wanted)
    for side, table in enumerate((original, masked)):
        z, (plain, counted) = standardised(original, table), found[2 * side : 2 * side + 2]
        exact = quantiles(np.sort(z), np.count_nonzero(~np.isnan(z)), LEVELS)
        assert plain[0] == pytest.approx(exact, rel=1e-12, abs=1e-12, nan_ok=True)
        exact = weighted_quantiles(z, weights)
        assert counted[0] == pytest.approx(exact, rel=1e-9, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("kind", ["different", "few", "constant", "sorted"])
def test_only_a_small_part_of_a_column_is_held(tmp_path, kind):
    n = 60_000
    values = np.random.default_rng(1).normal(size=n)
    values = {"few": np.round(values), "constant": np.zeros(n), "sorted": np.sort(values)}.get(kind, values)
    table = one_column(values)
    here, need = sources(table, table, tmp_path, 15_000), Quantiles(("x",), weighted=False, masked=False)
    here.find(*need.needs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outlining, "POINTS", 2000)
        [[[outlines], _]] = here.gathered(_Outlines(need))
    [[[counted], _]] = here.gathered(_Around(need, [_brackets(outlines, _targets(outlines))]))
    assert sum(len(one.values) for one in outlines) <= 4 * 2001
    assert sum(len(runs.values) for block in counted for runs in block) < n / 50


@pytest.mark.parametrize("apart", [3.0, 12.0, 40.0, 1000.0])
def test_values_far_from_a_quantile_count_as_in_memory(tmp_path, apart):
    """A twentieth of the values lie apart, so that the first quantile is in the gap before the others."""
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(size=770), rng.normal(size=41) - apart])
    original = one_column(rng.permutation(values), rng.integers(1, 4, 811))
    masked = original.replace({"x": original["x"] + rng.normal(scale=0.05, size=811)})
    measures = [Pil(), Pil(weighted=True)]
    for folder, measure in zip(("plain", "weighted"), measures, strict=True):
        scores = judged(original, masked, tmp_path / folder, size=300, measures=[measure])
        assert 0 < scores[measure.plain()].parts["quantiles"] < 100
        assert_as_in_memory(measure, scores[measure.plain()], original, masked)


@settings(max_examples=20)
@given(files=pairs(scales=("numeric",)), size=st.integers(1, 8), data=st.data())
def test_the_loss_is_as_in_memory_with_weights_of_nothing(files, size, data, tmp_path_factory):
    weights = data.draw(st.lists(WEIGHTS, min_size=files[0].n, max_size=files[0].n))
    weights[-1] = 1.0
    original, masked = (with_weights(table, weights) for table in files)
    measure = Pil(weighted=True)
    scores = judged(original, masked, tmp_path_factory.mktemp("blocks"), size=size, measures=[measure])
    assert_as_in_memory(measure, scores[measure.plain()], original, masked)
