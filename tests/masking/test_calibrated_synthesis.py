"""What is special to calibration; see test_synthesis_methods.py for what holds for all such methods."""

import numpy as np
import pytest

from masking.synthesis.surveyed import FREE, survey
from sfumato.core import progress
from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.distinct_records import distinct
from sfumato.masking import CalibratedSynthesis
from sfumato.masking.synthesis import calibrated_deal
from sfumato.masking.synthesis.calibrated_deal import LEAST_FALL, WATCHED, CalibratedDeal
from sfumato.masking.synthesis.calibration import NEAR_PRODUCTS, ROUND, Calibration
from sfumato.masking.synthesis.columns import FEWEST_WITH, columns_of
from sfumato.masking.synthesis.deck import Deck
from sfumato.masking.synthesis.targets import Targets
from sfumato.masking.synthesis.trees import drawn_by_trees
from sfumato.parallel.threads import using_threads

EXACT = CalibratedSynthesis(single=True)


def apply(masking, table, seed=1):
    return masking.apply(table, np.random.default_rng(seed))


def begun(table, seed=0):
    donors = drawn_by_trees(table, FREE, (), 80, np.random.default_rng(seed))
    work = Calibration.begun(Targets(columns_of(table, FREE), 40), donors, {})
    deck = Deck(table=table, free=FREE, given=(), numbers={})
    return CalibratedDeal(deck, work, np.arange(len(FREE)), np.random.default_rng(seed))


def test_it_ends_near_enough_or_when_all_swaps_were_proposed():
    table = survey(300)
    work = begun(table)
    before = work.gaps
    work.advance(0, 0.1)
    assert work.tried == 0
    work.advance(120, 0.1)
    assert 0 < work.tried <= 120
    assert work.tried == 120 or (work.gaps[0] <= 0.1 and work.gaps[1] <= NEAR_PRODUCTS)
    assert work.gaps[0] < before[0] / 4
    assert work.gaps[1] < before[1] / 10
    again = begun(table)
    again.advance(120, 10.0)
    assert again.tried <= work.tried  # not so near takes fewer


def test_many_steps_are_one_way():
    one, several = begun(survey(300)), begun(survey(300))
    one.advance(7, 0.0)
    for proposals in (0, 2, 1, 4):
        several.advance(proposals, 0.0)
    assert (one.donors == several.donors).all()
    assert (one.gaps, one.tried, one.kept) == (several.gaps, several.tried, several.kept)


def test_a_large_deal_ends_when_products_hardly_come_nearer_and_tables_are_near(monkeypatch):
    monkeypatch.setattr(
        "sfumato.masking.synthesis.calibration.NEAR_PRODUCTS", 0.0
    )  # nobody ends for being near
    small, large, far = (begun(survey(300)) for _ in range(3))
    small.advance(200, 10.0)
    assert small.tried == 200
    monkeypatch.setattr(calibrated_deal, "LARGE", large.size)
    gaps = [large.gaps[1]]
    while not large.is_slow(10.0):
        tried = large.tried
        large.advance(ROUND, 10.0)
        assert large.tried == tried + ROUND
        gaps.append(large.gaps[1])
    falls = [after / before for before, after in zip(gaps, gaps[WATCHED:], strict=False)]
    assert falls[-1] > 1 - LEAST_FALL and all(fall <= 1 - LEAST_FALL for fall in falls[:-1])
    assert WATCHED * ROUND <= large.tried < 200
    large.advance(200, 10.0)
    assert large.tried == (len(gaps) - 1) * ROUND  # nothing more
    far.advance(200, 0.0)
    assert far.tried == 200 and far.gaps[0] > 0.0  # its tables are not near


def products(table):
    """Correlations of values, of which nine at each end count as the tenth, and of ranks."""
    X = np.column_stack([table[name] for name in ("age", "income", "rent", "food")])
    ranks = X.argsort(axis=0).argsort(axis=0)
    ordered = np.sort(X, axis=0)
    bounded = X.clip(ordered[FEWEST_WITH - 1], ordered[-FEWEST_WITH])
    return np.corrcoef(bounded.T), np.corrcoef(ranks.T)


def test_products_and_tables_are_those_of_the_original():
    table = survey(300, missing=0.0)
    new, start = apply(EXACT, table), apply(CalibratedSynthesis(single=True, proposals=0), table)
    for before, after, first in zip(products(table), products(new), products(start), strict=True):
        assert np.abs(after - before).max() < 0.02
        assert np.abs(after - before).max() < np.abs(first - before).max()
    for one, other in (("status", "quarter"), ("degree", "quarter")):
        counts = [np.histogram2d(t[one], t[other], [range(6), range(3)])[0] for t in (table, new)]
        large = counts[0] >= 40
        assert large.any()
        assert np.abs(counts[1] - counts[0])[large].max() < 2.5 * np.sqrt(counts[0].max())


