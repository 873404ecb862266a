"""Make the pictures of the workbench for these pages: a real server, a real browser, generated people.

    python docs/make_workbench_pictures.py

Needs the extra `dev` and Debian's package chromium.
"""

import re
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from sfumato.data import write_table
from sfumato.datasets import business_survey, household_survey

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
SIZE = {"width": 1366, "height": 900}


def main() -> None:
    """Go through the pages and take a picture of each."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_table(household_survey(600, seed=4), folder / "households.csv")
        write_table(business_survey(300, seed=4), folder / "firms.csv")
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        with serving(folder) as address:
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            page.set_default_timeout(300_000)
            page.goto(address)
            story(page)
        browser.close()


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


def story(page) -> None:
    """From the file to the release."""
    page.get_by_role("button", name=re.compile("^households.csv")).wait_for()
    take(page, "home")
    page.get_by_role("button", name=re.compile("^households.csv")).click()
    page.get_by_role("button", name="Save the schema").click()
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
    page.get_by_text("Ready to go out").wait_for()
    take(page, "release")


def take(page, name: str, *, at: str = "") -> None:
    """A picture of the top of a page, or from a heading on."""
    page.wait_for_timeout(6500)  # until what was said is gone
    if at:
        page.get_by_role("heading", name=at).evaluate("heading => heading.scrollIntoView({block: 'start'})")
    else:
        page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_timeout(500)
    page.screenshot(path=PICTURES / f"workbench-{name}.png")


if __name__ == "__main__":
    main()
