import json

import numpy as np
import pytest
from swapping import small_table

from sfumato import group_attack, group_protect, group_report, write_release
from sfumato.core import DataError, FileError, GateError, Key, ParameterError, UnknownNameError
from sfumato.data import Schema, read_table
from sfumato.datasets.census_pair import WORDS, census_pair
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.signals import places_of
from sfumato.groups.swaps import SwapList
from sfumato.jobs.groups.protect import GroupsProtect
from sfumato.reports.group_protection import group_protection
from sfumato.search.optimizers.memetic import Memetic

SOLDIERS = {"vital": {"soldier": ["yes"]}, "parameter": "place"}
QUICK = {"optimizer": Memetic(population=30), "generations": 40, "significance": 0.05}
SURE = {"seed": 1, **QUICK}  # of few lists and generations, not every key finds swaps that will do
PUBLIC = {"out.csv", "out.schema.toml", "out.about.html"}
PRIVATE = {"swaps.csv", "record.json", "report.html", "order.csv", "schema.toml", "study.toml"}


@pytest.fixture(scope="module")
def protection():
    return group_protect(small_table(), along=["county"], seed=1, **SOLDIERS, **QUICK)


def test_the_named_place_is_hidden_and_every_place_keeps_its_size(protection):
    original, release = protection.original, protection.aligned
    found = protection.comparison
    assert "Drum" in found.named
    assert found.is_hidden
    assert found.sizes_kept
    assert (np.bincount(release["place"] + 1) == np.bincount(original["place"] + 1)).all()
    assert found.altered == {
        name: 2 * len(protection.swaps) if name in ("place", "county") else 0 for name in release.names
    }
    assert protection.valid >= 95
    assert protection.distortion == pytest.approx(sum(protection.distortions))


def test_the_owner_can_undo_it(protection):
    before = protection.swaps.undone(protection.aligned, protection.columns)
    assert before.fingerprint == protection.original.fingerprint


def test_one_seed_gives_one_file(protection):
    again = group_protect(small_table(), along=["county"], seed=1, **SOLDIERS, **QUICK)
    assert again.release.fingerprint == protection.release.fingerprint


def record_of(folder):
    return json.loads((folder / "out.private/record.json").read_text())


def test_all_files_appear_and_the_swaps_are_read_back(protection, tmp_path):
    paths = write_release(protection, tmp_path / "out.csv", source="survey.csv")
    assert {path.name for path in paths if path.parent == tmp_path} == PUBLIC
    assert {path.name for path in paths if path.parent == tmp_path / "out.private"} == PRIVATE
    assert {path.name for path in tmp_path.iterdir()} == PUBLIC | {"out.private"}
    written = read_table(tmp_path / "out.csv", schema=protection.release.schema)
    assert record_of(tmp_path)["release"]["fingerprint"] == written.fingerprint
    full = Schema.read(tmp_path / "out.private/schema.toml")
    released = read_table(tmp_path / "out.csv", schema=full)
    order = np.loadtxt(tmp_path / "out.private/order.csv", skiprows=1, dtype=int) - 1
    release = released.take(np.argsort(order))
    swaps = SwapList.read_csv(tmp_path / "out.private/swaps.csv", places_of(release, "place").names)
    assert swaps.undone(release, protection.columns).fingerprint == protection.original.fingerprint
    record = record_of(tmp_path)
    assert record["comparison"]["still_found"] == []
    assert record["swaps"]["count"] == len(swaps)
    page = (tmp_path / "out.private/report.html").read_text()
    assert page.count("<svg") == 1
    assert "Drum" in page
    assert "src=" not in page
    with pytest.raises(FileError, match="is also an input"):
        write_release(protection, tmp_path / "out.csv", source=tmp_path / "out.csv")


def test_rows_and_plots(protection):
    frame = protection.to_frame()
    assert frame.column_names == ["from_place", "record", "to_place", "partner", "distance"]
    assert frame.num_rows == len(protection.swaps)
    assert protection.comparison.to_frame().num_rows == 8
    for result in (protection, protection.comparison):
        (axes,) = result.plot().axes
        assert axes.get_title(loc="left").startswith("Hidden")


def test_a_comparison_needs_no_list_of_swaps(protection):
    found = group_report(protection.original, protection.aligned, significance=0.05, **SOLDIERS)
    assert found.named == protection.comparison.named
    assert found.is_hidden
    same = group_report(protection.original, protection.original, significance=0.05, **SOLDIERS)
    assert not same.is_hidden
    assert same.still_found == same.named
    assert same.altered_values == 0
    assert same.verdict.startswith("Not hidden")
    assert "still shows" in group_protection(same)


