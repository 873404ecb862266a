"""Affinity of jobs and workers: these remember what they worked on, so that the same thing goes to the same worker."""

import math
from collections.abc import Hashable, Sequence
from typing import TypeVar

Worker = TypeVar("Worker", bound=Hashable)


class Affinity:
    """Gives jobs on the same thing to the same worker, its home, where that leaves nobody idle.

    A thing that has to go elsewhere once comes home the next time. Where a job runs never changes what it gives.

    >>> affinity = Affinity()
    >>> affinity.shared_out([7, 8], ["a", "b"])
    ['a', 'b']
    >>> affinity.shared_out([8, 7], ["a", "b"])
    ['b', 'a']
    >>> affinity.shared_out([7, 9, 7], ["a", "b"])
    ['a', 'b', 'a']
    """

    def __init__(self) -> None:
        self._homes: dict[int, Hashable] = {}

    def shared_out(self, things: Sequence[int], workers: Sequence[Worker]) -> list[Worker]:
        """A worker for each job, by the thing it is about; none gets more than its share."""
        most = math.ceil(len(things) / len(workers))
        load = dict.fromkeys(workers, 0)
        chosen: dict[int, Worker] = {}
        for position, thing in enumerate(things):
            for worker in workers:
                if worker == self._homes.get(thing) and load[worker] < most:
                    chosen[position] = worker
                    load[worker] += 1
        for position, thing in enumerate(things):
            if position not in chosen:
                chosen[position] = min(workers, key=lambda w: load[w])
                load[chosen[position]] += 1
            if self._homes.get(thing) not in workers:
                self._homes[thing] = chosen[position]
        return [chosen[position] for position in range(len(things))]
