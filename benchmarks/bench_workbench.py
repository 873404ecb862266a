"""The workbench on 200,000 records of 15 columns, as a person waits for it in a browser: by the clock, and by processor time.

Processor time is that of the server and of the processes that answer its questions; on a busy machine only that can be compared.
A heavy question of one tab must not hold another, and must end when its tab is closed.
"""

import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from benchmarks.timing import Row
from sfumato.data import write_table
from sfumato.datasets import household_survey

LONG = True
CHROMIUM = "/usr/bin/chromium"
RECORDS, COLUMNS = 200_000, 15
QUIET, SPAN = 0.2, 0.5  # so little work a second for so many seconds: nobody is at work any more
PATIENCE = 300_000  # milliseconds


def rows() -> Iterator[Row]:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_table(household_survey(RECORDS, seed=1), folder / "large.csv")
        write_table(household_survey(300, seed=2), folder / "small.csv")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        with _serving(folder) as (address, server):
            context = browser.new_context(viewport={"width": 1366, "height": 850})
            context.set_default_timeout(PATIENCE)
            yield from _waits(context, address, server)
        browser.close()


def _waits(context: Any, address: str, server: psutil.Process) -> Iterator[Row]:
    page = context.new_page()
    page.goto(address)
    page.get_by_role("button", name=re.compile("^small.csv")).click()  # so that all code is loaded
    page.wait_for_selector("text=300 records")
    page.get_by_role("link", name="Risk").first.click()
    page.wait_for_selector("text=of the records stand alone")
    page.get_by_role("link", name="sfumato: all projects").click()
    page.get_by_role("button", name=re.compile("^large.csv")).wait_for()

    def opened() -> None:
        page.get_by_role("button", name=re.compile("^large.csv")).click()
        page.wait_for_selector(f"text={RECORDS:,} records, {COLUMNS} columns")

    def risk() -> None:
        page.get_by_role("link", name="Risk").first.click()
        page.wait_for_selector("text=of the records stand alone")

    def unticked() -> None:
        shown = page.locator(".number .value").first.inner_text()
        page.get_by_label("age", exact=True).uncheck()
        page.wait_for_function(
            "shown => { const found = document.querySelector('.number .value'); return found && found.innerText !== shown }",
            arg=shown,
        )

    for what, work, bar in (("open", opened, 3.0), ("risk page", risk, 2.0), ("untick a key", unticked, 1.0)):
        clock, seconds = _measured(work, server)
        yield Row(f"{RECORDS:,} x {COLUMNS}: {what}, clock", clock, bar=bar, digits=2)
        yield Row(f"{RECORDS:,} x {COLUMNS}: {what}, processor", seconds, bar=bar, digits=2)
    yield from _tabs(page, address, server)


def _tabs(page: Any, address: str, server: psutil.Process) -> Iterator[Row]:
    """What another tab waits for while one is at heavy work, and how long that work outlives its tab.

    The other one is opened only now: a browser draws tabs that nobody sees once a second at the most.
    """
    page.get_by_role("button", name="Let them try").click()
    page.get_by_text("The attackers are at work").wait_for()
    other = page.context.new_page()

    def opened() -> None:
        other.goto(address)
        other.get_by_role("button", name=re.compile("^small.csv")).click()
        other.wait_for_selector("text=300 records")

    clock, _ = _measured(opened, server)
    yield Row("another tab, meanwhile: open 300 records, clock", clock, bar=3.0, digits=2)
    at_work = page.get_by_text("The attackers are at work").is_visible()
    page.close()
    start = time.perf_counter()
    while at_work and _seconds_in(SPAN, server) > QUIET * SPAN:
        pass
    ended = time.perf_counter() - start - SPAN * at_work
    yield Row("a closed tab: its question ends within, clock", ended, bar=3.0, digits=2)


def _measured(work: Callable[[], Any], server: psutil.Process) -> tuple[float, float]:
    """Seconds by the clock, and of the processor."""
    before, start = _processor(server), time.perf_counter()
    work()
    return time.perf_counter() - start, _processor(server) - before


def _seconds_in(span: float, server: psutil.Process) -> float:
    before = _processor(server)
    time.sleep(span)
    return _processor(server) - before


def _processor(server: psutil.Process) -> float:
    """The processor time of a process and of those it started, ended ones too."""
    total = 0.0
    for one in [server, *server.children(recursive=True)]:
        try:
            times = one.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
        if one == server:
            total += times.children_user + times.children_system
    return total


@contextmanager
def _serving(folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "sfumato", "web", "--folder", str(folder)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0], psutil.Process(process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
