"""Running many independent jobs on the same data, on the machines of a Dask cluster.

The data go to each worker once and stay in its memory; jobs go out in batches. Jobs of a worker that dies
are run again elsewhere, and since a job depends on nothing but itself and the data, the results are the
same on any cluster.
"""

import math
import pickle
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from sfumato.core import ParameterError, SfumatoError
from sfumato.parallel.affinity import Affinity
from sfumato.parallel.certificates import LOCAL
from sfumato.parallel.channel import CROWDED
from sfumato.parallel.dask_client import (
    DEATHS,
    SECONDS,
    check_version,
    cluster_errors,
    connected,
    quicken,
    started,
    threads_of,
)
from sfumato.parallel.progress_relay import ProgressRelay
from sfumato.parallel.worker_data import TOPIC, WorkerData, call, event_handler
from sfumato.parallel.workers import ATTEMPTS

if TYPE_CHECKING:
    from distributed import Future

    from sfumato.parallel.worker_reports import Report

Shared = TypeVar("Shared")
Job = TypeVar("Job")
Outcome = TypeVar("Outcome")

Inbox = SimpleQueue["Future | tuple[str, Report]"]
"""Batches that finished, and what those under way report."""

BATCH_SECONDS = 0.05  # of work in a batch, which itself costs about 3 ms
LOOK_EVERY = 1.0  # seconds between two looks at who works, which cost a few ms
FIRST_BATCH = 25  # jobs, while it is not known how long they take


