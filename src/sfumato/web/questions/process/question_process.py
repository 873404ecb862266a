"""The question process: heavy questions are answered in a process of their own, never in the server.

The process keeps the tables it has read. Answers are plain dictionaries, and are kept for as long as the file and
its schema stay as they are.
"""

import asyncio
import json
import multiprocessing
import signal
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from sfumato.core import DataError, SfumatoError
from sfumato.core.results import plain
from sfumato.parallel.workers import deaf_to_interrupts
from sfumato.web import folder_registry
from sfumato.web.projects import Project
from sfumato.web.questions.process.project_data import ProjectData, ProjectState, RecentCache, project_state

MOST_ANSWERS = 64
ATTEMPTS = 2


class QuestionProcess:
    """The process that answers questions about projects, and the answers it gave."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="questions")
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._closed = False
        self._answers: dict[tuple[str, ProjectState, str], asyncio.Task[dict[str, Any]]] = {}

    async def ask(
        self, question: str, project: Project, arguments: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The answer to a named question about a project as it is now.

        A question that the process refuses raises the sentence it gave.
        """
        subject = project_state(project)
        key = (question, subject, json.dumps(dict(arguments or {}), sort_keys=True))
        if key not in self._answers:
            self._answers[key] = asyncio.create_task(self._asked(*key))
            self._answers[key].add_done_callback(lambda task: self._forget_failure(key, task))
            while len(self._answers) > MOST_ANSWERS:
                del self._answers[next(iter(self._answers))]
        return await asyncio.shield(self._answers[key])  # another page may wait for the same answer

    def start(self) -> None:
        """Start the process before the first question comes."""
        self._thread.submit(self._connected)

    def close(self) -> None:
        """End the process; nobody waits for answers any more."""
        self._closed = True
        if self._process is not None:
            self._process.kill()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _asked(self, question: str, subject: ProjectState, arguments: str) -> dict[str, Any]:
        request = (question, subject, json.loads(arguments))
        loop = asyncio.get_running_loop()
        went, text = await loop.run_in_executor(self._thread, self._exchange, request)
        if went == "answer":
            found: dict[str, Any] = json.loads(text)
            return found
        if went == "refused":
            raise DataError(text)
        raise SfumatoError(f"Something unexpected failed ({text}) while {subject.name} was looked at.")

    def _exchange(self, request: tuple[str, ProjectState, dict[str, Any]]) -> tuple[str, str]:
        for _ in range(ATTEMPTS):
            if self._closed:
                return "refused", "The workbench has ended."
            connection = self._connected()
            try:
                connection.send(request)
                reply: tuple[str, str] = connection.recv()
                return reply
            except (EOFError, OSError):  # the process died, perhaps for want of memory
                self._connection = None
        return "refused", f"The process that read {request[1].name} died: the machine may need more memory."

    def _connected(self) -> Connection:
        if self._connection is None:
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            resource_tracker.ensure_running()  # started by the first process, it would let interrupts through
            with deaf_to_interrupts():
                self._process = context.Process(target=_answer_all, args=(theirs,), daemon=True)
                self._process.start()
            theirs.close()  # so that a process that dies ends the connection
        return self._connection

    def _forget_failure(
        self, key: tuple[str, ProjectState, str], task: "asyncio.Task[dict[str, Any]]"
    ) -> None:
        if task.cancelled() or task.exception() is not None:
            self._answers.pop(key, None)


def _answer_all(connection: Connection) -> None:
    """Answer until the other end of the connection is closed, as it is when the server ends or is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes the connection
    kept = RecentCache()
    _warm()
    while True:
        try:
            question, subject, arguments = connection.recv()
            connection.send(_answer(question, ProjectData(subject, kept), arguments))
        except (EOFError, ConnectionError):
            return


def _answer(question: str, held: ProjectData, arguments: dict[str, Any]) -> tuple[str, str]:
    """How it went ("answer", "refused", "failed"), and the answer as JSON or a sentence."""
    try:
        found = getattr(folder_registry.load("questions", question), question)(held, arguments)
        return "answer", json.dumps(plain(found), ensure_ascii=False, allow_nan=False)
    except SfumatoError as error:
        subject = (
            held.subject
        )  # the file is called as people call it: where it is stored is nobody's business
        return "refused", str(error).replace(str(subject.path), subject.name)
    except MemoryError:
        return "refused", f"{held.subject.name} is too large for the memory of this machine."
    except Exception as error:  # its message may hold a record's value: only its kind is told
        return "failed", type(error).__name__


def _warm() -> None:
    """Import what nearly every question needs while nobody waits yet."""
    import sfumato.jobs.attack
    import sfumato.jobs.describe
    import sfumato.plots  # noqa: F401
