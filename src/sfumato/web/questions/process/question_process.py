"""A question process: heavy questions are answered in processes of their own, never in the server.

A process keeps the tables it has read. It takes one question at a time, and may be killed at any moment.
"""

import json
import multiprocessing
import os
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sfumato.core import SfumatoError
from sfumato.core.results import plain
from sfumato.parallel.workers import deaf_to_interrupts
from sfumato.web import folder_registry
from sfumato.web.questions.process.project_data import ProjectData, ProjectState, RecentCache

GLANCE = 0.1  # seconds between two looks at how much memory it has taken
ITSELF = 400 * 10**6  # bytes that it takes before it has read a file

Request = tuple[str, ProjectState, dict[str, Any]]
Reply = tuple[str, str]
"""How it went ("answer", "refused", "failed"), and the answer as JSON or a sentence."""


class TooMuchMemoryError(Exception):
    """The process took more memory than it may, and was killed."""


class QuestionProcess:
    """The process at the other end of a pipe, which may take so many bytes of memory for files."""

    def __init__(self, memory: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.memory = memory
        self.last = ""  # the project it was last asked about, whose tables it has
        self._connection, theirs = context.Pipe()
        resource_tracker.ensure_running()  # started by the first process, it would let interrupts through
        with deaf_to_interrupts():
            self._process = context.Process(target=_answer_all, args=(theirs, memory), daemon=True)
            self._process.start()
        theirs.close()  # so that a process that dies ends the connection

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    def exchange(self, request: Request) -> Reply:
        """What the process answers; a process that dies meanwhile raises EOFError or OSError."""
        self.last = request[1].id
        self._connection.send(request)
        while not self._connection.poll(GLANCE):
            if _resident(self.pid) > ITSELF + self.memory:
                self.kill()
                raise TooMuchMemoryError
        reply: Reply = self._connection.recv()
        return reply

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        """Kill the process, and leave nothing of it."""
        self._process.kill()
        self._process.join()
        self._connection.close()


def _resident(pid: int) -> int:
    """The bytes of memory that a process holds; 0 where it has gone."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _answer_all(connection: Connection, memory: int) -> None:
    """Answer until the other end of the connection is closed, as it is when the server ends or is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes the connection
    kept = RecentCache()
    _warm()
    for question, subject, arguments in _received(connection):
        try:
            connection.send(_answer(question, ProjectData(subject, kept, memory=memory), arguments))
        except ConnectionError:
            return


def _received(connection: Connection) -> Iterator[Request]:
    while True:
        try:
            yield connection.recv()
        except (EOFError, ConnectionError):
            return


def _answer(question: str, held: ProjectData, arguments: dict[str, Any]) -> Reply:
    try:
        found = getattr(folder_registry.load("questions", question), question)(held, arguments)
        return "answer", json.dumps(plain(found), ensure_ascii=False, allow_nan=False)
    except SfumatoError as error:
        subject = held.subject
        # the file is called as people call it: where it is stored is nobody's business
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
