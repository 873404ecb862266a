"""What Windows does not have is taken from every Python process that finds this on its path.

No locks of POSIX, no folders that can be opened, no flush of what is open to be read alone, no files that can be removed
or replaced while somebody of the process holds them open, no handing on of open files.
"""

import builtins
import errno
import os
import stat
import subprocess
import sys
import types

ABSENT = ("fcntl", "resource", "pwd", "grp", "termios")
OURS = "sfumato"
PARTS_OF_SUBPROCESS = ("pass_fds", "preexec_fn")

_import, _open, _fsync, _unlink, _replace = builtins.__import__, os.open, os.fsync, os.unlink, os.replace
_init = subprocess.Popen.__init__


def importing(name, globals=None, locals=None, fromlist=(), level=0):
    who = (globals or {}).get("__name__", "")
    if name in ABSENT and (who == OURS or who.startswith(f"{OURS}.")):
        raise ImportError(f"No module named {name!r} on this system")
    return _import(name, globals, locals, fromlist, level)


def opening(path, flags, *rest, **named):
    if isinstance(path, str | os.PathLike) and os.path.isdir(path) and _asked_by_us():  # noqa: PTH112
        raise PermissionError(errno.EACCES, "a folder is not opened", str(path))
    return _open(path, flags, *rest, **named)


def flushing(file):
    number = file if isinstance(file, int) else file.fileno()
    import fcntl

    if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, "open to be read alone")
    _fsync(number)


def unlinking(path, *rest, **named):
    _refuse_if_open(path)
    _unlink(path, *rest, **named)


def replacing(source, target, *rest, **named):
    _refuse_if_open(source)
    _refuse_if_open(target)
    _replace(source, target, *rest, **named)


def _refuse_if_open(path):
    """Windows refuses what somebody holds open; here what this process does, through a file or mapped."""
    if not _asked_by_us():
        return
    try:
        wanted = os.stat(path)  # noqa: PTH116
    except OSError:
        return
    if not stat.S_ISREG(wanted.st_mode):
        return
    for number in os.listdir("/proc/self/fd"):  # noqa: PTH208
        try:
            held = os.fstat(int(number))
        except OSError:
            continue
        if (held.st_dev, held.st_ino) == (wanted.st_dev, wanted.st_ino):
            raise PermissionError(errno.EACCES, "somebody has it open", str(path))
    with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:  # noqa: PTH123
        if any(line.split()[4] == str(wanted.st_ino) and str(path) in line for line in maps):
            raise PermissionError(errno.EACCES, "somebody has it mapped", str(path))


def _asked_by_us():
    """Only our own code lives without POSIX: packages have code of their own for Windows."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(
        ("pathlib", "os", "shutil", "tempfile")
    ):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == OURS


def starting(self, *arguments, **named):
    if any(named.get(part) for part in PARTS_OF_SUBPROCESS):
        raise ValueError("pass_fds not supported on Windows.")
    _init(self, *arguments, **named)


def locking(file, mode, size):
    """Another open file that holds the lock is refused, of this process or of another."""
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX if mode == msvcrt.LK_LOCK else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None


msvcrt = types.ModuleType("msvcrt")
msvcrt.locking, msvcrt.LK_LOCK, msvcrt.LK_NBLCK = locking, 1, 2
if "LIKE_WINDOWS" in os.environ:  # and not where this is only read, as by whoever collects doctests
    sys.modules["msvcrt"] = msvcrt
    builtins.__import__, os.open, os.fsync = importing, opening, flushing
    os.unlink = os.remove = unlinking
    os.replace = os.rename = replacing
    subprocess.Popen.__init__ = starting
