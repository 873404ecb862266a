"""Columns that tell the place of a record as well: the state of an area, the area of a household, weights by region."""

from collections.abc import Iterable

import numpy as np

from sfumato.data import Table

SURE = 0.95  # of the guesses that go wrong without a column, so many go right with it
ENOUGH = 30  # wrong guesses without it that this must rest on


def place_columns(table: Table, places: np.ndarray, names: Iterable[str]) -> list[str]:
    """Those of the columns that tell where a record is, or that its place tells; −1 stands for no place.

    Where records trade places, such a column contradicts the new one, and whoever looks for contradictions has the
    swaps. So it has to move along, or to be left out.

    >>> from sfumato.datasets import census_pair
    >>> people = census_pair(1000, areas=5, planted=1, seed=1).survey
    >>> place_columns(people, people["workplace"], people.names)
    ['workplace']
    """
    found = []
    for name in names:
        values = np.unique(table[name], return_inverse=True)[1].ravel()
        there = (places >= 0) & ~table.missing(name)
        if _told(values[there], places[there]) or _told(places[there], values[there]):
            found.append(name)
    return found


def _told(by: np.ndarray, what: np.ndarray) -> bool:
    """Whether records with the same number of the first kind nearly always share one of the second, beyond chance.

    Of records with the same number the first one tells nothing, so that a number of its own for everybody tells nothing.
    """
    if not len(by):
        return False
    kinds = int(what.max()) + 1
    pairs, counts = np.unique(by.astype(np.int64) * kinds + what, return_counts=True)
    begins = np.flatnonzero(np.diff(pairs // kinds, prepend=-1))
    total, most = np.add.reduceat(counts, begins), np.maximum.reduceat(counts, begins)
    judged, wrong = int((total - 1).sum()), int((total - most).sum())
    guessed = judged * (1 - np.bincount(what).max() / len(what))
    return bool(guessed >= ENOUGH and wrong <= (1 - SURE) * guessed)
