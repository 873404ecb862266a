from pathlib import Path
from typing import Any

import pytest
from benches import Server, visiting
from stories import check_usable, finished_run, held, run_shown

from sfumato import group_attributes
from sfumato.core import SfumatoError
from sfumato.data import read_table, write_table
from sfumato.datasets import business_survey
from sfumato.web.projects import Project
from sfumato.web.questions.grouping import grouping
from sfumato.web.workspace import Workspace

NAMES = ("staff", "cash", "wages", "profit")


def _project(folder: Path) -> Project:
    write_table(business_survey(60, seed=1), folder / "firms.csv")
    return Workspace(folder).open_file("firms.csv")


def _settings(**others: Any) -> dict[str, Any]:
    return {"key": NAMES, "k": 5, "record": "grouped.record.json", "output": "grouped.csv", **others}


def test_what_the_run_found_is_what_python_finds(tmp_path: Path) -> None:
    project = _project(tmp_path)
    found = grouping(held(project), {"run": finished_run(project, "group-attributes", _settings())})
    again = group_attributes(read_table(tmp_path / "firms.csv"), k=5, names=NAMES)
    assert found["exact"] and found["evaluations"] == 15
    assert found["best"] == again.best.to_dict()
    assert found["yardsticks"] == {
        "all together": again.together.to_dict(),
        "one by one": again.apart.to_dict(),
    }
    assert sorted(found["attributes"]) == sorted(NAMES)
    for place in found["front"]:
        assert not any(p["loss"] < place["loss"] and p["risk"] < place["risk"] for p in found["front"])
    assert found["history"][-1]["best"] == found["best"]["score"]


def test_a_search_tells_its_course_and_its_operators(tmp_path: Path) -> None:
    project = _project(tmp_path)
    settings = _settings(search="genetic", generations=4, population=5, seed=2)
    found = grouping(held(project), {"run": finished_run(project, "group-attributes", settings)})
    assert not found["exact"] and found["seed"] == 2
    assert [step["generation"] for step in found["history"]] == [0, 1, 2, 3, 4]
    best = [step["best"] for step in found["history"]]
    assert best == sorted(best, reverse=True)
    assert set(found["operators"]) and all(one["tried"] >= one["kept"] for one in found["operators"].values())


@pytest.mark.parametrize("run", ["", "../../x", "0123456789ab", "0123456789AB", "/etc/passwd"])
def test_a_run_that_is_not_there_is_refused(tmp_path: Path, run: str) -> None:
    with pytest.raises(SfumatoError, match="no such run"):
        grouping(held(_project(tmp_path)), {"run": run})


def test_a_run_of_another_command_is_refused(tmp_path: Path) -> None:
    project = _project(tmp_path)
    run = finished_run(project, "mask", {"method": "mdav", "output": "masked.csv"})
    with pytest.raises(SfumatoError, match="a run of mask: choose one of group-attributes"):
        grouping(held(project), {"run": run})


def test_a_run_that_wrote_nothing_says_so(tmp_path: Path) -> None:
    project = _project(tmp_path)
    run = finished_run(project, "group-attributes", _settings(k=61))
    with pytest.raises(SfumatoError, match="written nothing yet"):
        grouping(held(project), {"run": run})


def test_the_page_finds_a_grouping(server: Server, browser: Any, folder: Path) -> None:
    write_table(business_survey(60, seed=1), folder / "firms.csv")
    project = server.open("firms.csv")
    with visiting(browser, server) as page:
        page.goto(f"{server.base}/projects/{project}/grouping")
        page.get_by_role("button", name="Find the best grouping").wait_for()
        for box in page.locator("fieldset.ticks input").all():
            if box.locator("xpath=..").inner_text() not in NAMES:
                box.uncheck()
        page.get_by_label("Smallest group of records, k").fill("1")
        page.get_by_role("button", name="Find the best grouping").click()
        page.get_by_text("k must be an integer of at least 2. Got 1.").wait_for()
        page.get_by_label("Smallest group of records, k").fill("5")
        page.get_by_role("button", name="Find the best grouping").click()
        page.get_by_role("heading", name="The best grouping has").wait_for()
        with server.client() as client:
            found = client.get(f"/api/projects/{project}/runs/{run_shown(page)}/grouping").json()
            by_question = client.get(f"/api/projects/{project}/grouping?run={run_shown(page)}").json()
        assert found == by_question
        shown = [one.inner_text().split("\n")[1:] for one in page.locator(".groups .group").all()]
        assert shown == found["best"]["groups"]
        assert page.get_by_role("cell", name=f"{found['best']['score']:.2f} %").count() >= 1
        check_usable(page)
        page.get_by_role("button", name="Remove 4 columns, k = 5").click()
        page.get_by_role("heading", name="Runs").wait_for(state="hidden")
        page.locator(".groups").first.wait_for(state="hidden")
