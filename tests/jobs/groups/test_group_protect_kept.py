"""Searches of group anonymity that are kept in a folder: cut off and resumed, they end as if they never had been."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swapping import METRIC, small_table

from sfumato import group_attack, group_protect
from sfumato.core import Cancelled, FileError
from sfumato.core.progress import listening
from sfumato.datasets.census_pair import WORDS, census_pair
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.search.optimizers.memetic import Memetic

SOLDIERS = {"vital": {"soldier": ["yes"]}, "parameter": "place"}
GENERATIONS = 12
PAIR = census_pair(4000, areas=12, planted=1, seed=3)
MILITARY = {"vital": PAIR.vital, "parameter": PAIR.parameter}
SPOKEN = Vocabulary.from_toml(WORDS)


class Impatient:
    """Stops the work once, after so many steps of the progress bars."""

    def __init__(self, patience):
        self.patience = patience

    def started(self, task): ...

    def advanced(self, task):
        self.patience -= 1
        if self.patience == 0:
            raise Cancelled("enough")

    def finished(self, task): ...
    def noted(self, message): ...
    def found(self, what, values): ...
    def honoured(self): ...


def protect(folder=None, table=None, **settings):
    given = {"hide": ["Drum"], "significance": 0.05, "generations": GENERATIONS, "seed": 0, **SOLDIERS}
    alike = {"alike": METRIC.attributes, "ordinal": METRIC.ordinal}
    optimizer = Memetic(population=20)
    table = small_table() if table is None else table
    return group_protect(table, optimizer=optimizer, run_folder=folder, **{**given, **alike, **settings})


def attack(folder=None, auxiliary=PAIR.auxiliary, **settings):
    given = {"words": SPOKEN, "runs": 3, "generations": GENERATIONS, "run_folder": folder, **MILITARY}
    return group_attack(PAIR.survey, auxiliary, **{**given, **settings})


def with_one_soldier_less():
    table = small_table()
    soldier = table["soldier"].copy()
    soldier[0] = 0
    return table.replace({"soldier": soldier})


def stored(folder):
    """The generations in a journal: their numbers, when they were done, and their outcomes."""
    with closing(sqlite3.connect(folder / "journal.sqlite")) as base:
        return base.execute("SELECT number, seconds, outcomes FROM generations ORDER BY number").fetchall()


@pytest.fixture(scope="module")
def undisturbed():
    return protect()


@settings(max_examples=5)
@given(cut=st.integers(2, GENERATIONS))
def test_swaps_that_were_cut_off_anywhere_end_the_same(undisturbed, tmp_path_factory, cut):
    folder = tmp_path_factory.mktemp("kept")
    with listening(Impatient(cut)):
        assert protect(folder).generations == cut - 1
    known = stored(folder / "swaps")
    again = protect(folder)
    assert again.run.resumed == len(known) == cut
    assert stored(folder / "swaps")[:cut] == known
    assert again.swaps.rows.tolist() == undisturbed.swaps.rows.tolist()
    assert again.release.fingerprint == undisturbed.release.fingerprint
    assert [step.best for step in again.run.history] == [step.best for step in undisturbed.run.history]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_attack_that_was_cut_off_learns_the_same_on_any_number_of_workers(tmp_path, workers):
    whole = attack()
    with listening(Impatient(2 * (GENERATIONS + 2) + 6)):  # in the third run
        cut = attack(tmp_path)
    known = {folder.name: stored(folder) for folder in tmp_path.iterdir()}
    assert {name: len(generations) for name, generations in known.items()} == {
        "rules-0": 13,
        "rules-1": 13,
        "rules-2": 6,
    }
    again = attack(tmp_path, workers=workers)
    assert again.qualities == whole.qualities != cut.qualities
    assert again.to_dict() == whole.to_dict()
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["rules-0", "rules-1", "rules-2"]
    for name, generations in known.items():
        assert stored(tmp_path / name)[: len(generations)] == generations


def test_an_attack_that_is_all_there_is_learnt_from_its_folder(tmp_path):
    whole = attack(tmp_path)
    known = {folder: stored(folder) for folder in tmp_path.iterdir()}
    assert attack(tmp_path).to_dict() == whole.to_dict()
    assert {folder: stored(folder) for folder in tmp_path.iterdir()} == known


@pytest.mark.parametrize("patience", [GENERATIONS // 2, GENERATIONS + 2])  # in the first run, and at its end
def test_a_protection_is_not_made_against_half_an_attack(tmp_path, patience):
    learnt = {"auxiliary": PAIR.auxiliary, "words": SPOKEN, "attack_generations": GENERATIONS, **MILITARY}
    asked = {"hide": PAIR.planted, "generations": 3, "seed": 0, "run_folder": tmp_path, **learnt}
    with listening(Impatient(patience)), pytest.raises(Cancelled):
        group_protect(PAIR.survey, **asked)
    assert not (tmp_path / "swaps").exists()
    assert group_protect(PAIR.survey, **asked).model.rules == attack(runs=10).model.rules


def test_both_searches_share_a_folder(tmp_path):
    model = attack(tmp_path).model
    found = group_protect(
        PAIR.survey, model=model, hide=PAIR.planted, generations=3, run_folder=tmp_path, **MILITARY
    )
    kept = {"rules-0", "rules-1", "rules-2", "swaps", "secret.key"}
    assert {path.name for path in tmp_path.iterdir()} == kept
    assert len(stored(tmp_path / "swaps")) == found.generations + 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seed": 1}, "another seed"),
        ({"table": small_table(seed=1)}, "another file"),
        ({"table": with_one_soldier_less()}, "another group, or another attack on it"),
        ({"hide": ["Drum", "Essex"]}, "other places to hide"),
        ({"limit": 3}, "another limit"),
        ({"alike": ("age", "sex"), "ordinal": ()}, "other attributes, or another metric"),
    ],
)
def test_swaps_of_another_run_are_refused_by_name(tmp_path, change, says):
    protect(tmp_path, generations=2)
    with pytest.raises(FileError, match=f"^{tmp_path}/swaps/journal.sqlite: holds a run with {says}.*; name"):
        protect(tmp_path, generations=2, **change)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seed": 1}, "another seed"),
        ({"auxiliary": census_pair(4000, areas=12, planted=1, seed=4).auxiliary}, "another file"),
        ({"words": None}, "other words"),
        ({"vital": {"military": ["0"]}}, "another group"),
        ({"fitness": "youden"}, "other measures"),
    ],
)
def test_rules_of_another_attack_are_refused_by_name(tmp_path, change, says):
    attack(tmp_path, runs=1, generations=1)
    with pytest.raises(
        FileError, match=f"^{tmp_path}/rules-0/journal.sqlite: holds a run with {says}.*; name"
    ):
        attack(tmp_path, runs=1, generations=1, **change)
