"""Crews: processes of this machine, or the workers of a cluster, that do lists of jobs in shared folders."""

import socket
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar

from sfumato.core import FileError
from sfumato.core.progress import task
from sfumato.parallel import Workers
from sfumato.parallel.cluster import Cluster

Crew: TypeAlias = Workers[None] | Cluster[None]
Job = TypeVar("Job")
Outcome = TypeVar("Outcome")

ASKED = 256  # times that the folder is looked for, so that each worker does so


def check_shared(folder: Path, crew: Crew) -> None:
    """Raise unless every worker sees the folder: all they work on, and what they make of it, lies there."""
    if not isinstance(crew, Cluster):
        return
    token = folder / f".{uuid.uuid4().hex}.token"
    token.touch()
    try:
        jobs = [str(token)] * ASKED
        blind = sorted({host for _, host in crew.run(_blind, jobs, things=range(ASKED)) if host})
    finally:
        token.unlink()
    if blind:
        raise FileError(
            f"Workers of the cluster on {', '.join(blind)} do not see folder {folder}: "
            "give a folder on storage that all of them share with --work FOLDER."
        )


def _blind(_: None, token: str) -> str:
    """The name of this machine if it does not see a file."""
    return "" if Path(token).exists() else socket.gethostname()


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
