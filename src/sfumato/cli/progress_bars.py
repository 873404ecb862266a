"""Watching work from a terminal: notes, and a bar with the time left for what takes longer than a second."""

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from sfumato.cli.failures import one_line
from sfumato.cli.interrupt import forget, stop_if_asked
from sfumato.cli.progress_lines import ProgressLines
from sfumato.core.progress import Task, listening

PATIENCE = 1.0
NOTES_SHOWN = 6
LABEL_AND_TIME = 32  # columns that the status leaves to the rest of a bar


class Silence:
    """Watches nothing; only listens for Ctrl-C."""

    def started(self, task: Task) -> None:
        stop_if_asked()

    advanced = started

    def finished(self, task: Task) -> None: ...

    def noted(self, message: str) -> None: ...

    def found(self, what: str, values: Mapping[str, Any]) -> None: ...

    def honoured(self) -> None:
        forget()


class Watcher(Silence):
    """Draws on the error stream: bars, or lines where there is no terminal. Both appear late, so that short work leaves
    no trace.
    """

    def __init__(self, *, bars: bool) -> None:
        self.bars = bars
        self._lines = ProgressLines()
        self._lock = threading.RLock()
        self._drawing: Any = None
        self._timers: dict[int, threading.Timer] = {}
        self._rows: dict[int, Any] = {}
        self._notes = 0

    def started(self, task: Task) -> None:
        stop_if_asked()
        if self.bars:
            timer = threading.Timer(PATIENCE, self._show, [task])
            timer.daemon = True
            self._timers[id(task)] = timer
            timer.start()
        else:
            self._lines.started(task)

    def advanced(self, task: Task) -> None:
        stop_if_asked()
        if not self.bars:
            self._lines.advanced(task)
        with self._lock:
            if id(task) in self._rows:
                self._drawing.update(self._rows[id(task)], completed=task.done, status=_status(task))

    def finished(self, task: Task) -> None:
        if not self.bars:
            self._lines.finished(task)
        with self._lock:
            timer = self._timers.pop(id(task), None)
            if timer is not None:
                timer.cancel()
            row = self._rows.pop(id(task), None)
            if row is not None:
                self._drawing.remove_task(row)
            if self._drawing is not None and not self._rows:
                self._drawing.stop()
                self._drawing = None

    def noted(self, message: str) -> None:
        """Print a note; after a handful, only count them."""
        with self._lock:
            self._notes += 1
            if self._notes <= NOTES_SHOWN:
                self._print(f"Note: {one_line(message)}")

    def close(self) -> None:
        """Say how many notes were held back."""
        if self._notes > NOTES_SHOWN:
            self._print(f"Note: {self._notes - NOTES_SHOWN} more notes of this kind are not shown.")

    def _show(self, task: Task) -> None:
        with self._lock:
            if id(task) not in self._timers:
                return
            if self._drawing is None:
                self._drawing = _bars()
                self._drawing.start()
            self._rows[id(task)] = self._drawing.add_task(
                task.label, total=task.total or None, completed=task.done, status=_status(task)
            )

    def _print(self, line: str) -> None:
        if self._drawing is not None:
            self._drawing.console.print(line)
        else:
            click.echo(line, err=True)


@contextmanager
def watching(*, quiet: bool) -> Iterator[None]:
    """Show notes and progress while the block runs: bars where the error stream is a terminal, else lines."""
    if quiet:
        with listening(Silence()):
            yield
        return
    watcher = Watcher(bars=sys.stderr.isatty())
    with listening(watcher):
        yield
    watcher.close()


def _status(task: Task) -> str:
    return task.status or (f"{task.done}/{task.total}" if task.total else "")


def _bars() -> Any:
    """Label, bar, the time left, and how it stands, cut where the terminal is narrow."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    room = max(console.width - LABEL_AND_TIME, 12)
    columns = (
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        BarColumn(bar_width=30),
        TimeRemainingColumn(elapsed_when_finished=True, table_column=Column(no_wrap=True, min_width=7)),
        TextColumn("left", table_column=Column(no_wrap=True, min_width=4)),
        TextColumn(
            "{task.fields[status]}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis", max_width=room),
        ),
    )
    return Progress(*columns, console=console, transient=True)