class Cluster(Generic[Shared]):
    """The workers of a Dask cluster, all of which see the same data.

    The address is that of a scheduler, such as "tls://host:8786", which is left running; its workers need the
    same version of this package. With "local" a cluster of so many worker processes is started on this
    machine, to be reached from this machine only, with certificates of its own, and stopped at the end.

    The data travel to the workers. At an address that does not begin with tls:// Dask asks nobody who they are:
    use such a one only on a network whose users may see the original records.

    >>> with Cluster(2, workers=1) as cluster:
    ...     sorted(cluster.run(pow, [1, 2, 3]))
    [(0, 2), (1, 4), (2, 8)]
    """

    def __init__(self, shared: Shared, address: str = LOCAL, workers: int = 2) -> None:
        if workers < 1:
            raise ParameterError(f"workers must be an integer of at least 1. Got {workers}.")
        self.shared, self.address, self.workers = shared, address, workers
        self._token = uuid.uuid4().hex
        self._cleanup = ExitStack()
        self._copies: dict[str, Future] = {}  # of the data, by worker
        self._affinity = Affinity()
        self._relay = ProgressRelay()
        self._inbox: Inbox = SimpleQueue()
        self._pace = BATCH_SECONDS / FIRST_BATCH  # seconds a job
        self._known_slots, self._look_again = 0, 0.0

    def __enter__(self) -> Self:
        with ExitStack() as cleanup:
            local = self.address == LOCAL
            self._client = started(self.workers, cleanup) if local else connected(self.address, cleanup)
            quicken(self._client)
            self._client.subscribe_topic(TOPIC, event_handler(self._token, self._receive))
            cleanup.callback(self._client.unsubscribe_topic, TOPIC)
            cleanup.callback(self._copies.clear)
            self._packed = WorkerData.packed(self._token, self.shared)
            self._slots()
            self._cleanup = cleanup.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._cleanup.close()

    def run(
        self,
        function: Callable[[Shared, Job], Outcome],
        jobs: Sequence[Job],
        things: Sequence[int] | None = None,
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield the position and outcome of each job, in the order in which they finish; one list at a time.

        `function` must be importable by name, since the workers call it. Jobs on the same of the `things` go
        to the same worker where they can. Otherwise a single job is done here where the cluster is local.
        What jobs tell of their progress reaches the listener of the caller while it waits; if the caller
        stops, so do they at their next step, and the cluster is free for others.
        """
        if self.address == LOCAL and len(jobs) < 2 and things is None:
            for position, job in enumerate(jobs):
                yield position, function(self.shared, job)
            return
        batches = self._batches(function, jobs, things)
        self._inbox = SimpleQueue()
        waiting = self._sent(batches)
        try:
            while waiting:
                future = self._next(waiting)
                batch = waiting.pop(future)
                self._relay.ended(future.key)
                with cluster_errors(self.address):
                    answer = future.result()
                if isinstance(answer, str):
                    self._give(answer)
                    waiting.update(self._sent([batch.again()]))
                    continue
                outcomes, error, self._pace, notes = pickle.loads(answer)
                self._relay.noted(notes)
                if error is None:
                    rest = _Batch(function, jobs, batch.positions[len(outcomes) :]).split(1, self._pace)
                    waiting.update(self._sent(rest))
                yield from zip(batch.positions, outcomes, strict=False)
                if error is not None:
                    raise error
        finally:
            self._cancel(waiting)

    def _batches(
        self, function: Callable[[Any, Any], Any], jobs: Sequence[Any], things: Sequence[int] | None
    ) -> "list[_Batch]":
        slots = self._slots() if time.monotonic() > self._look_again else self._known_slots
        if things is None or not self._copies:
            return _Batch(function, jobs, range(len(jobs))).split(slots, self._pace)
        workers = self._affinity.shared_out(things, sorted(self._copies))
        return [
            _Batch(function, jobs, [position for position, at in enumerate(workers) if at == worker], worker)
            for worker in dict.fromkeys(workers)
        ]

    def _sent(self, batches: "Sequence[_Batch]") -> "dict[Future, _Batch]":
        """Send batches out; their futures arrive in the inbox as they finish."""
        if not batches:
            return {}
        with cluster_errors(self.address), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # jobs may be whole tables
            tokens, packed = [self._token] * len(batches), [batch.packed() for batch in batches]
            if batches[0].worker:
                futures = [
                    self._client.submit(
                        call, token, jobs, pure=False, workers=[batch.worker], allow_other_workers=True
                    )
                    for token, jobs, batch in zip(tokens, packed, batches, strict=True)
                ]
            else:
                futures = self._client.map(call, tokens, packed, pure=False)
            for future in futures:
                future.add_done_callback(self._inbox.put)
        return dict(zip(futures, batches, strict=True))

    def _next(self, waiting: "dict[Future, _Batch]") -> "Future":
        """Wait for a batch, as long as there is anyone who works; tell the listener what they report."""
        idle = 0
        while idle < ATTEMPTS:
            try:
                arrived = self._inbox.get(timeout=SECONDS)
            except Empty:
                idle = 0 if self._slots() else idle + 1
                self._redirect(waiting)
                continue
            if not isinstance(arrived, tuple):
                if arrived in waiting:  # and not one that was called back
                    return arrived
            elif any(future.key == arrived[0] for future in waiting):
                self._relay.heard(*arrived)
        raise SfumatoError(f"The cluster at {self.address} has no workers left; start some.")

    def _redirect(self, waiting: "dict[Future, _Batch]") -> None:
        """Let others do what was meant for a worker that has gone.

        Dask does so by itself, but not where nobody else was there at that moment.
        """
        lost = {future: batch for future, batch in waiting.items() if batch.worker not in ("", *self._copies)}
        for future in lost:
            del waiting[future]
        self._cancel(lost)
        waiting.update(self._sent([batch.anywhere() for batch in lost.values()]))

    def _receive(self, said: "tuple[str, Report]") -> None:
        """Keep a report until the caller waits; the thread of the connection calls this."""
        if self._inbox.qsize() < CROWDED:
            self._inbox.put(said)

    def _cancel(self, futures: "Iterable[Future]") -> None:
        """Call back what was sent out; a client that is closed has done so."""
        left = list(futures)
        for future in left:
            self._relay.ended(future.key)
        if left and self._client.status == "running":
            with suppress(OSError):
                self._client.cancel(left)

    def _slots(self) -> int:
        """How many jobs the workers can do at a time, once all of them have the data."""
        with cluster_errors(self.address):
            threads = threads_of(self._client)
        for gone in self._copies.keys() - threads.keys():
            del self._copies[gone]
        for address in threads:
            self._give(address)
        self._known_slots, self._look_again = sum(threads.values()), time.monotonic() + LOOK_EVERY
        return self._known_slots

    def _give(self, address: str) -> None:
        """Send a worker the data, unless it has them."""
        if address in self._copies and self._copies[address].status == "finished":
            return
        with cluster_errors(self.address), suppress(KeyError, OSError):  # the worker died meanwhile
            check_version(self._client, address)
            # a copy of its own for each worker: of the copies of one value Dask soon drops all but one
            [self._copies[address]] = self._client.scatter([self._packed], workers=[address], hash=False)


def batch_count(jobs: int, slots: int, pace: float) -> int:
    """How many batches to make of so many jobs that take so many seconds each: one for each slot at least.

    >>> batch_count(2, slots=2, pace=0.001), batch_count(50, slots=2, pace=0.001)
    (2, 2)
    >>> batch_count(50, slots=2, pace=0.01), batch_count(50, slots=2, pace=10.0)
    (10, 50)
    """
    by_time = math.ceil(jobs * pace / BATCH_SECONDS)
    return min(jobs, max(slots, by_time, 1))


@dataclass(frozen=True, eq=False)
class _Batch:
    """Some of the jobs, to be done by one worker."""

    function: Callable[[Any, Any], Any]
    jobs: Sequence[Any]
    positions: Sequence[int]
    worker: str = ""
    times: int = 1

    def split(self, slots: int, pace: float) -> "list[_Batch]":
        """Batches of every so-manyth job, so that neighbours that take long do not meet in one."""
        count = batch_count(len(self.positions), slots, pace)
        return [_Batch(self.function, self.jobs, self.positions[start::count]) for start in range(count)]

    def packed(self) -> bytes:
        return pickle.dumps((self.function, [self.jobs[position] for position in self.positions]))

    def anywhere(self) -> "_Batch":
        """The same jobs, for whoever comes first."""
        return _Batch(self.function, self.jobs, self.positions)

    def again(self) -> "_Batch":
        """The same batch once more, after it came to a worker that is new, in place of one that died."""
        if self.times == ATTEMPTS:
            raise SfumatoError(DEATHS)
        return replace(self, times=self.times + 1)
