"""Ranges of ranks: the values of one attribute in order, cut into pieces, without sorting the file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.masking import InParts, stratum_of
from sfumato.masking._parts import Stratum
from sfumato.masking.from_disk.file_facts import FileFacts
from sfumato.masking.from_disk.routing import allotted, rows_by_stratum

WINDOWS = 8  # how many times as far as the method reaches a range is long
LONGEST = 1 << 22  # records in a range, however far the method reaches


class Cuts(NamedTuple):
    """Where ranges end: after a record with this value in this row; equal values come in file order."""

    first: int  # the leaf of the first range
    values: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True)
class Ranges:
    """The ranges of one attribute in each stratum. Missing values have no rank, and stay."""

    name: str
    cuts: Mapping[Stratum, Cuts]
    homes: tuple[int, ...]

    def leaves(self, part: Table, rows: np.ndarray) -> np.ndarray:
        found = np.empty(part.n, np.int64)
        for _, at in part.strata():
            cuts = self.cuts[stratum_of(part.take(at[:1]))]
            found[at] = cuts.first + ranges_of(part[self.name][at], rows[at], cuts)
        found[part.missing(self.name)] = -1
        return found


def ranges(
    masking: InParts,
    sample: Table,
    rows: np.ndarray,
    name: str,
    *,
    facts: Mapping[Stratum, FileFacts],
    partition: int,
) -> Ranges:
    """Learn from a sample where ranges end, so that each is several times as long as the method reaches."""
    present = {stratum: known.present(name) for stratum, known in facts.items()}
    wanted = {
        stratum: round(n / min(max(partition, WINDOWS * masking.reach(n)), LONGEST))
        for stratum, n in present.items()
    }
    places, homes = allotted(present, wanted, partition)
    by_stratum = rows_by_stratum(sample)
    cuts = {}
    for stratum, (first, pieces) in places.items():
        at = by_stratum.get(stratum, np.arange(0))
        at = at[~sample.missing(name)[at]]
        values, row = sample[name][at], rows[at]
        order = np.lexsort((row, values))
        ends = order[len(order) * np.arange(1, pieces) // pieces] if len(order) else order
        cuts[stratum] = Cuts(first, values[ends], row[ends])
    return Ranges(name, cuts, homes)


def ranges_of(values: np.ndarray, rows: np.ndarray, cuts: Cuts) -> np.ndarray:
    """In which range each value is; of those equal to where a range ends, later rows are in the next.

    >>> cuts = Cuts(0, np.array([3.0, 3.0, 5.0]), np.array([2, 7, 1]))
    >>> ranges_of(np.array([1.0, 3.0, 3.0, 3.0, 5.0, 9.0]), np.array([0, 2, 3, 8, 4, 5]), cuts).tolist()
    [0, 0, 1, 2, 3, 3]
    """
    found = np.searchsorted(cuts.values, values, side="left")
    for value in np.unique(cuts.values):
        here = np.flatnonzero(values == value)
        ends = cuts.rows[cuts.values == value]
        found[here] += np.searchsorted(ends, rows[here], side="left")
    return found
