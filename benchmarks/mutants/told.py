"""A plugin of pytest: tells a file which test runs and which failed, and starts none after its time is over."""

import os
import time
from pathlib import Path

import pytest

FILE, SECONDS = "MUTANTS_TOLD", "MUTANTS_SECONDS"
STARTED = time.monotonic()


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
    with Path(os.environ[FILE]).open("a", encoding="utf-8") as file:
        file.write(f"{what} {nodeid}\n")
