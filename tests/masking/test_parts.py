"""Methods that can mask a part of a file when they are told about the whole."""

import numpy as np
import pytest

from masking.test_contract import NAMES, apply, contents, default
from sfumato.core import DataError, registry
from sfumato.masking import InParts, Mdav, Noise, Pram, RankSwapping, Rounding, Whole, stratum_of

ABLE = [name for name in NAMES if registry.load("masking", name).parted_by != "none"]


def wholes_of(masking, table):
    if not masking.divides(table.schema):
        return {(): Whole.of(table)}
    pieces = [table.take(rows) for _, rows in table.strata()]
    return {stratum_of(piece): Whole.of(piece) for piece in pieces}


@pytest.mark.parametrize("name", ABLE)
@pytest.mark.parametrize("strata", [False, True])
def test_a_file_that_is_one_part_is_masked_as_in_memory(mixed, name, strata):
    table, masking = mixed(60, strata=strata), default(name)
    assert isinstance(masking, InParts)
    found = masking.apply_part(
        table, masking.targets(table), np.random.default_rng(1), wholes_of(masking, table)
    )
    assert contents(found) == contents(apply(masking, table))


@pytest.mark.parametrize("name", ABLE)
def test_a_part_of_no_records_stays_as_it_is(mixed, name):
    table, masking = mixed(60), default(name)
    empty = table.take(np.arange(0))
    found = masking.apply_part(empty, masking.targets(table), np.random.default_rng(1), {(): Whole.of(table)})
    assert contents(found) == contents(empty)


@pytest.mark.parametrize("name", [name for name in ABLE if registry.load("masking", name).k_anonymous])
def test_places_are_finite_and_equal_records_share_theirs(mixed, name):
    table, masking = mixed(80, missing=0.4), default(name)
    twice = table.take(np.tile(np.arange(80), 2))
    X = masking.places(twice, masking.targets(table), Whole.of(table))
    assert X.shape == (160, len(masking.targets(table)))
    assert np.isfinite(X).all()
    np.testing.assert_array_equal(X[:80], X[80:])


def test_methods_look_at_the_whole_file_and_not_at_the_part(mixed):
    table = mixed(400)
    part, whole = table.take(np.argsort(table["income"])[:50]), Whole.of(table)
    rng = np.random.default_rng
    rounded = Rounding(attributes=("income",)).mask_part(part, ("income",), rng(1), whole)
    base = Rounding(attributes=("income",)).bases(table)["income"]
    assert base > Rounding(attributes=("income",)).bases(part)["income"]
    np.testing.assert_allclose(rounded["income"] % base, 0, atol=1e-9)
    noisy = Noise(attributes=("income",), kind="uncorrelated").mask_part(part, ("income",), rng(1), whole)
    spread = np.sqrt(0.1) * np.nanstd(table["income"])
    assert np.nanstd(noisy["income"] - part["income"]) == pytest.approx(spread, rel=0.3)
    swapped = RankSwapping(p=5).mask_part(part, ("income",), rng(1), whole)
    ranks = np.argsort(np.argsort(part["income"]))
    where = dict(zip(part["income"], ranks, strict=True))
    moved = [abs(where[value] - rank) for value, rank in zip(swapped["income"], ranks, strict=True)]
    assert 50 * 5 / 100 < max(moved) <= RankSwapping(p=5).window(whole.present("income"))


def test_pram_redraws_a_part_by_the_matrix_of_the_file(mixed):
    table = mixed(3000, missing=0)
    rare = table.take(np.flatnonzero(table["town"] == 4))
    pram = Pram(attributes=("town",), p=0.5)
    found = pram.mask_part(rare, ("town",), np.random.default_rng(1), Whole.of(table))
    shares = np.bincount(found["town"], minlength=5) / rare.n
    np.testing.assert_allclose(shares, pram.matrices(table)["town"][4], atol=0.12)


def test_the_scale_of_microaggregation_is_that_of_the_file(mixed):
    table = mixed(400, missing=0)
    part = table.take(np.argsort(table["income"])[:60])
    mdav = Mdav(k=3, attributes=("age", "income"))
    found = mdav.mask_part(part, mdav.attributes, np.random.default_rng(1), Whole.of(table))
    alone = mdav.mask_part(part, mdav.attributes, np.random.default_rng(1), Whole.of(part))
    lost = {name: [np.abs(t[name] - part[name]).mean() for t in (found, alone)] for name in mdav.attributes}
    assert lost["age"][0] < lost["age"][1]  # incomes of the part are all the same on the scale of the file
    assert lost["income"][0] > lost["income"][1]


def test_a_part_of_a_stratum_that_breaks_a_rule_is_named(mixed):
    table = mixed(40, strata=True)
    part = table.take(np.arange(8))
    with pytest.raises(
        DataError, match=r"^Stratum sector = a: mdav: k = 5 needs at least 5 records. Got 2.$"
    ):
        Mdav(k=5).apply_part(part, ("age",), np.random.default_rng(1), wholes_of(Mdav(), table))
