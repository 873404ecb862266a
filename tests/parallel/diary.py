"""A listener that remembers what it heard, and jobs that say how far they are."""

import os
import signal
import time
from pathlib import Path

from sfumato.core import Cancelled, progress

STEP = 0.02  # seconds


class Diary:
    """Remembers the tasks it saw by their labels; may stop the work at the first step of one."""

    def __init__(self, stops=False):
        self.stops = stops
        self.open, self.most = [], 0
        self.started_labels, self.steps, self.notes = [], [], []

    def started(self, task):
        assert not any(one is task for one in self.open)
        self.open.append(task)
        self.most = max(self.most, len(self.open))
        self.started_labels.append(task.label)

    def advanced(self, task):
        assert any(one is task for one in self.open)
        self.steps.append((task.label, task.done, task.total, task.status))
        if self.stops:
            raise Cancelled("enough")

    def finished(self, task):
        before = len(self.open)
        self.open = [one for one in self.open if one is not task]
        assert len(self.open) == before - 1

    def noted(self, message):
        self.notes.append(message)

    def found(self, what, values):
        pass

    def honoured(self):
        pass


def stepping(_, job):
    """Take so many steps, and say so."""
    number, steps = job
    progress.note("steps are small")
    with progress.task(f"Walk {number}", steps) as walk:
        for _ in range(steps):
            time.sleep(STEP)
            walk.advance(status="going")
    return number


def walking_on(folder, job):
    """Walk for a minute, and leave a trace of every step."""
    with progress.task("Walking on", 3000) as walk, Path(folder, str(job)).open("ab", buffering=0) as trace:
        for _ in range(3000):
            trace.write(b".")
            time.sleep(STEP)
            walk.advance()
    return job


def either(folder, job):
    return job if job == "at once" else walking_on(folder, job)


def dies_once(folder, job):
    """Walk, and at the end of the first walk of job 0 kill the worker."""
    stepping(None, (job, 20))
    mark = Path(folder, "died")
    if job == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return job


def rest(_, job):
    return job


def traces(folder):
    """How many steps each job took."""
    return {path.name: path.stat().st_size for path in Path(folder).iterdir()}


def settled(folder, within):
    """Wait until no job takes a step any more, at most so many seconds, and say what was taken."""
    until = time.monotonic() + within
    while True:
        before = traces(folder)
        time.sleep(8 * STEP)
        if traces(folder) == before:
            return before
        assert time.monotonic() < until, "jobs go on"
