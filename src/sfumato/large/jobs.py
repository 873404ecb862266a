"""Lists of jobs on blocks and parts, done by a crew, with progress."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from sfumato.core.progress import task
from sfumato.large.crews import Crew

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


def outcomes(
    crew: Crew, function: Callable[[None, Job], Outcome], jobs: Sequence[Job], *, label: str
) -> list[Outcome]:
    """What the jobs come to, in the order of the jobs, whoever finished first.

    >>> from sfumato.parallel import Workers
    >>> outcomes(Workers(None), _squared, [1, 2, 3], label="squares")
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


def _squared(_: None, number: int) -> int:
    return number * number
