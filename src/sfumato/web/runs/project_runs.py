"""Runs: jobs at work in processes of their own, each known by nothing but its folder.

The server starts them, reads what they write and says what is wanted of them. It may be closed or killed: the
runs go on, and another server finds them.
"""

import json
import os
import re
import secrets
import shutil
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from sfumato.core.errors import DataError, FileError
from sfumato.core.private import private_folder
from sfumato.data.files import writing
from sfumato.data.study_file import Study
from sfumato.jobs import Job, repetition_of, study_of
from sfumato.web.runs.events import EVENTS, EventWriter
from sfumato.web.runs.run_folder import (
    FACTS,
    JOURNAL,
    OUT,
    REPEAT,
    SCRATCH,
    STUDY,
    RunFacts,
    Wish,
    ask,
    files_in,
    job_in,
    read_run_facts,
    wish_of,
)
from sfumato.web.runs.run_launch import started
from sfumato.web.runs.run_lock import forget_number, is_held, kill, take, terminate
from sfumato.web.runs.run_state import LOST, History, RunState, State, state_of

Points = list[dict[str, Any]]
States = list[RunState]


class ProjectRuns:
    """The runs in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self._histories: dict[str, History] = {}
        self._jobs: dict[str, Job] = {}
        self._children: list[subprocess.Popen[bytes]] = []  # so that those that ended can be buried
        self._lock = threading.RLock()

    def start(
        self, job: Job, *, label: str = "", workers: int | None = None, releases: bool = False
    ) -> RunState:
        """Start a run of a job; what it writes goes to a folder of the run, whatever folder it names."""
        id = secrets.token_hex(6)
        folder = self.folder / id
        for part in (self.folder, folder, folder / OUT, folder / JOURNAL, folder / SCRATCH):
            private_folder(part)
        study = study_of(job, folder=Path())
        study.write(folder / STUDY)
        facts = {"label": label or study.command, "command": study.command, "workers": workers}
        facts |= {"releases": True} if releases else {}
        with writing(folder / FACTS) as path:
            path.write_text(json.dumps({**facts, "created": time.time()}), encoding="utf-8")
        self._launch(folder)
        return self.state(id)

    def list(self) -> States:
        """Every run that can be read, the newest first."""
        found = []
        for path in self.folder.glob(f"*/{FACTS}"):
            with suppress(DataError, FileError):  # damaged, or removed meanwhile
                found.append(self.state(path.parent.name))
        return sorted(found, key=lambda run: (-run.created, run.id))

    def state(self, id: str) -> RunState:
        folder = self.path(id)
        facts = read_run_facts(folder)
        with self._lock:
            self._children = [child for child in self._children if child.poll() is None]
            history = self._histories.setdefault(id, History(folder))
            return _state(id, facts, history, state_of(history))

    def points(self, id: str) -> Points:
        """What was found, in the order of finding; the same place in the list is always the same point.

        Each has a label, loss, risk and score; a candidate also its spec and the part of the keys it was
        judged on ("all", or those of one kind), a generation of an evolution its number and the front.
        """
        with self._lock:
            history = self._histories.setdefault(id, History(self.path(id)))
            history.read()
            return [dict(point) for point in history.points.values()]

    def path(self, id: str) -> Path:
        folder = self.folder / id
        if not re.fullmatch(r"[0-9a-f]{12}", id) or not (folder / FACTS).is_file():
            raise FileError("There is no such run: choose one from the list.")
        return folder

    def job(self, id: str) -> Job:
        """The job of a run, as it was started; read once, since its study stays as it is."""
        if id not in self._jobs:
            self._jobs[id] = job_in(self.path(id), STUDY)
        return self._jobs[id]

    def repeated(self, id: str) -> Job:
        """The job that gives what a run gave; the one it does, where it has not ended."""
        return job_in(self.path(id), self._repeating(id))

    def study(self, id: str) -> Study:
        """The study that gives what a run gave, for others to repeat who have its key beside it."""
        return repetition_of(self.repeated(id), folder=Path())

    def pause(self, id: str) -> RunState:
        """Let a run wait at its next step."""
        return self._asked(id, "pause", "paused")

    def resume(self, id: str) -> RunState:
        """Let a run go on where it was, with a new process if it has none."""
        folder, found = self.path(id), self.state(id)
        if found.state == "finished":
            raise DataError("The run has finished: there is nothing to go on with.")
        ask(folder, "run")
        if (found.is_over or not is_held(folder)) and not self._launch(folder):
            raise DataError("The last process of the run has not ended yet: try again in a moment.")
        return self.state(id)

    def stop(self, id: str) -> RunState:
        """Stop a run; an evolution keeps its best. Asked again, it ends without; once more, it is killed."""
        folder, wish = self.path(id), wish_of(self.path(id))
        found = self._asked(id, "stop" if wish in ("run", "pause") else "end", "stopped")
        if wish == "stop":
            terminate(folder)
        elif wish == "end":
            kill(folder)
        return found

    def remove(self, id: str) -> None:
        """Forget a run and everything it wrote; one that is at work must be stopped first."""
        folder = self.path(id)
        lock = None if is_held(folder) else take(folder)
        if lock is None:
            raise DataError("The run is still at work: stop it before it is removed.")
        try:
            shutil.rmtree(folder)
        finally:
            os.close(lock)
        with self._lock:
            self._histories.pop(id, None)

    def recover(self) -> States:
        """Start again the runs whose process has gone without an end, as after a power cut; others stay."""
        interrupted = [run.id for run in self.list() if run.state == "interrupted"]
        for id in interrupted:
            self._launch(self.path(id))
        return [self.state(id) for id in interrupted]

    def _repeating(self, id: str) -> str:
        return REPEAT if (self.path(id) / REPEAT).is_file() else STUDY

    def _asked(self, id: str, wish: Wish, what: str) -> RunState:
        state = self.state(id)
        if state.is_over and state.state != "interrupted":  # which would be started again with the server
            raise DataError(f"The run is over ({state.state}): it cannot be {what}.")
        ask(self.path(id), wish)
        return self.state(id)

    def _launch(self, folder: Path) -> bool:
        """Start the process of a run in a session of its own, if nobody holds its lock."""
        lock = take(folder)
        if lock is None:
            return False
        forget_number(folder)
        with EventWriter(folder / EVENTS) as writer:
            writer.write("queued", {})
        child = started(folder, lock)
        with self._lock:
            self._children.append(child)
        return True


def _state(id: str, facts: RunFacts, history: History, state: State) -> RunState:
    progress, ended = history.progress, history.ended
    return RunState(
        id=id,
        label=facts.label,
        command=facts.command,
        releases=facts.releases,
        state=state,
        task=progress.get("task", ""),
        done=progress.get("done", 0),
        total=progress.get("total", 0),
        status=progress.get("status", ""),
        seconds_left=progress.get("left"),
        notes=tuple(history.notes),
        points=len(history.points),
        requirements=tuple(history.requirements),
        remedies=tuple(history.remedies.values()),
        created=facts.created,
        started=history.started,
        finished=ended.get("at"),
        error=LOST if state == "interrupted" else ended.get("error", ""),
        files=files_in(history.folder / OUT),
        summary=ended.get("summary", {}),
        wish=wish_of(history.folder),
    )
