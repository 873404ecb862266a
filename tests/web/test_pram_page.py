from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benches import Server, visiting
from stories import check_usable, finished_run, held, record_of, run_shown

from sfumato.data import read_table, write_table
from sfumato.datasets import household_survey
from sfumato.web.projects import Project
from sfumato.web.questions.pram import pram
from sfumato.web.workspace import Workspace

NAMES = ("sex", "marital")


def _project(folder: Path) -> Project:
    write_table(household_survey(150, seed=1), folder / "survey.csv")
    return Workspace(folder).open_file("survey.csv")


def _settings(**others: Any) -> dict[str, Any]:
    return {
        "attributes": NAMES,
        "generations": 8,
        "output": "matrices.json",
        "record": "matrices.record.json",
        **others,
    }


def _guessed(P: np.ndarray, T: np.ndarray) -> float:
    """Percent of the values that are guessed right, released category by released category."""
    right = 0.0
    for j in range(len(P)):
        right += max(T[i] * P[i, j] for i in range(len(P)))
    return 100 * right / T.sum()


def _frequencies(folder: Path, name: str) -> np.ndarray:
    table = read_table(folder / "survey.csv")
    return np.bincount(table[name][table[name] >= 0], minlength=table.schema[name].domain_size)


def test_matrices_are_told_with_what_is_guessed(tmp_path: Path) -> None:
    project = _project(tmp_path)
    run = finished_run(project, "evolve-pram", _settings())
    found, record = pram(held(project), {"run": run}), record_of(project, run)
    assert [one["name"] for one in found["attributes"]] == list(NAMES)
    assert [one["name"] for one in found["scores"]] == ["at the start", "evolved", "direct search"]
    for one in found["attributes"]:
        P, T = np.array(record["after"]["matrices"][one["name"]]), _frequencies(tmp_path, one["name"])
        assert np.abs(P - np.array(one["matrix"])).max() < 1e-4
        assert one["diagonal"] == [row[k] for k, row in enumerate(one["matrix"])]
        assert one["guess"]["right"] == pytest.approx(_guessed(P, T))
        assert one["guess"]["blind"] == pytest.approx(100 * T.max() / T.sum())
    rights = [one["guess"]["right"] for one in found["attributes"]]
    assert found["guessed"] == pytest.approx(sum(rights) / 2)


def test_held_to_a_diagonal_the_matrix_stays_within(tmp_path: Path) -> None:
    project = _project(tmp_path)
    run = finished_run(project, "evolve-pram", _settings(diagonal=(0.6, 0.9), attributes=("sex",)))
    (one,) = pram(held(project), {"run": run})["attributes"]
    assert all(0.6 - 1e-4 <= value <= 0.9 + 1e-4 for value in one["diagonal"]) and not one["warning"]


def test_an_equation_is_told_with_the_matrices_it_makes(tmp_path: Path) -> None:
    project = _project(tmp_path)
    run = finished_run(project, "evolve-equation", _settings(generations=3, population=10))
    found = pram(held(project), {"run": run})
    assert found["formula"] == record_of(project, run)["equation"]
    for one in found["attributes"]:
        assert np.array(one["matrix"]).sum(axis=1) == pytest.approx(1, abs=1e-3)
        T = _frequencies(tmp_path, one["name"])
        assert one["guess"]["right"] == pytest.approx(_guessed(np.array(one["matrix"]), T), abs=0.1)


def test_the_page_draws_matrices_and_warns(server: Server, browser: Any, folder: Path) -> None:
    write_table(household_survey(150, seed=1), folder / "survey.csv")
    project = server.open("survey.csv")
    with visiting(browser, server) as page:
        page.goto(f"{server.base}/projects/{project}/pram")
        page.get_by_role("button", name="Find matrices").wait_for()
        for box in page.locator("fieldset.ticks input").all():
            box.set_checked(box.locator("xpath=..").inner_text() in NAMES)
        page.get_by_label("Generations", exact=True).fill("8")
        page.get_by_role("button", name="Find matrices").click()
        page.get_by_role("heading", name="What it is worth").wait_for()
        with server.client() as client:
            found = client.get(f"/api/projects/{project}/runs/{run_shown(page)}/pram").json()
        said = page.locator(".notice").first.inner_text()
        assert f"guesses {found['guessed']:.0f} % of the values right" in said
        for one in found["attributes"]:
            panel = page.locator(".panel", has=page.get_by_role("heading", name=one["name"], exact=True))
            assert f"guesses {one['guess']['right']:.0f} %" in panel.inner_text()
            page.wait_for_function("() => document.querySelectorAll('figure.chart svg').length >= 5")
            panel.locator("summary", has_text="The same numbers as a table").first.click()
            cells = panel.get_by_role("region").first.get_by_role("cell").all_inner_texts()
            assert cells == [f"{value:.2f}" for row in one["matrix"] for value in row]
        check_usable(page)


def test_a_search_is_paused_goes_on_and_is_stopped_with_its_best(
    server: Server, browser: Any, folder: Path
) -> None:
    write_table(household_survey(150, seed=1), folder / "survey 2.csv")
    project = server.open("survey 2.csv")
    with visiting(browser, server) as page:
        page.goto(f"{server.base}/projects/{project}/pram")
        page.get_by_role("button", name="Find matrices").wait_for()
        for box in page.locator("fieldset.ticks input").all():
            box.set_checked(box.locator("xpath=..").inner_text() == "sex")
        page.get_by_label("Generations", exact=True).fill("1000000")
        page.locator("summary:visible", has_text="More options").click()
        page.get_by_label("Diagonal: bounds of the probability that a category stays").fill("0.6, 1")
        page.get_by_role("button", name="Find matrices").click()
        page.get_by_role("heading", name="So far").wait_for()
        page.get_by_role("button", name="Pause matrices for sex").click()
        page.get_by_role("button", name="Resume matrices for sex").wait_for()
        with server.client() as client:
            (run,) = client.get(f"/api/projects/{project}/runs").json()["runs"]
            assert run["state"] == "paused" and run["points"] > 0
        page.get_by_role("button", name="Resume matrices for sex").click()
        page.get_by_role("button", name="Pause matrices for sex").wait_for()
        page.get_by_role("button", name="Stop matrices for sex").click()
        page.get_by_role("heading", name="What it is worth").wait_for()
        with server.client() as client:
            found = client.get(f"/api/projects/{project}/runs/{run['id']}/pram").json()
        assert found["ended"] == "the user stopped it" and found["generations"] < 1_000_000
