"""Runs and servers that are killed at random moments: after a restart the same bytes, and nothing left over."""

import random
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from benches import Server, wait_until
from run_examples import at_end, group_of, protection, wait_till_gone, write_people
from test_runs import FILES, TIMED, record, undisturbed

from sfumato.core import Key
from sfumato.web.runs.project_runs import ProjectRuns
from sfumato.web.runs.run_folder import JOURNAL, SCRATCH
from sfumato.web.runs.run_lock import is_held, kill

KINDS = ("run", "server", "both")


class Bench:
    """A server that is started again whenever it was killed, and a run of it."""

    def __init__(self, folder: Path) -> None:
        self.people = write_people(folder)
        self.folder, self.server = folder, Server(folder)
        self.project = self.server.open("people.csv")
        self.runs = ProjectRuns(self.server.home / "projects" / self.project / "runs")
        self.uploads: list[socket.socket] = []

    def start(self) -> str:
        job = protection(self.people, seed=None, methods=("mdav", "pram"), evolve="15g")
        return self.runs.start(job, workers=1).id

    def kill(self, what: str, run: str) -> None:
        """Kill a process of the run, the server while it receives an upload, or both; start again what was killed."""
        if what != "run":
            self._begin_upload()
            self.server.process.kill()
            self.server.process.communicate()
        if what != "server":
            kill(self.runs.path(run))
            wait_till_gone(self.runs, run)  # and its lock, which lives until the last thread has ended
        if what != "run":
            self.server = Server(self.folder)  # which starts again what was cut off
        wait_until(lambda: self._is_at_work_again(run))

    def _is_at_work_again(self, run: str) -> bool:
        with self.server.client() as client:
            state = client.get(f"/api/projects/{self.project}/runs/{run}").json()["state"]
            if state == "interrupted":
                client.post(f"/api/projects/{self.project}/runs/{run}/resume")
        return state != "interrupted"

    def _begin_upload(self) -> None:
        before = self.server.projects()
        sent = socket.create_connection(("127.0.0.1", self.server.port), timeout=300)
        self.uploads.append(sent)
        sent.sendall(
            f"POST /api/uploads?name=a.csv HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n"
            f"Cookie: sfumato_{self.server.port}={self.server.token}\r\nContent-Length: 100000\r\n\r\na,b\n1,2\n".encode()
        )
        wait_until(lambda: self.server.projects() != before)

    def close(self) -> None:
        for sent in self.uploads:
            sent.close()
        self.server.stop()


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    found = Bench(tmp_path)
    yield found
    for run in found.runs.list():
        kill(found.runs.path(run.id))
    found.close()


@pytest.mark.parametrize(
    (
        "kills",
        "longest",
        "draw",
    ),  # seconds between two: of many about what a run takes, to hit every part of it
    [(1, 3.0, 0), *(pytest.param(10, 12.0, draw, marks=pytest.mark.slow) for draw in (1, 2, 3))],
)
def test_what_is_killed_at_random_goes_on_to_the_same_bytes(
    bench: Bench, kills: int, longest: float, draw: int, tmp_path: Path
) -> None:
    moments = random.Random(draw)
    made, done = [bench.start()], 0
    while done < kills:
        time.sleep(moments.uniform(0, longest))
        if bench.runs.state(made[-1]).state == "finished":
            made.append(bench.start())
            continue
        bench.kill(moments.choice(KINDS), made[-1])
        done += 1
    for number, id in enumerate(made):
        assert at_end(bench.runs, id).state == "finished"
        assert_undisturbed(bench, id, tmp_path / f"alone {number}")
        assert_clean(bench, id)
    print(f"{done} kills of {len(made)} runs")
    home = bench.server.home
    assert bench.server.projects() == [bench.project]
    assert [path.name for path in (home / "projects").iterdir()] == [bench.project]
    assert not [path for path in home.rglob("*") if path.name.startswith(".")]


def assert_undisturbed(bench: Bench, id: str, folder: Path) -> None:
    """What a run wrote is what the command line writes with its key and without any kill."""
    out, key = bench.runs.path(id) / "out", Key.read(bench.runs.path(id) / JOURNAL / "secret.key")
    alone = undisturbed(bench.runs.job(id).with_(secret=key), folder)
    assert set(bench.runs.state(id).files) == FILES | {"out.private/secret.key"}
    for name in sorted((FILES | {"out.private/secret.key"}) - TIMED):
        assert (out / name).read_bytes() == (alone / name).read_bytes(), name
    assert record(out) == record(alone)


def assert_clean(bench: Bench, id: str) -> None:
    folder = bench.runs.path(id)
    assert list((folder / SCRATCH).iterdir()) == []
    assert not is_held(folder) and not group_of(bench.runs, id)
