"""Ctrl-C. Some packages swallow the exception while they are imported, so that it is also remembered."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sfumato.core.errors import Cancelled

SENTENCE = "Stopped by Ctrl-C; no file is left half-written."

_asked = threading.Event()


@contextmanager
def stoppable() -> Iterator[None]:
    """Remember Ctrl-C inside the block, besides raising it."""
    _asked.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, earlier)
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
    if was_asked_to_stop():
        raise Cancelled(SENTENCE)


def forget() -> None:
    """Go on: the work that was asked to stop did, and kept what it had."""
    _asked.clear()


def _remember(number: int, frame: Any) -> None:
    _asked.set()


def _interrupt(number: int, frame: Any) -> None:
    _asked.set()
    raise KeyboardInterrupt
