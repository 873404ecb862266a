"""A crew: whoever does lists of jobs, seen by those who have such lists."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from sfumato.core.progress import task

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


class Crew(Protocol):
    """Processes of this machine, the workers of a cluster, or this process alone."""

    def run(
        self, function: Callable[[None, Job], Outcome], jobs: Sequence[Job]
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield the position and outcome of each job, in the order in which they finish."""


class Alone:
    """This process, which does one job after the other."""

    def run(
        self, function: Callable[[None, Job], Outcome], jobs: Sequence[Job]
    ) -> Iterator[tuple[int, Outcome]]:
        for position, job in enumerate(jobs):
            yield position, function(None, job)


def outcomes(
    crew: Crew, function: Callable[[None, Job], Outcome], jobs: Sequence[Job], *, label: str
) -> list[Outcome]:
    """What the jobs come to, in the order of the jobs, whoever finished first.

    >>> outcomes(Alone(), lambda _, number: number * number, [1, 2, 3], label="squares")
    [1, 4, 9]
    """
    return list(in_order(crew, function, jobs, label=label))


def in_order(
    crew: Crew, function: Callable[[None, Job], Outcome], jobs: Sequence[Job], *, label: str
) -> Iterator[Outcome]:
    """The same one by one, so that only those that wait for their turn are held."""
    waiting: dict[int, Outcome] = {}
    turn = 0
    with task(label, len(jobs)) as work:
        for position, outcome in crew.run(function, jobs):
            waiting[position] = outcome
            work.advance()
            while turn in waiting:
                yield waiting.pop(turn)
                turn += 1
