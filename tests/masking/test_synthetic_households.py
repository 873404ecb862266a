"""Households that are drawn whole: their sizes, what members share, and how members are related."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masking.from_disk.masked_blocks import in_memory, on_disk
from masking.synthesis.surveyed import contents
from sfumato.core import DataError, Key, progress
from sfumato.data import Attribute, Schema, Table, broken_rules, edit_rule
from sfumato.data.households import together
from sfumato.datasets import household_survey
from sfumato.masking import CalibratedSynthesis, TreeSynthesis
from sfumato.masking.from_disk.mask_blocks import mask_blocks
from sfumato.parallel import Workers

METHODS = (TreeSynthesis(leaf=20), CalibratedSynthesis(proposals=5))
each = pytest.mark.parametrize("masking", METHODS, ids=lambda masking: masking.name)
SHARED = ("region", "wealth")
OWN = ("age", "sex", "pay")
ATTRIBUTES = (
    Attribute(name="hh", scale="numeric", role="household", decimals=0),
    Attribute(name="region", scale="nominal", role="key", categories=tuple("abc")),
    Attribute(name="wealth", scale="numeric", role="confidential", decimals=0, low=0, missing=("-8", "-9")),
    Attribute(name="member", scale="numeric", role="other", decimals=0),
    Attribute(name="age", scale="numeric", role="key", decimals=0, low=0, high=99),
    Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"), missing=("9",)),
    Attribute(name="pay", scale="numeric", role="confidential", decimals=0, low=0),
)


def homes(sizes, *, seed=0, alone=0, rules=()):
    """Households of these sizes, and some people without a number, in any order."""
    rng = np.random.default_rng(seed)
    sizes = np.array([*sizes, *([1] * alone)], np.int64)
    label = np.repeat(np.arange(len(sizes)), sizes)
    n, number = len(label), rng.choice(10 * len(sizes) + 1, len(sizes), replace=False).astype(float)
    number[len(sizes) - alone :] = np.nan
    gaps = rng.random(len(sizes)) < 0.2
    head = rng.integers(20, 80, len(sizes))
    place = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    columns = {
        "hh": number[label],
        "region": rng.integers(0, 3, len(sizes))[label],
        "wealth": np.where(gaps, np.nan, rng.integers(0, 9000, len(sizes)))[label],
        "member": place + 1.0,
        "age": np.clip(np.where(place < 2, head[label], head[label] - 20) + rng.integers(-4, 5, n), 0, 99),
        "sex": rng.integers(-1, 2, n),
        "pay": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 5000, n)),
    }
    codes = {"wealth": np.where(gaps, rng.integers(0, 3, len(sizes)), 0)[label], "sex": rng.integers(0, 2, n)}
    schema = Schema(ATTRIBUTES, rules=[edit_rule(rule) for rule in rules])
    return Table(schema, columns, reasons=codes).take(rng.permutation(n))


class Ear:
    """Hears what is noted."""

    def __init__(self, told):
        self.told = told

    def noted(self, message):
        self.told.append(message)

    def started(self, task): ...
    def advanced(self, task): ...
    def finished(self, task): ...
    def found(self, what, values): ...
    def honoured(self): ...


def apply(masking, table, seed=1):
    return masking.apply(table, np.random.default_rng(seed))


def sizes_of(table):
    return sorted(np.bincount(together(table)).tolist())


def assert_agreed(table, names=SHARED):
    first = np.unique(together(table), return_index=True)[1][together(table)]
    for name in names:
        np.testing.assert_array_equal(table[name], table[name][first])
        if table.reasons(name) is not None:
            np.testing.assert_array_equal(table.reasons(name), table.reasons(name)[first])


@each
@given(
    sizes=st.lists(st.sampled_from([1, 1, 1, 2, 2, 3, 4, 7]), min_size=1, max_size=60),
    alone=st.integers(0, 5),
    seed=st.integers(0, 10**6),
    single=st.booleans(),
)
@settings(max_examples=12)
def test_households_keep_sizes_missing_shares_and_what_members_share(masking, sizes, alone, seed, single):
    rule = f"same {', '.join(SHARED)} in household"
    table = homes(sizes, seed=seed, alone=alone, rules=[rule])
    new = apply(masking.from_parameters({**masking.non_defaults(), "single": single}), table, seed)
    assert sizes_of(new) == sizes_of(table)
    assert set(new["hh"][~new.missing("hh")]) == set(table["hh"][~table.missing("hh")])
    assert new.missing("hh").sum() == alone
    assert_agreed(new)
    for name in OWN:
        assert new.missing(name).sum() == table.missing(name).sum()
    for name in OWN if single else ("sex",):
        assert contents(new, name) == contents(table, name)
    first = [np.unique(together(t), return_index=True)[1] for t in (table, new)]
    for name in SHARED if single else ("region",):
        assert contents(new.take(first[1]), name) == contents(table.take(first[0]), name)


@each
def test_as_many_people_have_each_shared_value_where_households_of_a_size_are_several(masking):
    table = homes([1] * 40 + [2] * 30 + [3] * 20 + [5] * 12, alone=3)
    new = apply(masking.from_parameters({**masking.non_defaults(), "single": True}), table)
    for name in (*SHARED, *OWN):
        assert contents(new, name) == contents(table, name)
    np.testing.assert_array_equal(np.sort(new["member"]), np.sort(table["member"]))
    order = np.lexsort((new["member"], together(new)))
    label = together(new)[order]
    place = np.arange(new.n) - np.searchsorted(label, label)
    np.testing.assert_array_equal(new["member"][order], place + 1)  # members are numbered again
    kept = (new["region"] == table["region"]) & (new["age"] == table["age"]) & (new["sex"] == table["sex"])
    assert kept.mean() < 0.1


@each
def test_nothing_of_a_household_of_a_size_of_its_own_stays_together(masking):
    table = homes([1] * 30 + [2] * 30 + [9], seed=3)
    names = ("region", "wealth")
    wealthy = table["wealth"].copy()
    wealthy[np.bincount(together(table))[together(table)] == 9] = 77777  # of the largest household
    table = table.replace({"wealth": wealthy})
    exact = masking.from_parameters({**masking.non_defaults(), "single": True})
    stay = 0
    for seed in range(12):
        new = apply(exact, table, seed)
        large = np.bincount(together(new))[together(new)] == 9
        stay += bool((new["wealth"][large] == 77777).all())
    assert_agreed(new, names)
    assert stay < 6


@pytest.mark.parametrize("sizes", [[1, 1, 1], [5], [1], [2], [1, 2, 3, 4, 5, 6, 7, 8], [60]])
@each
def test_few_households_are_no_trouble(masking, sizes):
    table = homes(sizes, seed=4)
    new = apply(masking, table)
    assert sizes_of(new) == sizes_of(table)


@each
def test_people_without_any_household_number(masking):
    table = homes([], alone=30)
    new = apply(masking, table)
    assert np.isnan(new["hh"]).all() and contents(new, "sex") == contents(table, "sex")


@each
def test_what_is_not_named_stays_and_so_do_households(masking):
    table = homes([1] * 30 + [2] * 30 + [4] * 15)
    only = masking.from_parameters({**masking.non_defaults(), "attributes": ("wealth", "age")})
    new = apply(only, table)
    for name in ("hh", "region", "member", "sex", "pay"):
        np.testing.assert_array_equal(new[name], table[name])
    assert_agreed(new)
    assert (new["age"] == table["age"]).mean() < 0.3


def ages_of_pairs(table):
    """The ages of the first and second member of each household that has both."""
    order = np.lexsort((table["person"], together(table)))
    label, age = together(table)[order], table["age"][order]
    first = np.flatnonzero(np.concatenate([[True], label[1:] != label[:-1]]))
    first = first[(first + 1 < len(label)) & (label[np.minimum(first + 1, len(label) - 1)] == label[first])]
    return age[first], age[first + 1]


@pytest.mark.parametrize(
    ("masking", "tolerance"), [(TreeSynthesis(leaf=40), 0.15), (CalibratedSynthesis(proposals=25), 0.08)]
)
def test_ages_of_those_who_live_together_stay_related(masking, tolerance):
    survey = household_survey(1500, seed=3)
    before = np.corrcoef(*ages_of_pairs(survey))[0, 1]
    new = apply(masking, survey)
    assert before > 0.7
    assert np.corrcoef(*ages_of_pairs(new))[0, 1] == pytest.approx(before, abs=tolerance)
    assert_agreed(new, ("region", "wealth", "weight"))
    assert not np.isin(survey["weight"], new["weight"]).all()


def test_members_that_disagree_are_told_and_agree_in_the_release():
    table = homes([2] * 40, rules=["same sex in household"])
    told = []
    with progress.listening(Ear(told)):
        new = apply(TreeSynthesis(leaf=20), table)
    ((rule, count),) = broken_rules(table).items()
    assert f"{count} of 80 records break the rule about sex" in told[0]
    assert broken_rules(new) == {rule: 0}
    assert_agreed(new, ("sex",))


def test_a_formal_promise_does_not_take_households():
    with pytest.raises(DataError, match="column hh would stay"):
        apply(CalibratedSynthesis(epsilon=1.0), homes([2] * 20))


@each
def test_households_on_disk_are_drawn_whole_however_their_members_lie(masking, tmp_path, monkeypatch):
    """Members lie in any block; each part has whole households, and any number of workers gives the same file."""
    monkeypatch.setattr("sfumato.masking.from_disk.by_exchange.HOUSEHOLDS", 120)
    rules = [f"same {', '.join(SHARED)} in household", "never sex = f and pay > 4000"]
    table = homes([1] * 60 + [2] * 60 + [3] * 40, alone=20, rules=rules)
    blocks, key = on_disk(table, tmp_path / "o", 70), Key(bytes(range(32)))
    made = []
    for workers in (1, 2):
        with Workers(None, workers) as crew:
            folder = tmp_path / f"m{workers}"
            made.append(in_memory(mask_blocks(blocks, masking, folder, seed=key, crew=crew, partition=50)))
    new = made[0]
    assert new.fingerprint == made[1].fingerprint
    assert sizes_of(new) == sizes_of(table)
    assert set(new["hh"][~new.missing("hh")]) == set(table["hh"][~table.missing("hh")])
    assert not any(broken_rules(new).values())
    assert_agreed(new)
    assert contents(new, "region") == contents(table, "region")
    for name in OWN:
        assert new.missing(name).sum() == table.missing(name).sum()
    kept = (new["region"] == table["region"]) & (new["age"] == table["age"]) & (new["sex"] == table["sex"])
    assert kept.mean() < 0.15
