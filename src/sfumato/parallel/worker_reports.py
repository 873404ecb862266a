"""What a worker says about the job it does, and how it learns that nobody waits for it any more."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, NamedTuple

from sfumato.core import Cancelled
from sfumato.core.progress import Task

PAUSE = 0.2  # seconds between two reports, and before the first: short jobs say nothing
DEPTH = 3  # tasks within tasks that are told of
NOTES = 20  # of a job that are told
LONGEST_TEXT = 300  # characters of a label, status or note


class TaskState(NamedTuple):
    """A task of a worker as it stands, in values that any wire carries."""

    number: int
    label: str
    total: int
    done: int
    status: str


class Report(NamedTuple):
    """All that is open in a job, and its notes so far: the last report tells everything, so others may get lost."""

    tasks: tuple[TaskState, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def from_wire(cls, tasks: object, notes: object) -> "Report":
        """The report that was sent as plain lists.

        >>> Report.from_wire([[0, "swapping", 3, 1, ""]], []).tasks[0].label
        'swapping'
        """
        assert isinstance(tasks, list | tuple) and isinstance(notes, list | tuple)
        return cls(tuple(TaskState(*task) for task in tasks), tuple(notes))


class Reporter:
    """The listener of a worker: sends reports now and then, and stops the job when it is unwanted.

    Where a report cannot be sent the work goes on.

    >>> from sfumato.core import progress
    >>> reporter = Reporter(send=print, unwanted=lambda: True)
    >>> with progress.listening(reporter), progress.task("swapping", 3):
    ...     pass
    Traceback (most recent call last):
    sfumato.core.errors.Cancelled: Nobody waits for this job any more.
    """

    def __init__(self, send: Callable[[Report], None], unwanted: Callable[[], bool]) -> None:
        self._send, self._unwanted = send, unwanted
        self.stopped = False
        self._open: dict[int, Task] = {}
        self._numbers = count()
        self._told: set[int] = set()  # the numbers of open tasks that a report named
        self._last = time.monotonic()
        self._notes: list[str] = []

    def started(self, task: Task) -> None:
        """Remember the task; a report names it if it lasts."""
        self._stop_if_unwanted()
        self._open[next(self._numbers)] = task

    def advanced(self, task: Task) -> None:
        """Report, unless the last report is too young."""
        self._stop_if_unwanted()
        if time.monotonic() - self._last >= PAUSE:
            self._report()

    def finished(self, task: Task) -> None:
        """Forget the task, and say so where a report named it."""
        number = next(number for number, one in self._open.items() if one is task)
        del self._open[number]
        if number in self._told:
            self._report()

    def noted(self, message: str) -> None:
        """Keep the note for the next report."""
        note = _short(message)
        if len(self._notes) < NOTES and note not in self._notes:
            self._notes.append(note)

    def found(self, what: str, values: Mapping[str, Any]) -> None:
        """Ignored: whoever puts the outcomes of jobs together tells what was found."""

    def honoured(self) -> None:
        """Ignored: whoever asked does not wait for what was kept."""

    @property
    def report(self) -> Report:
        states = [
            TaskState(number, _short(task.label), int(task.total), int(task.done), _short(task.status))
            for number, task in list(self._open.items())[:DEPTH]
        ]
        return Report(tuple(states), tuple(self._notes))

    def _report(self) -> None:
        report = self.report
        self._told = {state.number for state in report.tasks}
        self._last = time.monotonic()
        with suppress(Exception):  # whatever goes wrong on the way is no reason to lose the work
            self._send(report)

    def _stop_if_unwanted(self) -> None:
        self.stopped = self.stopped or self._unwanted()
        if self.stopped:
            raise Cancelled("Nobody waits for this job any more.")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
