"""What the workbench keeps is for its owner alone, whatever the umask is and whatever was there before."""

import os
import shutil
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from benches import Server, wait_until, write_people
from run_examples import at_end, protection

from sfumato.core.private import OTHERS
from sfumato.web.runs.project_runs import ProjectRuns
from sfumato.web.workspace import Workspace

STRANGER = 'for path; do ls "$path" >/dev/null 2>&1 && echo "$path"; done; true'


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody on the machine may read, under a umask that hides nothing."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-"))
    folder.chmod(0o755)
    before = os.umask(0)
    write_people(folder / "people.csv", n=120)
    yield folder
    os.umask(before)
    shutil.rmtree(folder)


def _assert_closed(home: Path) -> None:
    """By modes, and where the tests may become somebody else also by trying."""
    everything = list((home / "projects").rglob("*"))
    assert everything
    for path in (home / "projects", *everything):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    if os.getuid() == 0:
        seen = _seen_by_nobody([home.parent, home / "projects", *everything])
        assert seen == [str(home.parent)]


def _seen_by_nobody(paths: list[Path]) -> list[str]:
    """The paths that another user can list or look at."""
    command = ["/bin/sh", "-c", STRANGER, "sh", *map(str, paths)]
    who = {"user": "nobody", "group": "nogroup", "extra_groups": []}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/", **who)
    return done.stdout.splitlines()


def test_projects_uploads_and_runs_are_closed_to_others(open_folder: Path) -> None:
    wide = open_folder / ".sfumato" / "projects"
    wide.mkdir(parents=True)
    wide.chmod(0o777)
    with Server(open_folder) as server:
        id = server.open("people.csv")
        with server.client() as client:
            text = (open_folder / "people.csv").read_bytes()
            uploaded = client.post("/api/uploads", params={"name": "mine.csv"}, content=text).json()["id"]
            toml = client.get(f"/api/projects/{id}/schema.toml").content
            assert client.put(f"/api/projects/{id}/schema.toml", content=toml).status_code == 200
        assert {id, uploaded} == set(server.projects())
        os.umask(OTHERS)  # as the server is, which starts runs otherwise
        runs = ProjectRuns(server.home / "projects" / uploaded / "runs")
        job = protection(open_folder / "people.csv", key=["age", "town"], methods=["mdav"])
        assert at_end(runs, runs.start(job, workers=1).id).state == "finished"
        server.stop()
    _assert_closed(server.home)


def test_a_folder_that_was_open_is_closed(open_folder: Path) -> None:
    project = Workspace(open_folder).new_upload("mine.csv")
    for path in (project.folder.parent, project.folder):
        path.chmod(0o755)
    runs = project.runs
    runs.mkdir()
    Workspace(open_folder)
    assert stat.S_IMODE(project.folder.parent.stat().st_mode) == 0o700
    job = protection(open_folder / "people.csv", key=["age", "town"], methods=["mdav"])
    started = ProjectRuns(runs)
    id = started.start(job, workers=1).id
    assert stat.S_IMODE(runs.stat().st_mode) == 0o700
    started.stop(id)
    at_end(started, id)


def test_an_upload_is_closed_from_its_first_byte(open_folder: Path) -> None:
    with Server(open_folder) as server:
        head = (
            f"POST /api/uploads?name=a.csv HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"Cookie: sfumato_{server.port}={server.token}\r\nContent-Length: 100000\r\n\r\na,b\n1,2\n"
        )
        with socket.create_connection(("127.0.0.1", server.port), timeout=300) as connection:
            connection.sendall(head.encode())
            wait_until(lambda: list((server.home / "projects").glob("*/data.csv")))
            _assert_closed(server.home)
