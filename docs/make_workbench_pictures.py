"""Make the pictures of the workbench for these pages: a real server, a real browser, generated people.

    python docs/make_workbench_pictures.py [--look FOLDER] [--axe axe.min.js]

Needs the extra `dev` and Debian's package chromium. With `--look` whole pages go to a folder, at 1366 and 820 pixels, light and
dark, to be looked at, and what axe-core finds there is printed; the pictures of the documentation stay.
"""

import argparse
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import TimeoutError, sync_playwright

from sfumato.data import write_table
from sfumato.data.files.graph_files import write_graph
from sfumato.datasets import business_survey, census_pair, household_survey, profile_graph

PICTURES = Path(__file__).parent / "pictures"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTHS = (1366, 820)
SIZE = {"width": 1366, "height": 900}
TABLET = {"width": 768, "height": 1024}


asked = argparse.Namespace(look=None, axe=None)


def main() -> None:
    """Go through the pages and take a picture of each."""
    parser = argparse.ArgumentParser(description="Make the pictures of the workbench.")
    parser.add_argument("--look", type=Path, help="a folder for whole pages, in place of the documentation's")
    parser.add_argument("--axe", type=Path, help="axe.min.js of the package axe-core of npm")
    parser.parse_args(namespace=asked)
    if asked.look is not None:
        asked.look.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name) / "surveys"
        folder.mkdir()
        write_files(folder)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        with serving(folder) as address:
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            page.set_default_timeout(300_000)
            page.goto(address)
            from_file_to_release(page)
            by_hand(page)
            pram(page)
            for draw in (grouping, groups, graphs):
                page.get_by_role("link", name="sfumato: all projects").click()
                draw(page)
            page.get_by_role("link", name="sfumato: all projects").click()
            take(page, "home")
        browser.close()


def write_files(folder: Path) -> None:
    """A file for each kind of page."""
    write_table(household_survey(600, seed=4), folder / "households.csv")
    write_table(business_survey(300, seed=4), folder / "firms.csv")
    write_table(census_pair(6000, areas=24, planted=2, seed=3).survey, folder / "workplaces.csv")
    write_graph(profile_graph(120, seed=1), folder / "friends.graphml")


@contextmanager
def serving(folder):
    """A workbench of its own."""
    server = subprocess.Popen(
        [sys.executable, "-m", "sfumato", "web", "--folder", str(folder)], stdout=subprocess.PIPE, text=True
    )
    try:
        yield re.search(r"http://\S+", server.stdout.readline())[0]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(20)


def from_file_to_release(page) -> None:
    """The five steps."""
    open_file(page, "households.csv")
    page.get_by_role("button", name="Save the schema").click()
    page.get_by_role("link", name="Next: the risk today").wait_for()
    take(page, "data")
    page.get_by_role("link", name="Next: the risk today").click()
    page.get_by_role("button", name="Let them try").click()
    page.get_by_text("What each attacker does").wait_for()
    take(page, "risk")
    page.get_by_role("link", name="Protect").first.click()
    page.get_by_role("button", name="Start the search").click()
    page.get_by_role("link", name="Release it").wait_for()
    take(page, "protect", at="Loss and risk")
    page.emulate_media(color_scheme="dark")
    take(page, "protect-dark", at="Loss and risk")
    page.emulate_media(color_scheme="light")
    page.get_by_role("link", name="Inspect the best").click()
    page.get_by_role("heading", name="Before and after").wait_for()
    take(page, "inspect")
    page.get_by_role("link", name="Release this version").click()
    page.get_by_label("Records found by distance linkage").fill("25")
    page.get_by_role("button", name="Check and make the release").click()
    page.get_by_text("Ready for publication").wait_for()
    take(page, "release", at="Goes out")


def by_hand(page) -> None:
    """Three steps, and the records at risk."""
    page.get_by_role("link", name="Records at risk").click()
    page.get_by_role("heading", name="The riskiest records").wait_for()
    take(page, "at-risk")
    page.get_by_role("link", name="By hand", exact=True).click()
    choose_column(page, "marital")
    for name in ("divorced", "widowed"):
        page.get_by_label(f"What {name} becomes").fill("alone")
    page.get_by_role("button", name="Take this step").click()
    page.get_by_role("rowheader", name=re.compile("^1. marital")).wait_for()
    page.get_by_label("What to do").select_option("intervals")
    choose_column(page, "age")
    page.get_by_label("Each interval begins at").fill("18, 30, 45, 65")
    page.get_by_role("button", name="Take this step").click()
    page.get_by_role("rowheader", name=re.compile("^2. age")).wait_for()
    page.get_by_label("What to do").select_option("intervals")
    choose_column(page, "income")
    page.get_by_role("button", name="of equally many records").click()
    page.get_by_text("What each interval would hold and show").wait_for()
    take(page, "by-hand-intervals", at="Take a step")
    page.get_by_label("What to do").select_option("groups")
    page.get_by_label("Begin with").wait_for()
    choose_column(page, "region")
    page.get_by_role("button", name="Group the groups").click()
    page.get_by_text("Level 2", exact=True).wait_for()
    take(page, "by-hand-groups", at="Take a step")
    page.get_by_label("What to do").select_option("recode")
    choose_column(page, "education")
    take(page, "by-hand")


