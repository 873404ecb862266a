import csv
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from benches import Server, visiting
from run_examples import at_end, wait_for, wait_till_gone
from stories import check_usable, finished_run, held, record_of, run_shown

from sfumato.core import SfumatoError
from sfumato.data import write_table
from sfumato.datasets.census_pair import census_pair
from sfumato.jobs.groups.protect import GroupsProtect
from sfumato.web.projects import Project
from sfumato.web.questions.group_attack import group_attack
from sfumato.web.questions.group_protection import group_protection
from sfumato.web.questions.group_signals import group_signals
from sfumato.web.runs.project_job import project_job
from sfumato.web.runs.project_runs import ProjectRuns
from sfumato.web.runs.run_lock import kill
from sfumato.web.workspace import Workspace

PAIR = census_pair(2500, areas=12, planted=1, seed=3)
MEANT = {"vital": "military", "values": ["1"], "parameter": "workplace"}
ASKED = {"vital": ["military=1"], "parameter": "workplace"}


def _write(folder: Path) -> None:
    write_table(PAIR.survey, folder / "survey.csv")
    write_table(PAIR.auxiliary, folder / "census.csv")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    _write(tmp_path)
    project = Workspace(tmp_path).open_file("survey.csv")
    project.save_schema(PAIR.survey.schema.to_toml())
    return project


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def _counted(path: Path) -> Counter[str]:
    """The members in each place, line by line."""
    return Counter(line["workplace"] for line in _lines(path) if line["military"] == "1")


def _counted_after(out: Path, original: Path) -> Counter[str]:
    """The members in each place of a release, whose records are in another order; the original tells who is one."""
    told, order = _lines(original), _lines(out / "hidden.private" / "order.csv")
    places = zip(_lines(out / "hidden.csv"), order, strict=True)
    return Counter(line["workplace"] for line, of in places if told[int(of["record"]) - 1]["military"] == "1")


def test_the_signal_is_what_anybody_counts(project: Project) -> None:
    found = group_signals(held(project), MEANT)
    counted = _counted(project.path)
    assert {row["place"]: row["value"] for row in found["signals"]} == {
        row["place"]: counted[row["place"]] for row in found["signals"]
    }
    assert found["members"] == sum(counted.values()) and found["records"] == 2500
    assert set(PAIR.planted) <= set(found["outliers"])
    assert [row["place"] for row in found["signals"] if row["outlier"]] == found["outliers"]


def test_a_concentration_is_the_share_of_each_place(project: Project) -> None:
    asked = {"vital": "military", "values": "1", "parameter": "workplace", "signal": "concentration"}
    found, counted = group_signals(held(project), asked), _counted(project.path)
    for row in found["signals"]:
        assert row["value"] == pytest.approx(counted[row["place"]] / row["records"])
    assert sum(row["records"] for row in found["signals"]) == 2500


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "Say which values"),
        ({**MEANT, "values": ["9"]}, "vital attribute military"),
        ({**MEANT, "parameter": "military"}, "both vital and the parameter"),
        ({**MEANT, "signal": "loud"}, "signal must be one of"),
        ({**MEANT, "significance": "very"}, "significance must be a number"),
        ({**MEANT, "vital": "x"}, "x"),
    ],
)
def test_wrong_groups_are_refused(project: Project, arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SfumatoError, match=sentence):
        group_signals(held(project), arguments)


