"""Work by hand in a browser: steps are taken, refused, undone, redone and compared, and the file is released."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from axe import check_with_axe
from benches import Server, visiting, write_people
from stories import check_usable, choose_column
from test_story import start_search, unpacked

RECODED = "1. town: Arezzo becomes south"
CUT = "2. age: intervals from 30, 60, each shown by the middle"


def take_steps(page: Any) -> None:
    """Two steps, and one that is refused."""
    choose_column(page, "town")
    page.get_by_label("What Arezzo becomes").fill("south")
    page.get_by_label("What Bari becomes").fill("Arezzo")
    page.get_by_role("button", name="Take this step").click()
    page.get_by_text("is a category of its own").wait_for()  # beside the button, and nothing was done
    page.get_by_label("What Bari becomes").fill("")
    page.get_by_role("button", name="Take this step").click()
    page.get_by_role("rowheader", name=RECODED).wait_for()
    page.get_by_label("What to do").select_option("intervals")
    choose_column(page, "age")
    page.get_by_label("Each interval begins at").fill("60, 30")
    page.get_by_role("button", name="Take this step").click()
    page.get_by_role("rowheader", name=CUT).wait_for()
    page.get_by_label("What to do").select_option("suppress")
    choose_column(page, "town")
    page.get_by_label("Where").fill("age > 60 and town = Bari")
    page.get_by_role("button", name="Take this step").click()
    page.get_by_role("rowheader", name=re.compile("^3. town: empty where")).wait_for()


def undo_and_redo(page: Any) -> None:
    """By the keyboard alone; then the last step is taken back for good."""
    for button, shown in (("Undo", 0), ("Redo", 1), ("Undo", 0)):
        page.get_by_role("button", name=button, exact=True).focus()
        page.keyboard.press("Enter")
        page.get_by_text("Taken back last").wait_for(state="hidden" if shown else "visible")
        assert page.get_by_role("rowheader", name=re.compile("^3. ")).count() == shown


def test_steps_are_taken_compared_and_released(browser: Any, tmp_path: Path) -> None:
    folder, out = tmp_path / "folder", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    write_people(folder / "people.csv", n=120)
    with Server(folder) as server, visiting(browser, server) as page:
        id = server.open("people.csv")
        page.goto(f"{server.base}/projects/{id}/data")
        page.get_by_label("Role of health").select_option("confidential")
        page.get_by_text("Changed and not saved yet, so that no other page knows of it: health.").wait_for()
        page.reload()
        page.get_by_text("Changed and not saved yet, so that no other page knows of it: health.").wait_for()
        assert page.get_by_label("Role of health").input_value() == "confidential"
        page.get_by_role("button", name="Save the schema").click()
        page.get_by_text("The schema is saved.").first.wait_for()
        page.get_by_role("link", name="Records at risk").click()
        page.get_by_role("heading", name="The riskiest records").wait_for()
        check_with_axe(page)
        page.get_by_role("link", name="Recode by hand").click()
        page.get_by_role("button", name="Take this step").wait_for()
        take_steps(page)
        undo_and_redo(page)
        page.get_by_role("button", name="Compare").click()
        page.get_by_text("The two states beside each other").wait_for()
        check_usable(page)
        check_with_axe(page)
        kept = server.home / "projects" / id / "by-hand.toml"
        study = tomllib.loads(kept.read_text())
        assert len(study["first"]) == 2 and len(study["undone"]) == 1
        page.reload()  # what was done is found again
        page.get_by_role("rowheader", name=CUT).wait_for()
        page.get_by_role("link", name="Release it as it is").click()
        page.get_by_text("For the file after the 2 steps taken by hand.").wait_for()
        page.get_by_label("Format").select_option(".parquet")
        page.get_by_label("Records found by distance linkage").fill("100")
        check_with_axe(page)
        page.get_by_role("button", name="Check and make the release").click()
        page.get_by_text("Ready for publication").wait_for()
        public = unpacked(page, "Download all that goes out", out)
        private = unpacked(page, "Download what stays", out)
    assert public == {"release.parquet", "release.schema.toml", "release.about.html"}
    assert {Path(name).name for name in private} >= {"board.html", "report.html", "study.toml"}
    released = pq.read_table(out / "release.parquet")
    assert set(released["town"].to_pylist()) == {"south", "Bari"}
    assert len(set(released["age"].to_pylist())) == 3


@pytest.mark.slow
def test_a_policy_of_the_office_steers_the_search_that_finishes_the_steps(
    browser: Any, tmp_path: Path
) -> None:
    write_people(tmp_path / "people.csv", n=120)
    with Server(tmp_path) as server, visiting(browser, server) as page:
        id = server.open("people.csv")
        page.goto(f"{server.base}/projects/{id}/by_hand")
        page.get_by_role("button", name="Take this step").wait_for()
        take_steps(page)
        page.get_by_role("link", name="Let the search finish it").click()
        page.get_by_text("Begin with the 3 steps taken by hand").wait_for()
        page.get_by_text("Bring your office's own policy").click()
        page.get_by_label("Its text (TOML)").fill('title = "Odd"\nrequire = ["no_such <= 2"]')
        page.get_by_role("button", name="Keep and choose this policy").click()
        page.get_by_text("no_such").last.wait_for()
        page.get_by_label("Its text (TOML)").fill(
            'title = "Our office"\nrequire = ["k >= 2"]\nchanged_values = false'
        )
        page.get_by_role("button", name="Keep and choose this policy").click()
        page.get_by_text("No value is changed: values are made coarser or empty.").wait_for()
        assert page.get_by_label("Policy: what every release must meet").input_value() == "our-office"
        start_search(page, methods=("mondrian", "local_suppression"), policy="our-office")
        page.get_by_role("link", name="Release it").wait_for()
        page.get_by_text("The best of them as a table").click()
        page.get_by_role("columnheader", name=re.compile("at least 2 records")).wait_for()
        assert page.get_by_text(", met").count()
        check_with_axe(page)
        page.get_by_role("link", name="Inspect the best").click()
        page.get_by_text(re.compile("^Made by recoding")).wait_for()
        check_with_axe(page)
