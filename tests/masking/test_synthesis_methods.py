"""What holds for every method whose released records are those of nobody."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masking.from_disk.masked_blocks import files, in_memory, on_disk
from masking.synthesis.surveyed import FREE, bracket, contents, survey
from sfumato.core import DataError, Key
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import CalibratedSynthesis, TreeSynthesis
from sfumato.masking._contract import masked_with
from sfumato.masking.from_disk.mask_blocks import mask_blocks
from sfumato.parallel import Workers
from sfumato.parallel.threads import using_threads

METHODS = (TreeSynthesis(leaf=20), CalibratedSynthesis())
each = pytest.mark.parametrize("masking", METHODS, ids=lambda masking: masking.name)
n_small = 200


def apply(masking, table, seed=1):
    return masking.apply(table, np.random.default_rng(seed))


def assert_derived(table):
    """Brackets, quarters and sums are what they are made from."""
    np.testing.assert_array_equal(table["quarter"], table["house"] // 3)
    np.testing.assert_allclose(table["spent"], table["rent"] + table["food"], atol=1e-6)
    assert (table.missing("bracket") == table.missing("income")).all()
    codes, told = table.reasons("income"), table.reasons("bracket")
    if codes is not None:
        np.testing.assert_array_equal(told, codes)


def assert_legal(table):
    for attribute in table.schema:
        values = table[attribute.name]
        if attribute.is_numeric:
            present = values[~np.isnan(values)]
            np.testing.assert_array_equal(present, attribute.conform(present))
        else:
            assert values.min(initial=0) >= -1
            assert values.max(initial=0) < attribute.domain_size


@each
@given(
    n=st.integers(1, 160),
    seed=st.integers(0, 10**6),
    missing=st.sampled_from([0.0, 0.1, 0.6]),
    strata=st.booleans(),
)
@settings(max_examples=4)
def test_every_column_keeps_its_values(masking, n, seed, missing, strata):
    table = survey(n, seed=seed, missing=missing, strata=strata)
    exact = masking.from_parameters({**masking.non_defaults(), "single": True})
    new = apply(exact, table, seed)
    for name in FREE:
        assert contents(new, name) == contents(table, name)
    drawn = apply(masking, table, seed)
    assert_legal(drawn)
    for name in FREE:
        assert drawn.missing(name).sum() == table.missing(name).sum()
        if not table.schema[name].is_numeric:
            assert contents(drawn, name) == contents(table, name)
    assert drawn["number"] is table["number"]


@each
def test_values_of_several_people_and_codes_for_missing_ones_keep_their_number(masking):
    table = survey(n_small)
    new = apply(masking, table)
    for name in ("age", "income"):
        values, counts = np.unique(table[name][~table.missing(name)], return_counts=True)
        after = [(new[name] == value).sum() for value in values[counts > 1]]
        assert (np.array(after) >= counts[counts > 1]).all()
    codes = [np.bincount(t.reasons("income")[t.missing("income")], minlength=3) for t in (table, new)]
    np.testing.assert_array_equal(*codes)
    assert (codes[0] > 0).all()


@each
def test_columns_that_others_determine_are_made_again(masking):
    for seed in range(3):
        table = survey(n_small, seed=seed)
        new = apply(masking, table, seed)
        assert_derived(table)
        assert_derived(new)
        assert np.isnan(new["spent"]).any()
        known = np.isin(new["income"], table["income"]) & ~np.isnan(new["income"])
        assert not known.all()  # some are new numbers
        np.testing.assert_array_equal(new["bracket"][known], bracket(new["income"])[known])
        # brackets are known by the incomes there are: a new one between two brackets is in either
        assert (new["bracket"] == bracket(new["income"])).mean() > 0.97


@each
def test_a_chain_of_determined_columns_is_made_in_order(masking):
    """The first column is made from the second, and that from the third."""
    rng = np.random.default_rng(0)
    area = rng.integers(0, 12, n_small)
    columns = {"kind": area // 4, "group": area // 2, "area": area, "x": rng.normal(size=n_small)}
    attributes = [
        Attribute(name="kind", scale="nominal", categories=tuple("abc")),
        Attribute(name="group", scale="nominal", categories=tuple("abcdef")),
        Attribute(name="area", scale="nominal", categories=tuple("abcdefghijkl")),
        Attribute(name="x", scale="numeric"),
    ]
    new = apply(masking, Table(Schema(attributes), columns))
    np.testing.assert_array_equal(new["group"], new["area"] // 2)
    np.testing.assert_array_equal(new["kind"], new["area"] // 4)
    assert (new["kind"] == columns["kind"]).mean() < 0.6


@each
def test_single_numbers_stand_in_the_release_as_often_as_those_of_people_outside(masking):
    table = survey(300, missing=0.0)
    new = apply(masking, table)
    assert not np.isin(table["weight"], new["weight"]).any()  # all single, with as many digits as there are
    values, counts = np.unique(table["income"], return_counts=True)
    outside = np.setdiff1d(survey(3000, seed=9, missing=0.0)["income"], values)
    outside = outside[(outside > values[5]) & (outside < values[-5])]
    inside, control = (
        np.isin(values[counts == 1], new["income"]).mean(),
        np.isin(outside, new["income"]).mean(),
    )
    assert inside < control + 0.07
    assert inside > 0


@each
def test_numbers_that_go_together_show_no_single_ones_either(masking):
    """A tax is a function of the income, and both are numbers that one person has."""
    rng = np.random.default_rng(1)
    income = rng.lognormal(7, 1, n_small)
    attributes = [Attribute(name=name, scale="numeric") for name in ("income", "tax", "x")]
    table = Table(Schema(attributes), {"income": income, "tax": income * 0.2, "x": rng.normal(size=n_small)})
    new = apply(masking, table)
    assert not np.isin(new["income"], income).any()
    assert not np.isin(new["tax"], table["tax"]).any()
    np.testing.assert_allclose(new["tax"], 0.2 * new["income"])


@each
def test_columns_that_are_not_named_stay_and_relations_with_them_are_kept(masking):
    table = survey(300, missing=0.0, seed=2)
    only = masking.from_parameters({**masking.non_defaults(), "attributes": ("income", "degree")})
    new = apply(only, table)
    for name in set(table.names) - {"income", "degree"}:
        assert new[name] is table[name]
    assert (new["income"] == table["income"]).mean() < 0.1
    for name in ("income", "degree"):
        before, after = (np.corrcoef(t[name], t["age"])[0, 1] for t in (table, new))
        assert before > 0.35
        assert after > before - 0.15


def correlation(table, one, other):
    both = ~(table.missing(one) | table.missing(other))
    return np.corrcoef(table[one][both], table[other][both])[0, 1]


@each
def test_relations_are_kept(masking):
    table = survey(300, missing=0.05, seed=3)
    runs = [apply(masking, table, seed) for seed in range(4)]
    for pair in (("age", "income"), ("age", "degree"), ("income", "rent")):
        before, after = correlation(table, *pair), np.mean([correlation(new, *pair) for new in runs])
        assert before > 0.3
        assert after > 0.6 * before


@each
def test_a_record_is_that_of_nobody(masking):
    """Cells equal those of the record that stood in its place as often as two records do by chance."""
    table = survey(300, missing=0.0)
    runs = [apply(masking, table, seed) for seed in range(4)]
    for name in ("age", "degree", "house", "quarter", "status", "bracket"):
        expected = np.mean([(table[name] == np.roll(table[name], shift)).mean() for shift in range(1, 300)])
        equal = np.mean([(new[name] == table[name]).mean() for new in runs])
        assert equal < expected + 4 * np.sqrt(expected * (1 - expected) / (300 * len(runs)))


SPECIAL = {
    "one record": lambda: survey(1),
    "one record, missing": lambda: survey(1, missing=1.0),
    "two records": lambda: survey(2),
    "three records": lambda: survey(3),
    "one record many times": lambda: survey(1, missing=0.0).take(np.zeros(60, np.int64)),
    "all missing": lambda: survey(60, missing=1.0),
    "one stratum": lambda: survey(60, strata=True).replace({"sector": np.zeros(60, np.int8)}),
    "no stratum": lambda: survey(60, strata=True).replace({"sector": np.full(60, -1, np.int8)}),
    "no record": lambda: survey(3).take(np.arange(0)),
}


@each
@pytest.mark.parametrize("special", SPECIAL)
def test_special_tables(masking, special):
    table = SPECIAL[special]()
    new = apply(masking, table)
    assert_legal(new)
    for name in FREE:
        assert new.missing(name).sum() == table.missing(name).sum()
        if not table.schema[name].is_numeric:
            assert contents(new, name) == contents(table, name)
    if special == "one record many times":
        assert new.fingerprint == table.fingerprint


@each
def test_one_column_alone(masking):
    table = survey(80).select(["degree"])
    new = apply(masking, table)
    assert contents(new, "degree") == contents(table, "degree")
    assert (new["degree"] != table["degree"]).any()


@each
def test_a_file_of_identifiers_is_refused(masking):
    with pytest.raises(DataError, match=rf"{masking.name}: every column is an identifier; name the columns"):
        apply(masking, survey(20).select(["number"]))


@each
@pytest.mark.parametrize("part", [50_000, 60])
def test_any_number_of_threads_gives_the_same_file(masking, part, monkeypatch):
    monkeypatch.setattr("sfumato.masking.synthesis.dealing.PART", part)
    table = survey(n_small, strata=True)
    found = []
    for threads in (1, 3):
        with using_threads(threads):
            found.append(apply(masking, table))
    assert found[0].fingerprint == found[1].fingerprint
    assert found[0].fingerprint != apply(masking, table, 2).fingerprint
    exact = masking.from_parameters({**masking.non_defaults(), "single": True})
    new = apply(exact, table)
    assert all(contents(new, name) == contents(table, name) for name in FREE)
    assert_derived(new)


@each
def test_a_key_fixes_the_file(masking):
    table, key = survey(60), Key(bytes(range(32)))
    one, again = (masked_with(masking, table, seed=key) for _ in range(2))
    assert one.fingerprint == again.fingerprint != table.fingerprint


def on_disk_masked(masking, table, folder, records):
    blocks = on_disk(table, folder / "o", records)
    return mask_blocks(blocks, masking, folder / "m", seed=1, crew=Workers(None))


@each
def test_blocks_on_disk_keep_their_values_codes_and_relations(masking, tmp_path):
    table = survey(360)
    exact = masking.from_parameters({**masking.non_defaults(), "single": True})
    new = in_memory(on_disk_masked(exact, table, tmp_path, 180))
    for rows in (np.arange(180), np.arange(180, 360)):
        for name in FREE:
            assert contents(new.take(rows), name) == contents(table.take(rows), name)
    assert_derived(new)
    assert (new["income"] == table["income"]).mean() < 0.2
    present = ~(new.missing("income") | new.missing("age"))
    assert np.corrcoef(new["age"][present], new["income"][present])[0, 1] > 0.3
    on_disk_masked(exact, table, tmp_path / "again", 180)
    assert files(tmp_path / "m") == files(tmp_path / "again" / "m")


@each
def test_columns_on_disk_that_are_not_named_are_looked_at(masking, tmp_path):
    table = survey(300, missing=0.0, seed=2)
    only = masking.from_parameters({**masking.non_defaults(), "attributes": ("income",)})
    new = in_memory(on_disk_masked(only, table, tmp_path, 300))
    assert all(np.array_equal(new[name], table[name]) for name in table.names if name != "income")
    assert (new["income"] == table["income"]).mean() < 0.1
    before, after = (np.corrcoef(t["age"], t["income"])[0, 1] for t in (table, new))
    assert after > before - 0.15
