"""Watching work where there is no terminal: a line every few seconds, and first of all whether it will take long."""

import time

import click

from sfumato.core.progress import Task, duration_in_words

EVERY = 5.0  # seconds between two lines
LONG = 120.0  # seconds that are said to be long


class ProgressLines:
    """Tells of the outermost task, of what is done inside it nothing."""

    def __init__(self) -> None:
        self.clock = time.monotonic
        self._open: list[Task] = []
        self._began = self._told = 0.0
        self._first = True

    def started(self, task: Task) -> None:
        self._open.append(task)
        if len(self._open) == 1:
            self._began = self._told = self.clock()
            self._first = True

    def advanced(self, task: Task) -> None:
        """A line, where the last one is some seconds old."""
        now = self.clock()
        if not self._open or task is not self._open[0] or now - self._told < EVERY:
            return
        self._told = now
        left = _left(task, now - self._began)
        if self._first and left is not None and left > LONG:
            click.echo(
                f"This will take a while: {task.label.lower()} needs {duration_in_words(left)} more.",
                err=True,
            )
        self._first = False
        click.echo(_line(task, left), err=True)

    def finished(self, task: Task) -> None:
        self._open = [one for one in self._open if one is not task]


def _left(task: Task, seconds: float) -> float | None:
    """How long a task may still take; nothing where nobody knows."""
    if not task.total or not task.done:
        return None
    return seconds * max(task.total - task.done, 0) / task.done


def _line(task: Task, left: float | None) -> str:
    """How far a task is.

    >>> _line(Task(label="Trying maskings", total=10, done=4, status="40 of 100 tried"), 90.0)
    'Trying maskings: 40 of 100 tried, about 2 min left'
    >>> _line(Task(label="Reading", total=0), None)
    'Reading …'
    """
    status = task.status or (f"{task.done} of {task.total}" if task.total else "")
    told = ", ".join(filter(None, [status, f"{duration_in_words(left)} left" if left is not None else ""]))
    return f"{task.label}: {told}" if told else f"{task.label} …"
