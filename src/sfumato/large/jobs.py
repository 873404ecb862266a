"""Lists of jobs on blocks and parts, done by a crew, with progress."""

from collections.abc import Callable, Sequence
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
    found: dict[int, Outcome] = {}
    with task(label, len(jobs)) as work:
        for position, outcome in crew.run(function, jobs):
            found[position] = outcome
            work.advance()
    return [found[position] for position in range(len(jobs))]


def _squared(_: None, number: int) -> int:
    return number * number
