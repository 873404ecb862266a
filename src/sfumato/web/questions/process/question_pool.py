"""The pool of question processes: several questions at a time, each stopped when nobody waits for its answer.

Answers are plain dictionaries, and are kept for as long as the file and its schema stay as they are.
"""

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from sfumato.core import DataError, SfumatoError
from sfumato.data.machine_memory import memory_limit
from sfumato.web.projects import Project
from sfumato.web.questions.process.process_stock import Inquiry, ProcessStock
from sfumato.web.questions.process.project_data import ProjectState, project_state
from sfumato.web.questions.process.question_process import Reply, Request

MOST_ANSWERS = 64
MOST_PROCESSES = 3
GRACE = 1.0  # seconds that a question nobody waits for may still take: to start another process takes longer

Answer = dict[str, Any]
Key = tuple[str, ProjectState, str]


@dataclass
class _Asked:
    """A question under way or answered, and how many wait for it."""

    task: asyncio.Task[Answer]
    waiting: int = 0


class QuestionPool:
    """The processes that answer questions about projects, and the answers they gave.

    `memory` is what all of them may take together, by default half of the machine's.
    """

    def __init__(self, memory: int | None = None) -> None:
        self.stock = ProcessStock(memory_limit(memory) // MOST_PROCESSES)
        self._threads = ThreadPoolExecutor(MOST_PROCESSES, thread_name_prefix="questions")
        self._busy: list[str] = []  # the project of every question that is at a process
        self._turns: list[asyncio.Future[None]] = []
        self._asked: dict[Key, _Asked] = {}

    async def ask(
        self, question: str, project: Project, arguments: Mapping[str, Any] | None = None
    ) -> Answer:
        """The answer to a named question about a project as it is now.

        A question that is refused raises the sentence that was given. When all who wait for an answer are
        cancelled, it is no longer looked for.
        """
        key = (question, project_state(project), json.dumps(dict(arguments or {}), sort_keys=True))
        asked = self._asked.get(key) or self._begun(key)
        asked.waiting += 1
        try:
            return await asyncio.shield(asked.task)  # others may wait for the same answer
        finally:
            asked.waiting -= 1
            if not asked.waiting and not asked.task.done():
                self._forget(key, asked)
                asked.task.cancel()

    def known(self, question: str, project: Project) -> Answer | None:
        """The answer to a question without arguments, if it was given before."""
        asked = self._asked.get((question, project_state(project), "{}"))
        return asked.task.result() if asked is not None and asked.task.done() else None

    def start(self) -> None:
        """Start a process before the first question comes."""
        self._threads.submit(self.stock.fill)

    def close(self) -> None:
        """End the processes; nobody waits for answers any more."""
        self.stock.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _begun(self, key: Key) -> _Asked:
        asked = self._asked[key] = _Asked(asyncio.create_task(self._answered(*key)))
        asked.task.add_done_callback(lambda task: self._settled(key, asked))
        while len(self._asked) > MOST_ANSWERS:
            del self._asked[next(iter(self._asked))]
        return asked

    def _settled(self, key: Key, asked: _Asked) -> None:
        if asked.task.cancelled() or asked.task.exception() is not None:
            self._forget(key, asked)

    def _forget(self, key: Key, asked: _Asked) -> None:
        if self._asked.get(key) is asked:
            del self._asked[key]

    async def _answered(self, question: str, subject: ProjectState, arguments: str) -> Answer:
        await self._turn(subject.id)
        try:
            went, text = await self._replied((question, subject, json.loads(arguments)))
        finally:
            self._busy.remove(subject.id)
            for turn in self._turns:
                if not turn.done():
                    turn.set_result(None)
        if went == "answer":
            found: Answer = json.loads(text)
            return found
        if went == "refused":
            raise DataError(text)
        raise SfumatoError(f"Something unexpected failed ({text}) while {subject.name} was looked at.")

    async def _turn(self, project: str) -> None:
        """Wait for a process; one is left to other projects, so that nobody waits for somebody else's file."""
        while len(self._busy) >= MOST_PROCESSES or self._busy.count(project) >= MOST_PROCESSES - 1:
            turn = asyncio.get_running_loop().create_future()
            self._turns.append(turn)
            try:
                await turn
            finally:
                self._turns.remove(turn)
        self._busy.append(project)

    async def _replied(self, request: Request) -> Reply:
        inquiry = Inquiry(self.stock, request)
        replied = asyncio.get_running_loop().run_in_executor(self._threads, inquiry.reply)
        try:
            return await asyncio.shield(replied)
        except asyncio.CancelledError:
            await asyncio.wait([replied], timeout=GRACE)
            inquiry.stop()
            await asyncio.wait([replied])
            raise
