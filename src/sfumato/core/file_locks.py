"""Locks of the operating system on open files: they are gone with the process that holds them, however it ends."""

import os
from importlib import import_module
from typing import Any

try:
    import fcntl
except ImportError:  # Windows has locks of its own
    _windows: Any = import_module("msvcrt")
    CAN_SHARE = CAN_INHERIT = False
else:
    CAN_SHARE = CAN_INHERIT = True  # by several who only look; by a process that is given the open file

PLACE = 2**30  # the byte that is locked on Windows, where nobody can read what another has locked


def locked(file: int, *, shared: bool = False, wait: bool = False) -> bool:
    """Lock an open file until it is closed; False if somebody else holds it.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as one, open(one.name) as other:
    ...     locked(one.fileno()), locked(other.fileno())
    (True, False)
    """
    try:
        if CAN_SHARE:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        else:
            os.lseek(file, PLACE, os.SEEK_SET)
            _windows.locking(file, _windows.LK_LOCK if wait else _windows.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    return True