def test_a_signal_over_too_many_places_is_not_drawn(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = len(group_signals(held(project), MEANT)["signals"])
    monkeypatch.setattr("sfumato.web.questions.group_signals.MOST_PLACES", places)
    assert group_signals(held(project), MEANT)["signals"]
    monkeypatch.setattr("sfumato.web.questions.group_signals.MOST_PLACES", places - 1)
    with pytest.raises(SfumatoError, match=f"has {places} values: choose one with at most {places - 1}"):
        group_signals(held(project), MEANT)


def test_a_hidden_group_is_what_the_written_file_shows(project: Project) -> None:
    run = finished_run(project, "groups protect", {**ASKED, "generations": 40, "output": "hidden.csv"})
    found = group_protection(held(project), {"run": run})
    before, after = _counted(project.path), _counted_after(project.runs / run / "out", project.path)
    for row in found["signals"]:
        assert (row["before"], row["after"]) == (before[row["place"]], after[row["place"]])
    assert found["still_found"] == [] and found["sizes_kept"]
    assert found["changed_records"] == 2 * found["swaps"] > 0
    assert found["truth"] is None and found["group"]["vital"] == {"military": ["1"]}


def test_several_groups_are_shown_each_with_what_others_see(project: Project) -> None:
    settings = {
        **ASKED,
        "also": ["sex=1 & marital=6"],
        "hide": list(PAIR.planted),
        "judge": [str(project.path.with_name("census.csv"))],
        "auxiliary-schema": str(project.schema_path),
        "attack-generations": 2,
        "generations": 5,
        "output": "hidden.csv",
    }
    run = finished_run(project, "groups protect", settings)
    found = group_protection(held(project), {"run": run})
    (other,) = found["others"]
    assert other["group"] == "sex=1 & marital=6" and len(other["signals"]) == len(found["signals"])
    for one in (found, other):
        assert len(one["judged"]["attackers"]) == 3


def test_an_attack_tells_what_it_sees_and_how_right_it_is(project: Project) -> None:
    settings = {
        **ASKED,
        "auxiliary": str(project.path.with_name("census.csv")),
        "auxiliary-schema": str(project.schema_path),
        "runs": 1,
        "generations": 5,
        "record": "attack.record.json",
    }
    run = finished_run(project, "groups attack", settings)
    found, counted = group_attack(held(project), {"run": run}), _counted(project.path)
    assert {row["place"]: row["true"] for row in found["signals"]} == {
        row["place"]: counted[row["place"]] for row in found["signals"]
    }
    assert [row["place"] for row in found["signals"] if row["outlier"]] == found["outliers"]
    assert found["verdict"] and len(found["rules"]) <= 20


@pytest.fixture
def runs(project: Project) -> Iterator[ProjectRuns]:
    """The runs of the project; what a test left at work is ended."""
    found = ProjectRuns(project.runs)
    yield found
    for run in found.list():
        kill(found.path(run.id))
        wait_till_gone(found, run.id)


def _stored(journal: Path) -> list[tuple[int, float, bytes]]:
    """The generations in a journal: their numbers, when they were done, and their outcomes."""
    with closing(sqlite3.connect(journal)) as base:
        return base.execute("SELECT number, seconds, outcomes FROM generations ORDER BY number").fetchall()


def test_a_run_that_was_stopped_goes_on(project: Project, runs: ProjectRuns) -> None:
    settings = {**ASKED, "generations": 250, "output": "hidden.csv"}
    id = runs.start(project_job(project, GroupsProtect, settings)).id
    journal = runs.path(id) / "journal" / "swaps" / "journal.sqlite"
    wait_for(runs, id, lambda state: state.task == "Swapping" and state.done > 50)
    runs.stop(id)
    assert at_end(runs, id).state == "stopped"
    known = _stored(journal)
    assert 12 < len(known) < 251
    assert record_of(project, id)["generations"] == len(known) - 1  # it kept its best
    runs.resume(id)
    assert at_end(runs, id).state == "finished"
    after, record = _stored(journal), record_of(project, id)
    assert after[: len(known)] == known and len(after) == 251
    assert (record["generations"], record["run"]["resumed"]) == (250, len(known))
    key = str(runs.path(id) / "journal" / "secret.key")
    whole = finished_run(project, "groups protect", {**settings, "secret": key})
    for name in ("hidden.csv", "hidden.private/swaps.csv", "hidden.private/order.csv"):
        assert (runs.path(id) / "out" / name).read_bytes() == (runs.path(whole) / "out" / name).read_bytes()


def test_the_page_shows_where_a_group_is_and_hides_it(server: Server, browser: Any, folder: Path) -> None:
    _write(folder)
    project = server.open("survey.csv")
    with server.client() as client:
        client.put(f"/api/projects/{project}/schema.toml", content=PAIR.survey.schema.to_toml())
    with visiting(browser, server) as page:
        page.goto(f"{server.base}/projects/{project}/groups")
        page.get_by_label("Column that tells who belongs", exact=True).select_option("military")
        page.get_by_label("Counted over").select_option("workplace")
        page.get_by_text("Tick the values that say who belongs").wait_for()
        page.get_by_label("1", exact=True).check()
        page.get_by_text(f"places stand out: {', '.join(PAIR.planted)}").wait_for()
        assert not page.get_by_role("button", name="Only try the attack").is_visible()
        page.get_by_label("Who looks for them").select_option("census.csv")
        page.get_by_role("button", name="Only try the attack").wait_for()
        page.get_by_label("Who looks for them").select_option("")
        page.get_by_label("Generations", exact=True).fill("40")
        page.get_by_role("button", name="Hide the group").click()
        page.get_by_role("heading", name="Before and after").wait_for()
        with server.client() as client:
            found = client.get(f"/api/projects/{project}/runs/{run_shown(page)}/group_protection").json()
        assert found["verdict"] in page.locator(".notice.good").inner_text()
        panel = page.locator(".panel", has=page.get_by_role("heading", name="Before and after"))
        panel.locator("summary", has_text="The same numbers as a table").click()
        cells = panel.get_by_role("cell").all_inner_texts()
        shown = [[f"{row['before']:g}", f"{row['after']:g}"] for row in found["signals"]]
        assert [cells[i : i + 2] for i in range(0, len(cells), 3)] == shown
        check_usable(page)
