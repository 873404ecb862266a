"""The process of a run of the workbench: `python -m sfumato.cli.working FOLDER`.

It does what `sfumato run` does with the study in the folder, in the same process and by the same command, but
writes into the folder: events as they happen, and at the end what came out. It holds the lock of the run as
long as it lives, and does what the user wants of the run at every step.
"""

import argparse
import dataclasses
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click

from sfumato.cli.failures import UNEXPECTED, explain
from sfumato.core.errors import Cancelled, GateError
from sfumato.core.progress import listening
from sfumato.data.study_file import Study
from sfumato.version import __version__
from sfumato.web.runs.crash_file import CRASHED, write_crash
from sfumato.web.runs.events import EVENTS, EventWriter
from sfumato.web.runs.run_folder import CRASH, JOURNAL, OUT, SCRATCH, STUDY, read_run_facts
from sfumato.web.runs.run_listener import STOPPED, RunListener
from sfumato.web.runs.run_lock import take, write_number
from sfumato.web.runs.run_summary import summary_of

PLACED = "placed.toml"  # the study as it is run
NAME = "protected.csv"  # of an output that has none
PATIENCE = 5  # how far the process steps back behind those that people wait for


def main() -> None:
    """Work on the run in a folder."""
    parser = argparse.ArgumentParser(
        prog="sfumato.cli.working", description="Work on a run of the workbench."
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lock", type=int, help="the open file that holds the lock of the run")
    given = parser.parse_args()
    lock = take(given.folder) if given.lock is None else given.lock
    if lock is None:
        sys.exit(f"{given.folder}: another process works on this run.")
    os.set_inheritable(lock, False)
    write_number(given.folder, os.getpid())
    os.nice(PATIENCE)
    work(given.folder)
    sys.stdout.flush()
    os._exit(0)  # nothing is left to do, and the run can be resumed at once


def work(folder: Path) -> None:
    """Run the study of a folder, and write how it ended."""
    with EventWriter(folder / EVENTS) as writer:
        writer.write("began", {"process": os.getpid(), "sfumato": __version__})
        watch = RunListener(folder, writer)
        with _terminable(watch), _scratch(folder):
            ended = _ended(folder, watch)
        files = sorted(path.name for path in (folder / OUT).glob("[!.]*"))
        writer.write("ended", {"error": "", "files": files, "summary": summary_of(folder / OUT), **ended})


def _ended(folder: Path, watch: RunListener) -> dict[str, Any]:
    try:
        with listening(watch):
            _call(["run", str(_placed(folder))])
    except Cancelled:
        return {"state": "stopped"}
    except Exception as error:
        short = watch.was_stopped and isinstance(error, GateError)  # of what it could have reached
        return {"state": "stopped" if short else "failed", "error": _sentence(error, folder)}
    return {"state": "stopped" if watch.was_stopped else "finished"}


def _placed(folder: Path) -> Path:
    """The study of a run with its outputs, its journal and its workers as the run wants them."""
    study = Study.read(folder / STUDY)
    workers = read_run_facts(folder).workers
    settings = dict(study.settings)
    takes = _options(study.command)
    if "output" in takes:
        settings["output"] = f"{OUT}/{Path(str(settings.get('output', NAME))).name}"
    if "run" in takes:
        settings["run"] = JOURNAL
    if "workers" in takes and workers is not None:
        settings["workers"] = workers
    dataclasses.replace(study, settings=settings).write(folder / PLACED)
    return folder / PLACED


def _options(name: str) -> set[str]:
    """The long options of a command, which may be one of a group; none where there is no such command."""
    from sfumato.cli import main as sfumato

    command: click.Command | None = sfumato
    with click.Context(sfumato) as context:
        for word in name.split():
            command = command.get_command(context, word) if isinstance(command, click.Group) else None
        params = command.get_params(context) if command is not None else []
    spelled = [option for param in params for option in param.opts]
    return {option.removeprefix("--") for option in spelled if option.startswith("--")}


def _call(words: list[str]) -> None:
    """Run a command as the command line would."""
    from sfumato.cli import main as sfumato

    try:
        with sfumato.make_context("sfumato", words) as context:
            sfumato.invoke(context)
    except click.exceptions.Exit as end:
        if end.exit_code:
            raise click.ClickException(f"The command ended with status {end.exit_code}.") from None


def _sentence(error: Exception, folder: Path) -> str:
    sentence, status = explain(error)
    if status != UNEXPECTED:
        return " ".join(sentence.split()).replace(str(folder / PLACED), STUDY).replace(f"{folder}/", "")
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
    folder.mkdir(exist_ok=True)


if __name__ == "__main__":
    main()
