"""Progress: the library reports, somebody else draws.

Work that takes time opens a `task` and advances it. Whoever wants to watch installs a listener with
`listening`; with none, nothing is drawn. A listener may raise `Cancelled` to stop the work.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass
class Task:
    """One piece of work under way."""

    label: str
    total: int
    done: int = 0
    status: str = ""

    def advance(self, steps: int = 1, *, status: str = "") -> None:
        """Report that some steps are done, and in a few words how it stands."""
        self.done += steps
        self.status = status or self.status
        if (listener := _listener.get()) is not None:
            listener.advanced(self)


class Listener(Protocol):
    """Somebody who watches work."""

    def started(self, task: Task) -> None:
        """A task begins."""

    def advanced(self, task: Task) -> None:
        """A task moved on; raise `Cancelled` here to stop it."""

    def finished(self, task: Task) -> None:
        """A task is over, well or not."""

    def noted(self, message: str) -> None:
        """Something the user should know was decided."""

    def found(self, what: str, values: Mapping[str, Any]) -> None:
        """Something worth showing was found, such as a point of the risk-utility map."""

    def honoured(self) -> None:
        """Work that was asked to stop has stopped and kept what it had; what follows may run."""


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let a listener watch all work done inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class Unheard:
    """Watches for another listener who is told of steps, and of nothing that is decided or found."""

    def __init__(self, listener: Listener) -> None:
        self.started, self.advanced = listener.started, listener.advanced
        self.finished, self.honoured = listener.finished, listener.honoured

    def noted(self, message: str) -> None:
        """Left out."""

    def found(self, what: str, values: Mapping[str, Any]) -> None:
        """Left out."""


@contextmanager
def without_notes() -> Iterator[None]:
    """Work done again, of which what was said the first time is not said twice; it can be stopped all the same."""
    heard = _listener.get()
    if heard is None:
        yield
    else:
        with listening(Unheard(heard)):
            yield


def listener() -> Listener | None:
    """Who watches here, if anybody: for those who pass on what happens elsewhere."""
    return _listener.get()


@contextmanager
def task(label: str, total: int) -> Iterator[Task]:
    """Open a piece of work of so many steps.

    >>> with task("swapping", 3) as work:
    ...     for _ in range(3):
    ...         work.advance()
    >>> work.done
    3
    """
    work, listener = Task(label, total), _listener.get()
    if listener is not None:
        listener.started(work)
    try:
        yield work
    finally:
        if listener is not None:
            listener.finished(work)


def note(message: str) -> None:
    """Tell the listener about a decision the user should know of."""
    if (listener := _listener.get()) is not None:
        listener.noted(message)


class Tally:
    """What parts of one piece of work counted, in whatever threads they were done."""

    def __init__(self) -> None:
        self._counted: list[tuple[str, int]] = []  # to append is safe from any thread

    @contextmanager
    def open(self) -> Iterator[None]:
        """Add here what is counted inside the block."""
        token = _tally.set(self)
        try:
            yield
        finally:
            _tally.reset(token)

    def add(self, message: str, count: int) -> None:
        self._counted.append((message, count))

    def tell(self) -> None:
        """Say each sum once, or add it to the tally of the work that this is a part of."""
        for message in dict.fromkeys(message for message, _ in self._counted):
            counted(message, sum(count for one, count in self._counted if one == message))


_tally: ContextVar[Tally | None] = ContextVar("tally", default=None)


def counted(message: str, count: int) -> None:
    """Tell the listener of a count, which stands for the {} of the message; of work done in parts, of their sum.

    >>> whole = Tally()
    >>> for part in (2, 3):
    ...     with whole.open():
    ...         counted("{} records were left.", part)
    >>> whole.tell()  # to whoever listens: 5 records were left.
    """
    if (tally := _tally.get()) is not None:
        tally.add(message, count)
    elif count:
        note(message.format(f"{count:,}"))


def found(what: str, values: Mapping[str, Any]) -> None:
    """Tell the listener of something worth showing: plain numbers and texts, never a record's value."""
    if (listener := _listener.get()) is not None:
        listener.found(what, values)


def honour() -> None:
    """Tell the listener that its wish to stop was met, so that what was found can still be written."""
    if (listener := _listener.get()) is not None:
        listener.honoured()


def duration_in_words(seconds: float) -> str:
    """A time that work may take, as people say it.

    >>> duration_in_words(42.0), duration_in_words(200.0), duration_in_words(7400.0)
    ('about 40 s', 'about 3 min', 'about 2 h')
    """
    if seconds < 90:
        return f"about {max(round(seconds / 5) * 5, 1)} s"
    return f"about {round(seconds / 60)} min" if seconds < 5400 else f"about {round(seconds / 3600)} h"
