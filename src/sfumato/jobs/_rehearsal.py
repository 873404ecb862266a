"""Rehearsals: a job done once more without some of the people, so that there are others to compare the rest with."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sfumato.core import Seed, SfumatoError, another, progress
from sfumato.data import Table
from sfumato.data.held_out import held_out

FOLDS = 5
FEWEST = 20  # people outside; of fewer nothing can be said
Made = Callable[[Table, Seed], Table]
"""What a job makes of some people: their release, record by record, under a seed of its own."""


class Rehearsal(NamedTuple):
    """A release of the people inside, made as the real one was, and the people it never saw."""

    inside: Table
    outside: Table
    released: Table


def rehearsals(table: Table, make: Made, *, seed: Seed, count: int, done: int = 0) -> Iterator[Rehearsal]:
    """Do a job so many times more on four fifths of a table, each time with another key and other people outside.

    Those that were `done` already are left out.
    """
    if count and table.n < FOLDS * FEWEST:
        progress.note(
            f"{table.n} records are too few to hold people out: what needs people outside is not judged."
        )
        return
    with progress.task("Rehearsing", count - done) as bar:
        for fold in range(done, count):
            inside, outside = held_out(table, seed, fold=fold, folds=FOLDS)
            try:
                with progress.without_notes():
                    released = make(inside, another(seed, "rehearsal", fold))
            except SfumatoError as error:
                progress.note(f"the job could not be rehearsed on {inside.n} records: {error}")
                return
            yield Rehearsal(inside, outside, released)
            bar.advance()
