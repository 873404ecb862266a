"""The listener of a run's process: it writes events, and does what the user wants at every step."""

import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.core.errors import Cancelled
from sfumato.core.progress import Task
from sfumato.web.runs.events import EventWriter
from sfumato.web.runs.run_folder import Wish, wish_of

LOOK_EVERY = 0.05  # seconds between two looks at what the user wants
TELL_EVERY = 0.2  # seconds between two events of progress
STOPPED = "Stopped by the user."
REMEMBERED = 50  # tellings, by which the pace of a task is known


class RunListener:
    """A listener that tells of the work in events; pauses and stops it where that is wanted.

    A wish to stop is met once: work that kept what it had goes on to its files, and only the wish for an end
    stops that as well.
    """

    def __init__(self, folder: Path, writer: EventWriter) -> None:
        self.folder, self.writer, self.clock = folder, writer, time.monotonic
        self._looked = self._told = float("-inf")
        self._open: list[Task] = []
        self._pace = Pace(0.0, 0)
        self.was_stopped = False

    def started(self, task: Task) -> None:
        """Tell of a task; what is done inside another one is only watched."""
        self._obey()
        self._open.append(task)
        if self._is_outer(task):
            self._pace = Pace(self.clock(), task.done)
            self._tell(task)

    def advanced(self, task: Task) -> None:
        """Tell how far it is, now and then."""
        self._obey()
        if self._is_outer(task) and self.clock() - self._told >= TELL_EVERY:
            self._tell(task)

    def finished(self, task: Task) -> None:
        outer = self._is_outer(task)
        self._open = [other for other in self._open if other is not task]
        if outer:
            self.writer.write("done", {"task": task.label, "done": task.done})

    def noted(self, message: str) -> None:
        self.writer.write("note", {"message": message})

    def found(self, what: str, values: Mapping[str, Any]) -> None:
        self.writer.write("found", {"what": what, **values})

    def honoured(self) -> None:
        """The work kept what it had; let it be written, unless its end is wanted meanwhile."""
        if wish_of(self.folder) == "end":
            raise Cancelled(STOPPED)
        self.writer.write("stopping", {})

    def _is_outer(self, task: Task) -> bool:
        return bool(self._open) and task is self._open[0]

    def _tell(self, task: Task) -> None:
        self._told = now = self.clock()
        left = self._pace.left(now, task.done, task.total)
        self.writer.write(
            "progress",
            {"task": task.label, "done": task.done, "total": task.total, "status": task.status, "left": left},
        )

    def _obey(self) -> None:
        now = self.clock()
        if now - self._looked < LOOK_EVERY:
            return
        wish = wish_of(self.folder)
        if wish == "pause":
            wish = self._waited()
            self._pace.skip(self.clock() - now)
        self._looked = self.clock()
        if wish == "end" or (wish == "stop" and not self.was_stopped):
            self.was_stopped = True
            raise Cancelled(STOPPED)

    def _waited(self) -> Wish:
        """Wait until something else than a pause is wanted."""
        if self._open:
            self._tell(self._open[0])
        self.writer.write("paused", {})
        while (wish := wish_of(self.folder)) == "pause":
            time.sleep(LOOK_EVERY)
        self.writer.write("resumed", {})
        return wish


class Pace:
    """When a task was how far, and so how long it will still take. Only the last tellings count: outcomes that were kept come at once.

    >>> pace = Pace(0.0, 0)
    >>> pace.left(10.0, 20, 100)
    40.0
    >>> pace.skip(10.0)
    >>> pace.left(30.0, 40, 100)
    30.0
    """

    def __init__(self, now: float, done: int) -> None:
        self._marks = deque([(now, done)], maxlen=REMEMBERED)

    def left(self, now: float, done: int, total: int) -> float | None:
        """Seconds to the end; nothing where no step was made yet."""
        began, before = self._marks[0]
        if done > self._marks[-1][1]:
            self._marks.append((now, done))
        if done <= before or total <= 0:
            return None
        return round(max(total - done, 0) * (now - began) / (done - before), 1)

    def skip(self, seconds: float) -> None:
        """Leave out time in which nothing was done."""
        self._marks = deque(((at + seconds, done) for at, done in self._marks), maxlen=REMEMBERED)
