"""A plugin of pytest: tells coverage which test runs, and a file how long each took."""

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest
from coverage import Coverage

FILE = "MUTANTS_WATCHED"
SECONDS: dict[str, float] = defaultdict(float)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    watching = Coverage.current()
    if watching is not None:
        watching.switch_context(item.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    SECONDS[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # workers report to the one that started them
        Path(os.environ[FILE]).write_text(json.dumps(SECONDS), encoding="utf-8")
