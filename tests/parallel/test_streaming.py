"""Progress and cancel between processes, on this machine and on a Dask cluster that goes on."""

import io
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from distributed import Client, LocalCluster

from parallel.diary import STEP, Diary, dies_once, either, rest, settled, stepping, traces, walking_on
from sfumato.cli import progress_bars
from sfumato.core import Cancelled, progress
from sfumato.parallel import Workers
from sfumato.parallel.cluster import Cluster
from sfumato.parallel.worker_data import TOPIC
from sfumato.parallel.worker_reports import PAUSE

STEPS = 40
ELSEWHERE = """
import sys
from parallel.diary import walking_on
from sfumato.parallel.cluster import Cluster
if __name__ == "__main__":
    with Cluster(sys.argv[2], sys.argv[1]) as cluster:
        list(cluster.run(walking_on, [0, 1, 2, 3]))
"""


@pytest.fixture(scope="module")
def address():
    """A cluster of two processes that others keep running."""
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        silence_logs=50,
        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},  # else it takes port 8787
    ) as cluster:
        assert cluster.scheduler_address.startswith("tcp://127.0.0.1:")
        yield cluster.scheduler_address


@contextmanager
def crew_of(kind, shared, address):
    with Workers(shared, 2) if kind == "processes" else Cluster(shared, address) as crew:
        yield crew


@pytest.mark.parametrize("kind", ["processes", "cluster"])
def test_the_progress_of_jobs_is_seen_by_whoever_started_them(kind, address):
    diary = Diary()
    with crew_of(kind, None, address) as crew, progress.listening(diary):
        began = time.monotonic()
        found = dict(crew.run(stepping, [(number, STEPS) for number in range(4)]))
        seconds = time.monotonic() - began
    assert found == {number: number for number in range(4)}
    assert {"Walk 0", "Walk 1", "Walk 2", "Walk 3"} == set(diary.started_labels)
    assert diary.open == [] and 2 <= diary.most <= 4
    assert all(0 < done <= total == STEPS and status == "going" for _, done, total, status in diary.steps)
    for label in set(diary.started_labels):
        done = [step[1] for step in diary.steps if step[0] == label]
        assert len(done) >= 2 and done == sorted(done)
    assert len(diary.steps) <= 2 * (seconds / PAUSE + 2)
    assert diary.notes == ["steps are small"]


@pytest.mark.parametrize("kind", ["processes", "cluster"])
def test_nobody_needs_to_listen(kind, address):
    with crew_of(kind, None, address) as crew:
        assert dict(crew.run(stepping, [(0, 15), (1, 15)])) == {0: 0, 1: 1}


@pytest.mark.parametrize("kind", ["processes", "cluster"])
def test_a_listener_stops_the_jobs_of_all_workers(kind, address, tmp_path):
    with crew_of(kind, str(tmp_path), address) as crew:
        diary = Diary(stops=True)
        with progress.listening(diary), pytest.raises(Cancelled, match="enough"):
            list(crew.run(walking_on, range(6)))
        assert diary.open == [] and len(diary.steps) == 1
        walked = settled(tmp_path, within=20)
        assert 1 <= len(walked) <= 3  # those that were waiting never began
        began = time.monotonic()
        assert dict(crew.run(rest, range(4))) == {number: number for number in range(4)}
        assert time.monotonic() - began < 30  # not the minute for which each would walk on
    assert traces(tmp_path) == walked


@pytest.mark.parametrize("kind", ["processes", "cluster"])
def test_who_takes_no_more_outcomes_stops_the_rest(kind, address, tmp_path):
    (tmp_path / "steps").mkdir()
    with crew_of(kind, str(tmp_path / "steps"), address) as crew:
        running = crew.run(either, ["at once", 1])
        assert next(running) == (0, "at once")
        time.sleep(5 * STEP)
        running.close()
        settled(tmp_path / "steps", within=20)


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_the_cluster_of_others_is_free_again_when_we_are_stopped(end, address, tmp_path):
    script, steps, others = tmp_path / "us.py", tmp_path / "steps", tmp_path / "others"
    script.write_text(ELSEWHERE)
    steps.mkdir()
    others.mkdir()
    with Client(address, set_as_default=False) as another:
        theirs = another.submit(their_work, str(others), pure=False)
        us = subprocess.Popen(
            [sys.executable, str(script), address, str(steps)],
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        try:
            until = time.monotonic() + 60
            while not traces(steps):
                assert time.monotonic() < until
                time.sleep(STEP)
            us.send_signal(end)
            settled(steps, within=20)
        finally:
            us.kill()
            us.wait()
            (others / "enough").touch()
        assert theirs.result(timeout=60) == "done"


def their_work(folder):
    while not os.path.exists(f"{folder}/enough"):  # noqa: PTH110 -- it knows nothing of us
        time.sleep(0.05)
    return "done"


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
def test_a_worker_that_dies_while_it_reports_costs_neither_results_nor_lines(tmp_path):
    diary = Diary()
    with Workers(str(tmp_path), 2) as workers, progress.listening(diary):
        assert dict(workers.run(dies_once, range(3))) == {0: 0, 1: 1, 2: 2}
    assert diary.open == []
    assert diary.started_labels


def test_reports_of_others_are_not_shown(address):
    diary = Diary()
    with (
        Cluster(None, address) as ours,
        Client(address, set_as_default=False) as another,
        progress.listening(diary),
    ):
        said = {"token": "theirs", "batch": "b", "tasks": [[0, "Not ours", 1, 0, ""]], "notes": ["not ours"]}
        another.log_event(TOPIC, said)
        list(ours.run(stepping, [(0, STEPS)]))
    assert set(diary.started_labels) == {"Walk 0"}
    assert diary.notes == ["steps are small"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_work_of_processes_is_drawn_line_by_line(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress_bars, "PATIENCE", 0.1)
    with (
        Workers(None, 2) as workers,
        progress_bars.watching(quiet=False),
        progress.task("All walks", 2) as walks,
    ):
        for _ in workers.run(stepping, [(0, STEPS), (1, STEPS)]):
            walks.advance()
    shown = screen.getvalue()
    assert all(label in shown for label in ("All walks", "Walk 0", "Walk 1", "going"))
    assert shown.count("Note: steps are small") == 1