def test_products_are_right_with_the_numbers_that_are_released():
    table = survey(300, missing=0.0)
    new = apply(CalibratedSynthesis(), table)
    assert not np.isin(new["weight"], table["weight"]).any()
    assert np.abs(products(new)[0] - products(table)[0]).max() < 0.06


def test_pairs_that_never_occur_are_not_made():
    """Nobody under 40 is married or widowed."""
    for seed in range(3):
        table = survey(300, seed=seed)
        new = apply(EXACT, table, seed)
        young = new["age"] < 40
        assert young.sum() > 50
        assert (new["status"][young] > 0).sum() <= 2  # single ages are too few to tell


@pytest.mark.parametrize("named", [(), ("x", "y")])
def test_tables_within_strata_are_kept(named):
    """A relation that is the other way round in each stratum, so that no table of the whole shows it."""
    rng = np.random.default_rng(0)
    n = 1500
    sector, x = rng.integers(0, 2, n), rng.integers(0, 2, n)
    y = np.where(rng.random(n) < 0.75, x ^ sector, 1 - (x ^ sector))
    attributes = [
        Attribute(name="sector", scale="nominal", role="stratum", categories=tuple("ab")),
        Attribute(name="x", scale="nominal", role="key", categories=tuple("cd")),
        Attribute(name="y", scale="nominal", role="confidential", categories=tuple("ef")),
    ]
    table = Table(Schema(attributes), {"sector": sector, "x": x, "y": y})
    new = apply(CalibratedSynthesis(attributes=named, leaf=n), table)  # trees know nothing
    before, after = (np.bincount(t["sector"] * 4 + t["x"] * 2 + t["y"], minlength=8) for t in (table, new))
    assert np.abs(before - after).max() <= 5
    assert np.array_equal(new["sector"], sector) == bool(named)  # records are in no order unless some stay


def people(n, seed=0):
    """Categories few enough that unique people are easily met, a number, and a code for missing values."""
    rng = np.random.default_rng(seed)
    attributes = [
        Attribute(name="a", scale="ordinal", categories=tuple("12345678"), missing=("9",)),
        Attribute(name="b", scale="nominal", categories=tuple("uvwxyz")),
        Attribute(name="c", scale="numeric", decimals=0),
    ]
    a = np.minimum(rng.geometric(0.3, n) - 1, 7)
    gone = rng.random(n) < 0.1
    columns = {
        "a": np.where(gone, -1, a),
        "b": np.minimum(rng.geometric(0.4, n) - 1, 5),
        "c": np.minimum(rng.poisson(3, n), 7).astype(float),
    }
    return Table(Schema(attributes), columns, reasons={"a": np.where(gone, rng.integers(0, 2, n), 0)})


def met(table, new):
    """How many released records equal one of a unique person."""
    columns = [np.concatenate(pair) for pair in zip(_told(table), _told(new), strict=True)]
    labels = distinct(columns).labels
    counts = np.bincount(labels[: table.n], minlength=labels.max() + 1)
    return int((counts[labels[table.n :]] == 1).sum())


def _told(table):
    codes = [table.reasons(name) for name in table.names]
    return [*(table[name] for name in table.names), *(np.zeros(table.n) if c is None else c for c in codes)]


@pytest.mark.parametrize("named", [(), ("a", "b")])
def test_no_record_coincides_with_a_unique_person_if_none_may(named):
    table = people(200)
    assert met(table, table) > 20
    free, none = (
        [apply(CalibratedSynthesis(coincidences=yes, attributes=named), table, seed) for seed in range(3)]
        for yes in (True, False)
    )
    assert sum(met(table, new) for new in free) > 5
    assert [met(table, new) for new in none] == [0, 0, 0]
    for new in none:
        np.testing.assert_array_equal(np.sort(new["b"]), np.sort(table["b"]))
        assert (new["c"] is table["c"]) == bool(named)


def test_coincidences_are_parted_beyond_one_part_too(monkeypatch):
    monkeypatch.setattr("sfumato.masking.synthesis.dealing.PART", 70)
    table = people(200)
    assert met(table, apply(CalibratedSynthesis(coincidences=False), table)) == 0


class Notes:
    """A listener that keeps what it is told."""

    def __init__(self):
        self.told = []

    def noted(self, message):
        self.told.append(message)


@pytest.mark.parametrize(("part", "threads"), [(50_000, 1), (2, 1), (2, 2)])
def test_it_says_once_how_many_records_cannot_be_parted(monkeypatch, part, threads):
    """All pairs of two columns, each once: whatever is released is somebody."""
    monkeypatch.setattr("sfumato.masking.synthesis.dealing.PART", part)
    attributes = [Attribute(name=name, scale="nominal", categories=tuple("yn")) for name in "ab"]
    table = Table(Schema(attributes), {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    notes = Notes()
    with progress.listening(notes), using_threads(threads):
        apply(CalibratedSynthesis(coincidences=False), table)
    assert notes.told == ["calibrated_synthesis: 4 records still equal those of unique people."]
