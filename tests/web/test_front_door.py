"""From a raw file as people send it to signed releases, in one browser: by search, and by hand."""

import random
import re
import tomllib
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from axe import check_with_axe
from benches import Server, visiting
from stories import check_usable, choose_column
from test_story import start_search, unpacked

FORMATS = (".csv", ".parquet", ".sav", ".dta")
CIVIL = ("ledig", "verheiratet", "geschieden", "verwitwet")
NEIGHBOURHOODS = ("1010", "1020", "1030", "8010", "8020")


def write_raw(path: Path, n: int = 160) -> None:
    """Latin-1, semicolons, decimal commas, days as day, month, year, leading zeros, a code of its own, free text."""
    lines = [
        "# Befragung 2024",
        "lfd_nr;geschlecht;alter;familienstand;plz;größe;einkommen;besucht_am;bemerkung",
    ]
    rng = random.Random(1)
    for i in range(n):
        income = "-9" if i % 19 == 0 else f"{rng.randint(1_200, 4_100)},{rng.randint(10, 99)}"
        day = f"{rng.randint(1, 28):02d}.{rng.randint(1, 6):02d}.2024"
        lines.append(
            f"{i:05d};{rng.choice('wm')};{rng.randint(18, 84)};{rng.choice(CIVIL)};{rng.choice(NEIGHBOURHOODS)};"
            f"1,{rng.randint(55, 95)};{income};{day};Gespräch {i} über die Straße Nr. {i * 13} geführt"
        )
    path.write_bytes("\r\n".join([*lines, ""]).encode("latin-1"))


def correct_the_schema(page: Any) -> None:
    page.get_by_role("button", name=re.compile("^befragung.csv")).click()
    page.get_by_role("button", name="See the first records").click()
    page.get_by_text("semicolon ; between cells, comma , before decimals").wait_for()
    page.get_by_label("Role of größe").select_option("other")
    page.get_by_label("Role of alter").select_option("key")
    page.get_by_label("Role of plz").select_option("key")
    page.get_by_label("Role of familienstand").select_option("key")
    page.get_by_label("Missing codes of einkommen").fill("-9")
    page.get_by_label("Role of einkommen").select_option("confidential")
    page.get_by_label("Role of besucht_am").select_option("other")
    page.get_by_role("button", name="Save the schema").click()
    page.get_by_role("link", name="Next: the risk today").click()


def say_what_the_intruder_knows(page: Any) -> None:
    page.wait_for_selector("text=How many are alike")
    before = page.locator(".number .value").first.inner_text()
    page.get_by_label("familienstand", exact=True).uncheck()
    page.wait_for_function(
        "before => document.querySelector('.number .value').innerText !== before", arg=before
    )
    page.get_by_label("familienstand", exact=True).check()
    page.get_by_text("If the intruder knows more").wait_for()