def choose_column(page, name: str) -> None:
    """The fields of a step are drawn anew for a column."""
    for _ in range(20):  # the editor may be drawn anew meanwhile, after the step before
        page.get_by_label("Column", exact=True).select_option(name)
        with suppress(TimeoutError):
            page.locator(f'[data-column="{name}"]').wait_for(state="attached", timeout=3000)
            return
    raise AssertionError(f"The fields of {name} are never drawn.")


def pram(page) -> None:
    """What the categories of two columns become."""
    page.get_by_role("link", name="PRAM").click()
    page.get_by_role("button", name="Find matrices").wait_for()
    for box in page.locator("fieldset.ticks input").all():
        box.set_checked(box.locator("xpath=..").inner_text() in ("sex", "marital"))
    page.get_by_label("Generations", exact=True).fill("60")
    page.locator("summary:visible", has_text="More options").click()
    page.get_by_label("Diagonal: bounds of the probability that a category stays").fill("0.6, 0.9")
    page.get_by_role("button", name="Find matrices").click()
    page.get_by_role("heading", name="What it is worth").wait_for()
    take(page, "pram", at="marital")


def grouping(page) -> None:
    """Columns of firms that are microaggregated together."""
    open_file(page, "firms.csv")
    page.get_by_role("link", name="Grouping").click()
    page.get_by_role("button", name="Find the best grouping").click()
    page.get_by_role("heading", name="The best grouping has").wait_for()
    take(page, "grouping", at="The best grouping has")


def groups(page) -> None:
    """Where soldiers work, before and after."""
    open_file(page, "workplaces.csv")
    page.get_by_role("link", name="Groups").click()
    page.get_by_label("Column that tells who belongs", exact=True).select_option("military")
    page.get_by_label("Counted over").select_option("workplace")
    page.get_by_label("1", exact=True).check()
    page.get_by_role("heading", name="Where they are today").wait_for()
    page.get_by_label("Generations", exact=True).fill("100")
    page.get_by_role("button", name="Hide the group").click()
    page.get_by_role("heading", name="Before and after").wait_for()
    take(page, "groups", at="Before and after")
    page.set_viewport_size(TABLET)
    take(page, "groups-tablet")
    page.set_viewport_size(SIZE)


def graphs(page) -> None:
    """Who knows whom, and edges that came and went."""
    open_file(page, "friends.graphml")
    page.get_by_label("Who knows whom").select_option("k_degree")
    page.get_by_role("button", name="Protect the graph").click()
    page.get_by_role("heading", name="What was lost").wait_for()
    take(page, "graphs", at="The protected graph")


def open_file(page, name: str) -> None:
    """Open a file of the folder on the first page."""
    page.get_by_role("button", name=re.compile(f"^{re.escape(name)}")).click()


def take(page, name: str, *, at: str = "") -> None:
    """A picture of the top of a page, or from a heading on."""
    if asked.look is not None:
        look(page, name)
        return
    page.wait_for_timeout(6500)  # until what was said is gone
    if at:
        page.locator("section", has=page.get_by_role("heading", name=at)).first.evaluate(
            "panel => window.scrollBy(0, panel.getBoundingClientRect().top - 20)"
        )
    else:
        page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_timeout(500)
    page.screenshot(path=PICTURES / f"workbench-{name}.png")


def look(page, name: str) -> None:
    """The whole page at each width, light and dark, and what is wrong with it."""
    before = page.viewport_size
    page.wait_for_timeout(6500)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(500)
            page.screenshot(path=asked.look / f"{name}-{width}-{scheme}.png", full_page=True)
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                print(f"{name}: {wide} pixels wide at {width}", flush=True)
            if asked.axe is not None:
                page.evaluate(asked.axe.read_text(encoding="utf-8"))
                for one in page.evaluate("async () => (await axe.run(document)).violations"):
                    told = f"{one['impact']}: {one['id']}: {one['nodes'][0]['html'][:160]}"
                    print(f"{name}, {width}, {scheme}, {told}", flush=True)
    print(f"{name}: looked at", flush=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(before)


if __name__ == "__main__":
    main()
