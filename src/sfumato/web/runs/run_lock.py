"""Who works on a run: its process holds a lock of the operating system as long as it lives.

A number of a process says little: it may be given to another one. The lock of a run is taken before its
process is started and handed to it, and is gone when the process is, whatever ended it. So a run whose lock
is held is alive, and only then is the number written beside it that of its process.
"""

import fcntl
import os
import signal
import time
from pathlib import Path

LOCK, NUMBER = "lock", "pid"
GLANCES, GLANCE = 25, 0.02  # somebody who only looks holds it for a moment, and one who ends a little longer


def take(folder: Path) -> int | None:
    """The lock of a run as an open file, for its process to inherit; nothing if it is held already."""
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    for _ in range(GLANCES):
        if _locked(file, fcntl.LOCK_EX):
            return file
        time.sleep(GLANCE)
    os.close(file)
    return None


def is_held(folder: Path) -> bool:
    """Whether a process works on a run."""
    try:
        file = os.open(folder / LOCK, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return not _locked(file, fcntl.LOCK_SH)  # shared: those who only look do not see each other
    finally:
        os.close(file)


def write_number(folder: Path, process: int) -> None:
    """Say which process holds the lock; called by whoever starts it, and by itself should they not live to."""
    path = folder / NUMBER
    if not path.exists() or path.read_text(encoding="utf-8") != str(process):
        path.write_text(str(process), encoding="utf-8")


def forget_number(folder: Path) -> None:
    """Drop the number of an earlier process; called with the lock held, before a new one is started."""
    (folder / NUMBER).unlink(missing_ok=True)


def send(folder: Path, number: signal.Signals) -> bool:
    """Send a signal to the process that holds the lock; says whether there was one.

    The process is grasped first, and the lock looked at after: held, it is still the one that wrote the
    number, and the signal cannot reach another.
    """
    process = _grasped(folder)
    if process is None:
        return False
    try:
        if not is_held(folder):
            return False
        signal.pidfd_send_signal(process, number)
    except ProcessLookupError:
        return False
    finally:
        os.close(process)
    return True


def _locked(file: int, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _grasped(folder: Path) -> int | None:
    try:
        return os.pidfd_open(int((folder / NUMBER).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