def work_by_hand(page: Any) -> None:
    """Groups of groups, intervals that are joined, days by month, empty cells; undone, redone, compared."""
    page.get_by_role("link", name="By hand", exact=True).click()
    page.get_by_label("What to do").select_option("groups")
    page.get_by_label("Begin with").wait_for()
    choose_column(page, "plz")
    page.get_by_label("Begin with").select_option("2")
    page.get_by_role("button", name="Group the groups").click()
    page.get_by_label("Level 2: 10* belongs to").fill("Ost")
    page.get_by_label("Level 2: 80* belongs to").fill("Süd")
    page.get_by_label("The file shows").select_option("2")
    check_with_axe(page)
    page.get_by_role("button", name="Take this step").click()
    page.get_by_role("rowheader", name=re.compile("^1. plz: 1010, 1020, 1030 become Ost")).wait_for()
    page.get_by_label("What to do").select_option("intervals")
    choose_column(page, "alter")
    page.get_by_label("Or so many intervals").fill("4")
    page.get_by_role("button", name="of equally many records").click()
    page.get_by_text("What each interval would hold and show").wait_for()
    low, middle, high = map(int, page.get_by_label("Each interval begins at").input_value().split(", "))
    page.get_by_role("button", name=f"Join with the next: {middle} to below {high}").click()
    page.get_by_role("button", name=f"Join with the next: {middle} to below {high}").wait_for(
        state="detached"
    )
    check_with_axe(page)
    page.get_by_role("button", name=f"Cut in two: {low} to below {middle}").click()
    half = f"{(low + middle) / 2:g}"
    page.get_by_role("rowheader", name=half, exact=True).wait_for()
    page.get_by_role("button", name="Take this step").click()
    page.get_by_role("rowheader", name=f"2. alter: intervals from {low}, {half}, {middle}").wait_for()
    page.get_by_label("What to do").select_option("days")
    page.get_by_role("button", name="Take this step").click()
    page.get_by_role("rowheader", name="3. besucht_am: by month").wait_for()
    page.get_by_label("What to do").select_option("suppress")
    page.get_by_label("Where").wait_for()
    choose_column(page, "familienstand")
    page.get_by_label("Where").fill("alter > 60 and familienstand = verwitwet")
    page.get_by_role("button", name="Take this step").click()
    page.get_by_role("rowheader", name=re.compile("^4. familienstand: empty where")).wait_for()
    for button, shown in (("Undo", 0), ("Redo", 1)):
        page.get_by_role("button", name=button, exact=True).focus()
        page.keyboard.press("Enter")
        page.get_by_text("Taken back last").wait_for(state="hidden" if shown else "visible")
        assert page.get_by_role("rowheader", name=re.compile("^4. ")).count() == shown
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("The two states beside each other").wait_for()
    check_usable(page)
    check_with_axe(page)


def release(page: Any, suffix: str, out: Path) -> set[str]:
    """A release in a format; both envelopes are taken home."""
    page.get_by_label("Format").select_option(suffix)
    page.get_by_role("button", name="Check and make the release").click()
    page.get_by_role("link", name=f"release{suffix}", exact=True).first.wait_for()
    page.get_by_text("Ready for publication").wait_for()
    out.mkdir()
    public = unpacked(page, "Download all that goes out", out)
    return public | unpacked(page, "Download what stays", out)


@pytest.mark.slow
def test_a_raw_file_is_released_by_search_and_by_hand(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    write_raw(folder / "befragung.csv")
    with Server(folder) as server, visiting(browser, server) as page:
        correct_the_schema(page)
        say_what_the_intruder_knows(page)
        page.get_by_role("link", name="Protect").first.click()
        start_search(page, methods=("mdav_generic", "local_suppression"), policy="none")
        page.get_by_role("link", name="Release it").wait_for()
        page.get_by_role("link", name="Inspect the best").click()
        page.get_by_role("button", name="Let them try").click()
        page.get_by_text("The verdict").first.wait_for()
        check_with_axe(page)
        page.get_by_role("link", name="Release this version").click()
        page.get_by_label("Everybody shares key values with at least").fill("3")
        searched = release(page, ".csv", tmp_path / "searched")
        work_by_hand(page)
        page.get_by_role("link", name="Release it as it is").click()
        page.get_by_text("For the file after the 4 steps taken by hand.").wait_for()
        by_hand = {suffix: release(page, suffix, tmp_path / suffix[1:]) for suffix in FORMATS}
    for suffix, files in {"": searched, **by_hand}.items():
        assert files >= {f"release{suffix or '.csv'}", "release.schema.toml", "release.about.html"}
        private = {Path(name).name for name in files if name.startswith("release.private/")}
        assert private >= {
            "report.html",
            "board.html",
            "record.json",
            "study.toml",
            "secret.key",
            "order.csv",
        }
    text = (tmp_path / "csv" / "release.csv").read_text()
    assert text.splitlines()[0] == "geschlecht,alter,familienstand,plz,größe,einkommen,besucht_am"
    found = pq.read_table(tmp_path / "parquet" / "release.parquet").to_pydict()
    assert {*found["plz"]} == {"Ost", "Süd"} and len({*found["alter"]}) == 4
    assert {*found["besucht_am"]} == {f"2024-{month:02d}" for month in range(1, 7)}
    study = tomllib.loads((tmp_path / "csv" / "release.private" / "study.toml").read_text())
    for step in ("recoding", "intervals", "calendar", "suppression"):
        assert step in str(study)
