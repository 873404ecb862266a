"""What is kept of the original: as counted one by one, and never about few people."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masking.synthesis.surveyed import FREE, survey
from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.calibrating_swaps import FEATURES
from sfumato.masking.synthesis.calibration import Calibration
from sfumato.masking.synthesis.columns import FEWEST_WITH, Scaling, columns_of
from sfumato.masking.synthesis.never_met import EXPECTED
from sfumato.masking.synthesis.targets import Targets


def targets(table, *, least=40, least_within=20, strata=False):
    context = table["sector"].astype(np.int64) if strata else None
    return Targets(columns_of(table, FREE), least, context, least_within)


def own(n):
    """Every record has its own values."""
    return np.tile(np.arange(n)[:, None], len(FREE))


def shuffled(n, seed):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.permutation(n) for _ in FREE])


@given(
    n=st.integers(1, 250),
    seed=st.integers(0, 1000),
    least=st.integers(2, 60),
    least_within=st.integers(2, 30),
    missing=st.sampled_from([0.0, 0.3]),
    strata=st.booleans(),
)
@settings(max_examples=20)
def test_no_target_is_about_fewer_people_than_it_may(n, seed, least, least_within, missing, strata):
    table = survey(n, seed=seed, missing=missing, strata=True)
    wanted = targets(table, least=least, least_within=least_within, strata=strata)
    records = wanted.records(own(n), {})
    tables = wanted.tables(records)
    counts = np.zeros(len(tables.gap))
    owners = {}  # of each cell, the table and context it belongs to
    for level, j, k in zip(*np.nonzero(np.triu(tables.start >= 0)), strict=True):
        for i, bins in enumerate(records.bins):
            group = int(records.context[i]) if level else 0
            at = tables.start[level, j, k] + tables.span[level, j, k] * group
            cell = tables.cell[at + tables.step[j, k] * bins[j] + tables.step[k, j] * bins[k]]
            counts[cell] += 1
            assert owners.setdefault(cell, (level, j, k, group)) == (level, j, k, group)
    told = tables.weight > 0
    for cell, owner in owners.items():
        fewest = least_within if owner[0] else least
        beside = [other for other, of in owners.items() if of == owner]
        assert not told[cell] or counts[cell] >= fewest or sum(told[beside]) == 1
        if told[beside].all():
            assert tables.gap[cell] == 0  # the original hits its targets
        else:  # but for what the few in nearly empty regions are rounded by
            few = [other for other in beside if not told[other]]
            assert all(counts[other] < fewest for other in few)
            assert not told[cell] or abs(tables.gap[cell]) <= len(few) * max(fewest / 4, 0.5)


def test_of_a_nearly_empty_region_only_halves_of_the_least_are_told():
    people = 60 * ["a x"] + 3 * ["a y"] + 2 * ["b x"] + 58 * ["b y"]
    columns = [[pair.split()[i] for pair in people] for i in range(2)]
    domains = (("a", "b"), ("x", "y"))
    schema = Schema(
        [
            Attribute(name=name, scale="nominal", categories=domain)
            for name, domain in zip("uv", domains, strict=True)
        ]
    )
    codes = [
        np.array([domain.index(value) for value in column])
        for column, domain in zip(columns, domains, strict=True)
    ]
    table = Table(schema, dict(zip("uv", codes, strict=True)))
    wanted = Targets(columns_of(table, ("u", "v")), 20)
    tables = wanted.tables(wanted.records(np.tile(np.arange(len(people))[:, None], 2), {}))
    assert (tables.weight > 0).sum() == 2
    assert sorted(tables.gap[tables.weight > 0]) == [-3, -2]  # 63 of whom about 0 are elsewhere, and 60


@pytest.mark.parametrize("strata", [False, True])
def test_the_original_has_no_gap_and_meets_no_pair_that_never_occurs(strata):
    table = survey(200, strata=True)
    begun = Calibration.begun(targets(table, strata=strata), own(200), {})
    assert begun.table_gap == pytest.approx(0, abs=1e-12)
    assert begun.product_gap == pytest.approx(0, abs=1e-12)
    assert begun.guard.banned.any()
    assert _met(begun, targets(table)) == 0
    mixed = Calibration.begun(targets(table, strata=strata), shuffled(200, 1), {})
    assert mixed.table_gap > 1
    assert mixed.product_gap > 1
    assert _met(mixed, targets(table)) > 0


def _met(work, wanted):
    """Twin: pairs of fine groups of the records that the original never has and should have by chance."""
    found = 0
    fine = work.records.fine
    for (j, x), (k, y) in ((a, b) for a in enumerate(wanted.columns) for b in enumerate(wanted.columns)):
        if j < k:
            known = set(zip(x.fine.tolist(), y.fine.tolist(), strict=True))
            for one, other in zip(fine[:, j].tolist(), fine[:, k].tolist(), strict=True):
                expected = (x.fine == one).sum() * (y.fine == other).sum() / len(x.fine)
                found += (one, other) not in known and expected >= EXPECTED
    return found


@given(seed=st.integers(0, 1000), strata=st.booleans())
@settings(max_examples=8)
def test_gaps_are_those_of_records_counted_and_multiplied_plainly(seed, strata):
    n = 90
    table = survey(n, seed=seed, missing=0.3, strata=True)
    wanted = targets(table, least=10, least_within=5, strata=strata)
    here, there = (Calibration.begun(wanted, donors, {}) for donors in (own(n), shuffled(n, seed)))
    features = [_features(one.records, here.products.gap.shape[1]) for one in (here, there)]
    width = here.records.numbers.shape[1]
    sums = [columns[:, :width].T @ columns for columns in features]
    kept = here.products.weight > 0
    np.testing.assert_allclose(there.products.gap[kept], (sums[1] - sums[0])[kept], atol=1e-8)
    for level, j, k in zip(*np.nonzero(np.triu(there.tables.start >= 0)), strict=True):
        cells = [_cells(one, level, j, k) for one in (here, there)]
        counts = [np.bincount(found, minlength=len(there.tables.gap)) for found in cells]
        seen = np.union1d(*cells)
        more = there.tables.gap - here.tables.gap
        np.testing.assert_allclose(more[seen], (counts[1] - counts[0])[seen], atol=1e-9)


def _features(records, total):
    found = np.zeros((len(records.numbers), total))
    found[:, : records.numbers.shape[1]] = records.numbers
    for i, indicators in enumerate(records.indicator):
        found[i, indicators[indicators >= 0]] = 1
    return found


def _cells(work, level, j, k):
    tables, records = work.tables, work.records
    at = (
        tables.start[level, j, k]
        + tables.step[j, k] * records.bins[:, j]
        + tables.step[k, j] * records.bins[:, k]
    )
    return tables.cell[at + (tables.span[level, j, k] * records.context if level else 0)]


def test_columns_are_what_tables_and_products_need():
    table = survey(300, missing=0.2)
    told = {column.name: column for column in columns_of(table, FREE)}
    income = told["income"]
    missing = table.missing("income")
    assert sorted(np.unique(income.bins[missing])) == [0, 1, 2]  # each code for it is a group of its own
    assert not np.isin(income.bins[~missing], [0, 1, 2]).any()
    assert (income.numbers[missing] == 0).all()
    np.testing.assert_allclose(income.numbers[~missing].std(axis=0), 1)
    assert (income.indicator[~missing] == -1).all()
    assert told["house"].numbers.shape == (300, 0)
    for column in told.values():
        counts = np.bincount(column.indicator[column.indicator >= 0], minlength=column.indicators)
        assert (counts >= FEWEST_WITH).all()
    assert told["status"].groups == 3
    assert told["age"].groups <= 33


def test_numbers_are_multiplied_as_they_are_released():
    table = survey(50, missing=0.0)
    wanted = targets(table)
    released = {"rent": table["rent"][::-1] * 1.01}
    records = wanted.records(own(50), released)
    place = FEATURES * [name for name in FREE if table.schema[name].is_numeric].index("rent")
    ordered = np.sort(table["rent"])
    low, high = ordered[FEWEST_WITH - 1], ordered[-FEWEST_WITH]  # beyond are the nine smallest and largest
    bounded = np.clip(table["rent"], low, high)
    expected = (np.clip(released["rent"], low, high) - bounded.mean()) / bounded.std()
    np.testing.assert_allclose(records.numbers[:, place], expected)
    np.testing.assert_array_equal(
        records.numbers[:, place + 1 : place + FEATURES], wanted.columns[FREE.index("rent")].numbers[:, 1:]
    )


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, 1e6, -3.0]), max_size=40))
def test_ten_people_stand_at_the_bounds_of_what_is_multiplied(values):
    """Where nearly all have one value there is no such bound but the smallest and the largest."""
    found = Scaling.of(np.array(values))
    scaled = found.scaled(np.array([*values, np.nan]))
    assert scaled[-1] == 0 and np.isfinite(scaled).all()
    if values and (found.low, found.high) != (min(values), max(values)):
        assert min(sum(v <= found.low for v in values), sum(v >= found.high for v in values)) >= FEWEST_WITH
    if len(set(values)) > 1:
        assert scaled[:-1].std() == pytest.approx(1)