def test_files_that_cannot_be_compared_are_refused(protection):
    short = protection.aligned.take(np.arange(10))
    with pytest.raises(DataError, match="10 records where the original has 240"):
        group_report(protection.original, short, **SOLDIERS)
    moved = protection.aligned.replace({"place": np.zeros(240, int)})
    with pytest.raises(DataError, match="does not have the same places"):
        group_report(protection.original, moved, **SOLDIERS)


def test_limits_metrics_and_strikes_are_obeyed():
    table = small_table()
    found = group_protect(
        table,
        hide=["Drum"],
        limit=4,
        alike=["age", "sex"],
        ordinal=["age"],
        weights={"sex": 2},
        **SOLDIERS,
        **SURE,
    )
    assert found.comparison.after.values[0] <= 4
    assert (found.metric.attributes, found.metric.ordinal) == (("age", "sex"), ("age",))
    assert found.metric.greatest == 3
    assert "soldier" in found.release
    bare = group_protect(table, hide=["Drum"], without_vital=True, **SOLDIERS, **SURE)
    assert "soldier" not in bare.release and "soldier" in bare.treated.left_out
    with pytest.raises(DataError, match="nothing to protect"):
        group_protect(table, strike=table.schema["place"].categories, **SOLDIERS, **SURE)


def test_numbers_are_compared_by_their_size_unless_told_otherwise(protection):
    assert protection.metric.ordinal == ("age",)
    plain = GroupsProtect(file="a.csv", output="b.csv", **SOLDIERS, categorical=["age"])
    assert plain.metric(protection.original).ordinal == ()


def test_only_the_named_places_take():
    few = ["Kings", "Point", "Ulster", "Yates", "Wayne", "Tioga"]
    found = group_protect(small_table(), hide=["Drum"], take=few, **SOLDIERS, **SURE)
    assert {row["to_place"] for row in found._rows()} <= set(few)
    assert found.comparison.after.values[1] == found.comparison.before.values[1]  # Essex
    with pytest.raises(DataError, match="Drum cannot take records"):
        group_protect(small_table(), hide=["Drum"], take=["Drum"], **SOLDIERS, **SURE)


def test_what_cannot_be_protected_is_refused():
    table = small_table()
    with pytest.raises(UnknownNameError, match="column"):
        group_protect(table, along=["state"], **SOLDIERS)
    with pytest.raises(ParameterError, match=r"wanted must hold 4 numbers for each name\. Got 'Drum=0,14'"):
        group_protect(table, hide=["Drum"], wanted={"Drum": (0, 14)}, **SOLDIERS)
    with pytest.raises(GateError, match="nothing was written"):
        group_protect(
            table,
            hide=["Drum"],
            significance=0.3,
            wanted={"Drum": (0, 14, 14, 16)},
            generations=1,
            **SOLDIERS,
        )


def test_whatever_ends_the_search_the_file_can_be_made_again():
    ended = group_protect(small_table(), stagnation=5, significance=0.05, seed=2, **SOLDIERS)
    job = ended.repeated()
    assert job.settings()["generations"] == ended.generations
    again = group_protect(
        small_table(), **{key.replace("-", "_"): value for key, value in job.settings().items()}
    )
    assert again.release.fingerprint == ended.release.fingerprint


def test_a_cluster_changes_nothing():
    short = {**SOLDIERS, **QUICK, "generations": 12, "hide": ["Drum"], "secret": Key.drawn()}
    here = group_protect(small_table(), **short)
    elsewhere = group_protect(small_table(), **short, cluster="local", workers=1)
    assert elsewhere.release.fingerprint == here.release.fingerprint


def test_attack_protect_attack_again():
    """The loop of the source, with a fuzzy model learnt from the auxiliary file."""
    pair = census_pair(20_000, areas=40, planted=2, seed=3)
    group = {"vital": pair.vital, "parameter": pair.parameter}
    words = Vocabulary.from_toml(WORDS)
    attack = group_attack(pair.survey, pair.auxiliary, words=words, runs=1, generations=30, **group)
    assert set(attack.found.names) >= set(pair.planted)
    found = group_protect(pair.survey, model=attack.model, generations=100, **group)
    assert "military" not in found.release
    again = group_attack(found.release, pair.auxiliary, model=attack.model, **group)
    assert not set(again.found.names) & set(found.comparison.named)
    assert np.allclose(again.signal.values, found.comparison.after.values)
    assert found.comparison.altered_percent < 0.05
    assert found.truth is not None
    page = group_protection(found)
    assert page.count("<svg") == 2
    assert attack.model.sentences[0] in page.replace("&gt;", ">")
