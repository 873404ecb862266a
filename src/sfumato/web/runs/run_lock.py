"""Who works on a run: its process holds a lock of the operating system as long as it lives.

A number of a process says little: it may be given to another one. The lock of a run is taken before its
process is started and handed to it, and is gone when the process is, whatever ended it. So a run whose lock
is held is alive, and only then is the number written beside it that of its process. Where a lock cannot be handed
on, as on Windows, the process takes it itself, before it writes its number.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from sfumato.core.file_locks import CAN_SHARE, locked

LOCK, NUMBER = "lock", "pid"
FEW, GLANCES, GLANCE = (
    3,
    25,
    0.02,
)  # somebody who only looks holds it for a moment, and one who ends a little longer


def take(folder: Path) -> int | None:
    """The lock of a run as an open file, for its process to inherit; nothing if it is held already."""
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    for _ in range(GLANCES):
        if locked(file):
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
        for _ in range(1 if CAN_SHARE else FEW):  # shared, those who only look do not see each other
            if locked(file, shared=True):
                return False
            time.sleep(0.0 if CAN_SHARE else GLANCE)
        return True
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


def terminate(folder: Path) -> bool:
    """Ask the process that holds the lock to end at once; says whether there was one that can be asked.

    Windows can only kill: there a process ends by what is wished of the run, at its next step.
    """
    return psutil.POSIX and _sent(folder, psutil.Process.terminate)


def kill(folder: Path) -> bool:
    """End the process that holds the lock; says whether there was one."""
    return _sent(folder, psutil.Process.kill)


def _sent(folder: Path, signal: Callable[[psutil.Process], None]) -> bool:
    """The process is grasped first, and the lock looked at after: held, it is still the one that wrote the number.

    Should the number be given to another process meanwhile, psutil refuses by the time at which it began.
    """
    try:
        process = psutil.Process(int((folder / NUMBER).read_text(encoding="utf-8")))
        if not is_held(folder):
            return False
        signal(process)
    except (OSError, ValueError, psutil.NoSuchProcess):
        return False
    return True
