"""The process of a run of the workbench: `python -m sfumato.web.runs.run_process FOLDER`.

It does the job of the study in the folder, as `sfumato run` does, but writes into the folder: events as they
happen, and at the end what came out. It holds the lock of the run as long as it lives, and does what the user
wants of the run at every step.
"""

import argparse
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from sfumato.core import Key, parameters
from sfumato.core.errors import Cancelled, GateError
from sfumato.core.failures import UNEXPECTED, explain
from sfumato.core.private import OTHERS, private_folder
from sfumato.core.progress import listening
from sfumato.jobs import Job, study_of
from sfumato.reports.delivery import perform
from sfumato.version import __version__
from sfumato.web.runs.events import EVENTS, EventWriter
from sfumato.web.runs.run_folder import (
    CRASH,
    JOURNAL,
    OUT,
    REPEAT,
    SCRATCH,
    STUDY,
    files_in,
    job_in,
    randomness_in,
    read_run_facts,
    record_in,
)
from sfumato.web.runs.run_listener import STOPPED, RunListener
from sfumato.web.runs.run_lock import take, write_number

PATIENCE = 5  # how far the process steps back behind those that people wait for
CRASHED = "An unexpected error; details in crash.txt."


def main() -> None:
    parser = argparse.ArgumentParser(prog=__spec__.name, description="Work on a run of the workbench.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lock", type=int, help="the open file that holds the lock of the run")
    given = parser.parse_args()
    os.umask(OTHERS)
    lock = take(given.folder) if given.lock is None else given.lock
    if lock is None:
        sys.exit(f"{given.folder}: another process works on this run.")
    os.set_inheritable(lock, False)
    write_number(given.folder, os.getpid())
    if hasattr(os, "nice"):
        os.nice(PATIENCE)
    work(given.folder)
    sys.stdout.flush()
    os._exit(0)  # nothing is left to do, and the run can be resumed at once


def work(folder: Path) -> None:
    """Do the job of a folder, and write how it ended."""
    with EventWriter(folder / EVENTS) as writer:
        writer.write("began", {"process": os.getpid(), "sfumato": __version__})
        watch = RunListener(folder, writer)
        with _terminable(watch), _scratch(folder):
            ended = _ended(folder, watch)
        files, summary = files_in(folder / OUT), summary_of(folder / OUT)
        writer.write("ended", {"error": "", "files": files, "summary": summary, **ended})


def _ended(folder: Path, watch: RunListener) -> dict[str, Any]:
    try:
        with listening(watch):
            _do(job_in(folder, STUDY), folder)
    except Cancelled:
        return {"state": "stopped"}
    except Exception as error:
        short = watch.was_stopped and isinstance(error, GateError)  # of what it could have reached
        return {"state": "stopped" if short else "failed", "error": _sentence(error, folder)}
    return {"state": "stopped" if watch.was_stopped else "finished"}


def _do(job: Job, folder: Path) -> None:
    """Do a job in the folder of its run, and write the study that gives the same again."""
    places, random = _places(job, folder), _random(job, folder)
    outcome, _ = perform(job.with_(**places, **random))
    again = outcome.repeated()
    if again is not None:
        asked = again.with_(**{name: getattr(job, name) for name in places}, **random)
        study_of(asked, folder=Path()).write(folder / REPEAT)


def _places(job: Job, folder: Path) -> dict[str, Any]:
    """Where a run does its job: what it writes, what it keeps to go on, and by how many processes.

    What it writes is told from here, so that the study among it holds wherever its folder is taken.
    """
    known = parameters(type(job))
    written = {p.name: getattr(job, p.name) for p in known.values() if p.writes and not p.where}
    places: dict[str, Any] = {
        name: Path(os.path.relpath(folder / OUT / path.name))
        for name, path in written.items()
        if path is not None
    }
    wanted = {"run_folder": folder / JOURNAL, "workers": read_run_facts(folder).workers}
    return places | {name: value for name, value in wanted.items() if name in known and value is not None}


def _random(job: Job, folder: Path) -> dict[str, Any]:
    """The key of the run for a job that takes one and has none: resumed, it goes on with the same."""
    found = randomness_in(folder, job)
    return {"secret": found} if isinstance(found, Key) else {}


def _sentence(error: Exception, folder: Path) -> str:
    sentence, status = explain(error)
    if status != UNEXPECTED:
        return " ".join(sentence.split()).replace(f"{folder}/", "")
    write_crash(error, folder / CRASH)
    return CRASHED


@contextmanager
def _terminable(watch: RunListener) -> Iterator[None]:
    """A signal to terminate stops the work at once, wherever it is."""

    def stop(number: int, frame: Any) -> NoReturn:
        watch.was_stopped = True
        raise Cancelled(STOPPED)

    earlier = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)


@contextmanager
def _scratch(folder: Path) -> Iterator[None]:
    """Temporary files go with the process; those of one that was killed go now."""
    _emptied(folder / SCRATCH)
    try:
        yield
    finally:
        _emptied(folder / SCRATCH)


def _emptied(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    private_folder(folder)


def write_crash(error: BaseException, path: Path) -> None:
    """Write where an error came from: files, lines and kinds of errors.

    The message of a foreign error may hold a record's value, so that only its kind is told.
    """
    path.write_text("\n".join(_lines(error)) + "\n", encoding="utf-8")


def _lines(error: BaseException) -> Iterator[str]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _lines(before)
        yield "and then:"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}, line {frame.lineno}, in {frame.name}"
    yield type(error).__name__


def summary_of(out: Path) -> dict[str, Any]:
    """Loss, risk and masking of the release in a folder; empty where there is no record of one."""
    record = record_in(out) or {}
    scores = _within(record, "evaluation", "scores") or {}
    found = {
        "loss": _within(scores, "information_loss", "value"),
        "risk": _within(scores, "disclosure_risk", "value"),
        "spec": _within(record, "chosen", "masking"),
        "origin": _within(record, "chosen", "origin"),
        "records": _within(record, "release", "records"),
        "evolved": _within(record, "evolution", "released"),
        "generations": record.get("generations", _within(record, "evolution", "generations")),
        "gates": record.get("gates"),
        "publication": record.get("publication"),
        "promise": record.get("promise"),
        "treatments": record.get("treatments"),
        "seconds": record.get("seconds"),
    }
    return {name: value for name, value in found.items() if value is not None}


def _within(record: Any, *names: str) -> Any:
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record


if __name__ == "__main__":
    main()
