"""What a worker of a cluster holds between jobs: the shared data, unpickled once."""

import pickle
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, Self
from weakref import WeakValueDictionary

from sfumato.core import progress
from sfumato.parallel.dask_events import event_reporter
from sfumato.parallel.threads import using_threads
from sfumato.version import __version__

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
        """The value, ready to be sent."""
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
    reporter = event_reporter(token)
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
    """The version of this package that a worker has."""
    return __version__


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)
