"""How the process of a run is started: apart from the server, which may be closed or killed, and with the lock of the run."""

import os
import subprocess
import sys
import time
from pathlib import Path

from sfumato.core.file_locks import CAN_INHERIT
from sfumato.web.runs.run_folder import LOG, SCRATCH
from sfumato.web.runs.run_lock import GLANCE, NUMBER, write_number

PROCESS = "sfumato.web.runs.run_process"
TEMPORARIES = ("TMPDIR", "TEMP", "TMP")  # by what systems say where temporary files go
APART = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # of Windows, which has no sessions


def started(folder: Path, lock: int) -> "subprocess.Popen[bytes]":
    """A process that works on a run; it holds the lock, which is closed here, when this returns."""
    try:
        if CAN_INHERIT:
            child = _process(folder, ["--lock", str(lock)], [lock])
            write_number(folder, child.pid)
            return child
    finally:
        os.close(lock)
    child = _process(folder, [], [])
    while child.poll() is None and not (folder / NUMBER).exists():  # which it writes once it has the lock
        time.sleep(GLANCE)
    return child


def _process(folder: Path, options: list[str], handed_on: list[int]) -> "subprocess.Popen[bytes]":
    with (folder / LOG).open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", PROCESS, str(folder), *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=handed_on,
            start_new_session=True,
            creationflags=APART,
            cwd=folder,
            env={**os.environ, **dict.fromkeys(TEMPORARIES, str(folder / SCRATCH))},
        )
