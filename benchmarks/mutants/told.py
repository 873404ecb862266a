"""A plugin of pytest: runs the tests that a file asks for, in its order, tells another which run and which fail, and starts
none after its time is over. Tests that were written since all were watched come first.
"""

import json
import os
import time
from pathlib import Path

import pytest

ASKED, TOLD, SECONDS = "MUTANTS_ASKED", "MUTANTS_TOLD", "MUTANTS_SECONDS"
STARTED = time.monotonic()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    asked, left_out, watched = json.loads(Path(os.environ[ASKED]).read_text(encoding="utf-8"))
    places = {name: place for place, name in enumerate(asked)}
    found = []
    for item in items:
        is_new = bool(watched) and item.nodeid not in watched
        place = -1 if is_new else places.get(item.nodeid, places.get(item.nodeid.partition("::")[0]))
        if place is not None and item.nodeid not in left_out:
            found.append((place, item))
    items[:] = [item for _, item in sorted(found, key=lambda pair: pair[0])]


def pytest_runtest_logstart(nodeid: str) -> None:
    _tell("running", nodeid)


@pytest.hookimpl(trylast=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.when == "teardown" and time.monotonic() - STARTED > float(os.environ[SECONDS]):
        item.session.shouldstop = "the time is over"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _tell("failed", report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _tell("failed", report.nodeid)


def _tell(what: str, nodeid: str) -> None:
    with Path(os.environ[TOLD]).open("a", encoding="utf-8") as file:
        file.write(f"{what} {nodeid}\n")
