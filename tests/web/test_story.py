"""The whole story in a browser: open a file, save its schema, protect, inspect, release; and what outlives a server."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from benches import Server, visiting, wait_until, write_people
from stories import check_usable

METHODS = ("mdav", "pram", "rank_swapping")


def start_search(
    page: Any, *, methods: tuple[str, ...] = METHODS, evolve: str = "", policy: str = "none"
) -> None:
    page.get_by_label("Policy").select_option(policy)  # none for a few methods that need not meet one
    page.get_by_text("Choose the methods").click()
    page.get_by_label("Try every method").uncheck()
    for name in methods:
        page.get_by_label(name, exact=True).check()
    if evolve:
        page.get_by_label("Then evolve the best").select_option(evolve)
    page.get_by_role("button", name="Start the search").click()


def command_line(study: Path) -> None:
    """Repeat a study as people do who got the file."""
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", "run", str(study), "--quiet"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def unpacked(page: Any, link: str, folder: Path) -> set[str]:
    """The names of the files in an archive, which are put into a folder."""
    with page.expect_download() as download:
        page.get_by_role("link", name=link).click()
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(folder)
        return set(archive.namelist())


def test_the_whole_story(browser: Any, tmp_path: Path) -> None:
    folder, out = tmp_path / "folder", tmp_path / "out"
    folder.mkdir(), out.mkdir()
    write_people(folder / "people.csv", n=120)
    with Server(folder) as server, visiting(browser, server) as page:
        page.get_by_role("button", name=re.compile("^people.csv")).click()
        page.get_by_label("Missing codes of income").fill("refused")
        page.get_by_label("Scale of income").select_option("numeric")
        page.get_by_label("Role of income").select_option("key")
        page.get_by_role("button", name="Save the schema").click()
        page.get_by_role("link", name="Next: the risk today").click()
        page.wait_for_selector("text=How many are alike")
        page.get_by_role("link", name="Protect").first.click()
        start_search(page)
        page.wait_for_selector("text=Release it", timeout=300_000)
        check_usable(page)
        page.locator("figure.map svg path").nth(20).wait_for(state="attached")
        page.get_by_role("link", name="Inspect the best").click()
        page.wait_for_selector("text=Let them try", timeout=300_000)
        page.get_by_role("heading", name="The release", exact=True).wait_for()
        assert "Correlations" in page.content() and "Changed cells" in page.content()
        page.get_by_role("button", name="Let them try").click()
        page.wait_for_selector("text=The verdict", timeout=300_000)
        check_usable(page)
        page.get_by_role("link", name="Release this version").click()
        k = page.get_by_label("Everybody shares key values with at least")
        for asked, said in (("many", "k must be a number"), ("5000", "cannot be met")):
            k.fill(asked)
            page.get_by_role("button", name="Check and make the release").click()
            page.get_by_text(re.compile(said)).first.wait_for(timeout=300_000)
        assert page.get_by_text("Ready for publication").count() == 0
        k.fill("")
        page.get_by_label("Records found by distance linkage").fill("99")
        page.get_by_role("button", name="Check and make the release").click()
        page.wait_for_selector("text=Ready for publication", timeout=300_000)
        page.get_by_text("Records found by distance linkage: at most 99 % was required, it is ").wait_for()
        check_usable(page)
        public = unpacked(page, "Download all that goes out", out)
        private = unpacked(page, "Download what stays", out)
        for envelope, files in (("Goes out", public), ("Stays here", private)):
            links = page.get_by_label(envelope).get_by_role("link")
            wait_until(lambda links=links, files=files: links.count() == len(files) + 1)
    assert public == {"release.csv", "release.schema.toml", "release.about.html"}
    assert all(name.startswith("release.private/") for name in private)
    assert {Path(name).name for name in private} >= {"secret.key", "order.csv", "record.json", "study.toml"}
    released = out / "release.csv"
    kept = released.read_bytes()
    released.unlink()
    command_line(out / "release.private" / "study.toml")
    assert released.read_bytes() == kept
    assert "person_id" not in kept.decode().splitlines()[0]
    assert "distance_linkage" in (out / "release.private" / "report.html").read_text()


def test_a_seed_is_for_studies_and_what_is_left_out_can_be_let_go(browser: Any, tmp_path: Path) -> None:
    write_people(tmp_path / "people.csv", n=120)
    with Server(tmp_path) as server, visiting(browser, server) as page:
        project = server.open("people.csv")
        page.goto(f"{server.base}/projects/{project}/protect")
        page.get_by_role("button", name="Start the search").wait_for()
        assert not page.get_by_label("Seed", exact=True).is_visible()
        page.locator("summary:visible", has_text="More options").click()
        page.get_by_label("For a study: fixed seed").check()
        page.get_by_text("Whoever knows this program can draw the same random numbers").wait_for()
        page.get_by_label("Seed", exact=True).fill("7")
        check_usable(page)
        start_search(page, methods=("mdav",))
        page.get_by_role("link", name="Release it").click(timeout=300_000)
        page.get_by_text("Columns that are left out").wait_for()
        page.get_by_label("Release person_id as it is").check()
        check_usable(page)
        page.get_by_role("button", name="Check and make the release").click()
        page.get_by_text("Not ready for publication. It was made with --seed 7").wait_for(timeout=300_000)
        assert page.get_by_text("Ready for publication: ").count() == 0
        assert "secret.key" not in page.content()
        unpacked(page, "Download all that goes out", tmp_path)
        check_usable(page)
    assert "person_id" in (tmp_path / "release.csv").read_text().splitlines()[0]


def test_a_point_of_the_map_leads_to_its_inspection(server: Server, browser: Any) -> None:
    project = server.open("people.csv")
    with visiting(browser, server) as page:
        page.goto(f"{server.base}/projects/{project}/protect")
        start_search(page, methods=("pram",))
        page.wait_for_selector("text=Release it", timeout=300_000)
        with server.client() as client:
            run = client.get(f"/api/projects/{project}/runs").json()["runs"][0]["id"]
            found = client.get(f"/api/projects/{project}/runs/{run}/points").json()
            spot = found["front"][0]
            inspected = client.get(
                f"/api/projects/{project}/runs/{run}/points/{spot['point']}/inspection"
            ).json()
        assert inspected["loss"] == pytest.approx(spot["loss"]) and inspected["risk"] == pytest.approx(
            spot["risk"]
        )
        point = page.locator("figure.map svg path[fill='var(--bar)']").first

        def looked_into() -> bool:
            """Whether a click leads there, on whichever point is on top; the page may still be moving."""
            point.click(force=True)
            page.wait_for_timeout(500)
            return f"/inspect?run={run}&point=" in page.url

        wait_until(looked_into)
        page.go_back()
        page.get_by_text("The best of them as a table").click()
        page.locator("figure.map table a").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(rf"/inspect\?run={run}&point="))
        page.goto(f"{server.base}/projects/{project}/inspect?run={run}&point={spot['point']}")
        page.wait_for_selector(f"text={inspected['label']}")
        page.goto(f"{server.base}/projects/{project}/inspect?run={run}&point=100000")
        page.wait_for_selector("text=no such point")


def test_a_run_outlives_the_browser_and_the_server(browser: Any, tmp_path: Path) -> None:
    write_people(tmp_path / "people.csv", n=60)
    first = Server(tmp_path)
    project = first.open("people.csv")
    with visiting(browser, first) as page:
        page.goto(f"{first.base}/projects/{project}/protect")
        start_search(page, methods=("pram",), evolve="60g")
        page.wait_for_selector("text=running")
    run = _runs(first, project)[0]["id"]
    _wait_for_points(first, project, run)
    first.process.kill()
    first.process.communicate()
    with Server(tmp_path) as second:
        [found] = _runs(second, project)
        assert found["id"] == run and found["state"] in ("queued", "running", "finished")
        wait_until(lambda: _runs(second, project)[0]["state"] == "finished")
        with visiting(browser, second) as page:
            page.goto(f"{second.base}/projects/{project}/protect")
            page.wait_for_selector("text=Release it")


def _runs(server: Server, project: str) -> list[dict[str, Any]]:
    with server.client() as client:
        found: list[dict[str, Any]] = client.get(f"/api/projects/{project}/runs").json()["runs"]
    return found


def _wait_for_points(server: Server, project: str, run: str) -> None:
    def found() -> bool:
        with server.client() as client:
            return client.get(f"/api/projects/{project}/runs/{run}").json()["points"] > 3

    wait_until(found)


@pytest.mark.parametrize(
    "address", ["runs/0123456789ab", "runs/..%2f..%2fetc", "runs/0123456789ab/files/../study.toml"]
)
def test_runs_that_are_not_there_are_refused(server: Server, address: str) -> None:
    project = server.open("people.csv")
    with server.client() as client:
        answer: httpx.Response = client.get(f"/api/projects/{project}/{address}")
    assert answer.status_code in (404, 422) and "Traceback" not in answer.text
