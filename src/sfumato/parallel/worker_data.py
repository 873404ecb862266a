"""What a worker of a Dask cluster holds between jobs, the shared data, and what it says about its jobs.

Reports are events on the connections that are there. Dask keeps the last events of a topic in the memory of
its scheduler, so there is one topic for all.
"""

import pickle
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, Self
from weakref import WeakValueDictionary

from sfumato.core import progress
from sfumato.parallel.threads import using_threads
from sfumato.parallel.worker_reports import Report, Reporter
from sfumato.version import __version__

TOPIC = "sfumato"
LONGEST = 0.5  # seconds until a batch is handed in, so that others can help and the user sees something

_here: WeakValueDictionary[str, "WorkerData"] = WeakValueDictionary()


class WorkerData:
    """Data on their way to a worker, and in its memory for as long as Dask keeps this object there.

    Dask lets go of it when the client that sent it is closed, or is gone; the data then leave the worker
    without further ado. Arrays are read-only, and the same for all threads of a worker; what is built on
    them, such as a cache, is one per thread.
    """

    def __init__(self, token: str, pickled: bytes, buffers: list[Any]) -> None:
        self.token, self.pickled = token, pickled
        self.buffers = [memoryview(buffer).toreadonly() for buffer in buffers]
        self._threads = threading.local()

    @classmethod
    def packed(cls, token: str, value: object) -> Self:
        buffers: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        return cls(token, pickled, [buffer.raw() for buffer in buffers])

    def __reduce_ex__(self, protocol: object) -> tuple[Callable[..., "WorkerData"], tuple[Any, ...]]:
        return _arrived, (self.token, self.pickled, [pickle.PickleBuffer(buffer) for buffer in self.buffers])

    @property
    def value(self) -> Any:
        """The data; the same object at every call from one thread."""
        if not hasattr(self._threads, "value"):
            self._threads.value = pickle.loads(self.pickled, buffers=self.buffers)
        return self._threads.value


def _arrived(*parts: Any) -> WorkerData:
    held = WorkerData(*parts)
    _here[held.token] = held
    return held


def call(token: str, batch: bytes) -> bytes | str:
    """Do the jobs of a batch with the data of that token; where the data are not here, say where here is.

    The answer is pickled: the outcomes up to the first job that failed, its error, the seconds a job took,
    and notes. A failure is no failure to Dask, which would write the jobs into its log. Where jobs take
    longer than was thought, those that are left go back. A batch that Dask cancelled stops at its next step.
    """
    reporter = _event_reporter(token)
    outcomes: list[Any] = []
    error: Exception | None = None
    began = time.perf_counter()
    try:
        function, jobs = pickle.loads(batch)
        with using_threads(1), progress.listening(reporter):  # the workers share the cores already
            for job in jobs:
                if token not in _here:
                    return _address()
                outcomes.append(function(_here[token].value, job))
                if time.perf_counter() - began > LONGEST:
                    break
    except Exception as raised:
        raised.add_note(f"In a worker of the cluster:\n{traceback.format_exc()}")
        error = raised
    if reporter.stopped:  # if anybody waits after all, the batch is to be sent again
        return _address()
    pace = (time.perf_counter() - began) / max(len(outcomes), 1)
    return pickle.dumps((outcomes, error, pace, reporter.report.notes))


def version() -> str:
    return __version__


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def _event_reporter(token: str) -> Reporter:
    """The listener for the batch that this worker does now; its work is unwanted once Dask cancelled it.

    Dask does so when the client cancels the batch, or closes, or is gone.
    """
    from distributed import get_worker

    worker = get_worker()
    batch = worker.get_current_task()

    def send(report: Report) -> None:
        tasks, notes = [list(task) for task in report.tasks], list(report.notes)
        worker.log_event(TOPIC, {"token": token, "batch": batch, "tasks": tasks, "notes": notes})

    def unwanted() -> bool:
        found = worker.state.tasks.get(batch)
        return found is None or found.state == "cancelled"

    return Reporter(send, unwanted)


def event_handler(
    token: str, heard: Callable[[tuple[str, Report]], None]
) -> Callable[[tuple[float, Any]], None]:
    """A handler of events that passes on the batch and the report of those that bear the token.

    >>> event = {"token": "t", "batch": "b", "tasks": [[0, "swapping", 3, 1, ""]], "notes": []}
    >>> handler = event_handler("t", print)
    >>> handler((0.0, event))
    ('b', Report(tasks=(TaskState(number=0, label='swapping', total=3, done=1, status=''),), notes=()))
    >>> handler((0.0, {**event, "token": "of another client"}))
    """

    def handler(event: tuple[float, Any]) -> None:
        _, said = event
        if said["token"] == token:
            heard((said["batch"], Report.from_wire(said["tasks"], said["notes"])))

    return handler
