"""A real server and a real browser, one of each for all tests of a process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from benches import Server, chromium, write_people


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of people, one that is no table, and one inside another folder."""
    folder = tmp_path_factory.mktemp("folder")
    write_people(folder / "people.csv")
    (folder / "notes.docx").write_text("no table")
    (folder / "inner").mkdir()
    write_people(folder / "inner" / "more people.csv", n=60)
    return folder


@pytest.fixture(scope="session")
def server(folder: Path) -> Iterator[Server]:
    with Server(folder, "--most-upload", "1MB") as server:
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    with chromium() as browser:
        yield browser
