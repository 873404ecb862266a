"""Ctrl-C, and signals by which the system ends a program, after which it clears up and writes nothing more.

Some packages swallow the exception while they are imported, so that it is also remembered.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sfumato.core.errors import Cancelled

SENTENCE = "Stopped by Ctrl-C; no file is left half-written."
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

_asked = threading.Event()
_ended: list["Terminated"] = []


class Terminated(BaseException):
    """A signal to end came: no work goes on after it, as it may after Ctrl-C."""

    def __init__(self, number: int) -> None:
        self.status = 128 + number
        super().__init__(f"Ended by signal {signal.Signals(number).name}; no file is left half-written.")


@contextmanager
def stoppable() -> Iterator[None]:
    """Remember Ctrl-C and signals to end inside the block, besides raising them."""
    _asked.clear()
    _ended.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heeded = [n for n in ENDING if signal.getsignal(n) == signal.SIG_DFL]  # and not what nohup ignores
    earlier = {signal.SIGINT: signal.signal(signal.SIGINT, _interrupt)}
    earlier |= {number: signal.signal(number, _terminate) for number in heeded}
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
        # an interrupt that passed through exec, as in a dataclass, makes Python end by a signal and not by our
        # status, unless something is executed after it
        exec("")


@contextmanager
def deferred() -> Iterator[None]:
    """Raise Ctrl-C at the end of the block: packages that are imported in it may swallow it, or complain of it."""
    earlier = signal.signal(signal.SIGINT, _remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, earlier)
    if was_asked_to_stop():
        raise KeyboardInterrupt


def was_asked_to_stop() -> bool:
    """Whether Ctrl-C came, whatever became of its exception."""
    return _asked.is_set()


def stop_if_asked() -> None:
    """End the work at the next step if the exception was lost on its way."""
    if _ended:
        raise _ended[0]
    if was_asked_to_stop():
        raise Cancelled(SENTENCE)


def termination() -> Terminated | None:
    """The signal to end that came, whatever became of its exception."""
    return _ended[0] if _ended else None


def forget() -> None:
    """Go on: the work that was asked to stop did, and kept what it had."""
    _asked.clear()


def _remember(number: int, frame: Any) -> None:
    _asked.set()


def _interrupt(number: int, frame: Any) -> None:
    _asked.set()
    raise KeyboardInterrupt


def _terminate(number: int, frame: Any) -> None:
    if not _ended:  # a second one would disturb the clearing up
        _ended.append(Terminated(number))
        raise _ended[0]
