import numpy as np
import pytest
from evolving import NAMES, small_table

from sfumato import datasets
from sfumato.core import DataError, progress, registry
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Chain, GlobalRecoding, Mdav, RankSwapping, masked_with
from sfumato.search.file_evolution.starts import mares_start, masked_start, portfolio_start


def categorical(n, domains, scales=("ordinal",) * 3):
    attributes = [
        Attribute(name=f"v{i}", scale=scale, role="key", categories=tuple(f"c{j:02}" for j in range(size)))
        for i, (size, scale) in enumerate(zip(domains, scales, strict=True))
    ]
    rng = np.random.default_rng(1)
    return Table(Schema(attributes), {a.name: rng.integers(a.domain_size, size=n) for a in attributes})


def kinds(maskings):
    """How many maskings of each kind; that of a chain is its first step's."""
    found = {}
    for masking in maskings:
        first = masking.steps[0] if isinstance(masking, Chain) else masking
        name = f"{first.name} {first.side}" if first.name == "top_bottom_coding" else first.name
        found[name] = found.get(name, 0) + 1
    return found


@pytest.mark.parametrize(
    ("n", "domains", "scales", "microaggregations", "codings"),
    [
        (50, (25, 8, 21), ("ordinal",) * 3, 72, 6),  # housing: 110
        (50, (5, 6, 6), ("ordinal",) * 3, 72, 4),  # German credit: 104
        (12_000, (16, 7, 14), ("ordinal", "nominal", "nominal"), 48, 6),  # Adult: 86
    ],
)
def test_the_starts_of_the_source(n, domains, scales, microaggregations, codings):
    table = categorical(n, domains, scales)
    found = mares_start(table, table.names)
    assert kinds(found) == {
        "mdav_generic": microaggregations,
        "top_bottom_coding bottom": codings,
        "top_bottom_coding top": codings,
        "global_recoding": codings,
        "rank_swapping": 11,
        "pram": 9,
    }
    assert len({str(masking) for masking in found}) == len(found)


@pytest.mark.parametrize("count", [50, 16, 5])
def test_numbers_start_from_rank_swappings_and_microaggregations(count):
    table = datasets.business_survey(150, seed=1)
    keys = table.schema.with_role("key")
    found = mares_start(table, keys, numeric=count)
    assert kinds(found) == {"rank_swapping": -(-count // 2), "mdav": count // 2}
    assert len({str(masking) for masking in found}) == count


def test_nominal_attributes_are_swapped_at_random():
    table = categorical(30, (4, 4, 4), ("nominal",) * 3)
    found = kinds(mares_start(table, table.names))
    assert found["data_swapping"] == 11
    assert not any("coding" in kind and kind != "global_recoding" for kind in found)


def test_the_start_holds_every_setting_of_every_method_that_masks_keys_and_keeps_records():
    table = datasets.business_survey(150, seed=1)
    keys = table.schema.with_role("key")
    methods = [registry.load("masking", name) for name in registry.names("masking")]
    expected = {
        m.name
        for m in methods
        if "numeric" in m.scales and m.keeps_records and not m.takes_all and list(m.settings(numeric=True))
    }
    found = portfolio_start(table, keys)
    assert {masking.name for masking in found} == expected
    assert {m.k for m in found if m.name == "mdav"} == set(Mdav.grid["k"])
    assert {m.p for m in found if m.name == "rank_swapping"} == {*RankSwapping.grid["p"], 60, 100}


def test_numbers_and_categories_are_masked_together_each_setting_once_at_least():
    table = small_table()
    found = portfolio_start(table, NAMES, methods=("mdav", "pram", "mdav_generic"))
    chains = [masking for masking in found if isinstance(masking, Chain)]
    numbers, categories = {str(c.steps[0]) for c in chains}, {str(c.steps[1]) for c in chains}
    assert all(set(c.steps[0].attributes) <= {"wage", "age"} for c in chains)
    assert all(set(c.steps[1].attributes) <= {"size", "trade"} for c in chains)
    assert {f"mdav (k = {k}, attributes = wage, age)" for k in Mdav.grid["k"] if k != 5} <= numbers
    assert sum(name.startswith("pram") for name in categories) == 9
    whole = [m for m in found if not isinstance(m, Chain)]
    assert whole and all(m.name == "mdav_generic" and m.attributes == NAMES for m in whole)
    mixed = mares_start(table, NAMES)
    assert all(isinstance(masking, Chain) for masking in mixed)


class NoteKeeper:
    """Listens to notes only."""

    def __init__(self, notes):
        self.noted = notes.append

    def started(self, task):
        pass

    advanced = finished = started


def test_masked_starts_are_the_same_on_any_number_of_workers_and_what_cannot_be_done_is_left_out():
    table = categorical(60, (5, 6, 6))
    maskings = [*mares_start(table, table.names)[::20], Mdav(k=70, attributes=()), GlobalRecoding(p=2)]
    notes = []

    with progress.listening(NoteKeeper(notes)):
        here = masked_start(table, maskings, seed=3)
    there = masked_start(table, maskings, seed=3, workers=2)
    assert [(name, t.fingerprint) for name, t in here] == [(name, t.fingerprint) for name, t in there]
    assert len(here) == len(maskings) - 1 and len(notes) == 1
    assert notes[0].startswith("mdav (k = 70) was left out: ")
    assert here[0][1].fingerprint == masked_with(maskings[0], table, seed=3).fingerprint


def test_a_start_of_nothing_is_refused():
    with pytest.raises(DataError, match="None of the maskings"):
        masked_start(categorical(10, (3, 3, 3)), [Mdav()])
