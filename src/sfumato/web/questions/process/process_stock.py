"""The question processes there are: those that are free, and how one question is put to one of them."""

import threading

from sfumato.core.quantities import Size
from sfumato.web.questions.process.project_data import ELSEWHERE
from sfumato.web.questions.process.question_process import QuestionProcess, Reply, Request, TooMuchMemoryError

ATTEMPTS = 2


class ProcessStock:
    """Processes that may take so many bytes of memory each; threads take them and give them back."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self._lock = threading.Lock()
        self._idle: list[QuestionProcess] = []
        self._all: list[QuestionProcess] = []
        self._closed = False

    @property
    def numbers(self) -> list[int]:
        """The numbers of the processes that live, as far as is known."""
        return [process.pid for process in self._all]

    def take(self, project: str) -> QuestionProcess:
        """A process that is free, best the one that has the tables of the project; a new one where none is."""
        with self._lock:
            if self._idle:
                found = next((one for one in self._idle if one.last == project), self._idle[0])
                self._idle.remove(found)
                return found
        found = QuestionProcess(self.memory)
        with self._lock:
            self._all.append(found)
            if self._closed:
                found.kill()
        return found

    def give_back(self, process: QuestionProcess) -> None:
        with self._lock:
            self._idle.append(process)

    def drop(self, process: QuestionProcess) -> None:
        """Forget a process that has gone."""
        process.end()
        with self._lock:
            self._all.remove(process)

    def fill(self) -> None:
        """Have one ready."""
        self.give_back(self.take(""))

    def close(self) -> None:
        """End all processes, and those that are being started."""
        with self._lock:
            self._closed = True
            for process in self._all:
                process.kill()


class Inquiry:
    """One question to a process; who stops it kills the process."""

    def __init__(self, stock: ProcessStock, request: Request) -> None:
        self._stock, self._request = stock, request
        self._lock = threading.Lock()
        self._process: QuestionProcess | None = None
        self._stopped = False

    def reply(self) -> Reply:
        """What is answered, by another process if the first one dies."""
        subject = self._request[1]
        said = f"The process that read {subject.name} died: the machine may need more memory."
        for _ in range(ATTEMPTS):
            process = None if self._stopped else self._stock.take(subject.id)
            if process is None or not self._begin(process):
                break
            try:
                reply = process.exchange(self._request)
            except TooMuchMemoryError:  # asked again, a fresh one has nothing of other files
                said = f"{subject.name} takes more than the {Size(process.memory)} that a page may use: {ELSEWHERE}"
                self._stock.drop(process)
            except (EOFError, OSError):
                self._stock.drop(process)
            else:
                self._end(process)
                return reply
        return "refused", said

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def _begin(self, process: QuestionProcess) -> bool:
        with self._lock:
            if self._stopped:
                self._stock.give_back(process)
                return False
            self._process = process
            return True

    def _end(self, process: QuestionProcess) -> None:
        """Let go of the process before others may take it: it is no longer ours to kill."""
        with self._lock:
            self._process = None
        self._stock.give_back(process)
