"""What local suppression is asked for: which columns in which sets, what they are worth, and when it is enough."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from sfumato.kernels.compatible_records import EMPTY
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._enough_records import EnoughRecords

LARGEST_NUMBER_OF_SETS = 1024  # of attributes, each of which is one pass over the records
SMALLEST_COST = (
    1e-6  # of a cell, in those of the dearest: where cells are worth nothing, still no more go than must
)

Columns = tuple[int, ...]


@dataclass(frozen=True)
class SuppressionDemand:
    """Records must be like enough others in each of the sets of columns; cells of `never` columns stay."""

    enough: EnoughRecords
    importance: tuple[float, ...]
    sets: tuple[Columns, ...]
    never: Columns = ()

    @property
    def costs(self) -> np.ndarray:
        """Of a cell of each column; infinite where none may go."""
        costs = np.maximum(self.importance, SMALLEST_COST * max([*self.importance, SMALLEST_COST]))
        costs[list(self.never)] = np.inf
        return costs

    @property
    def is_single(self) -> bool:
        """Whether records are compared in one set alone."""
        return len(self.sets) == 1

    def among(self, used: list[int]) -> "SuppressionDemand":
        """The same of some of the columns, in which all sets lie, by their places among these."""
        place = {j: at for at, j in enumerate(used)}
        return SuppressionDemand(
            self.enough,
            tuple(self.importance[j] for j in used),
            tuple(tuple(place[j] for j in columns) for columns in self.sets),
            tuple(place[j] for j in self.never if j in place),
        )

    def free(self, columns: Columns) -> Columns:
        return tuple(j for j in columns if j not in self.never)

    def tried(self, states: np.ndarray, columns: Columns) -> list[Columns]:
        """The sets of columns that records may lose of some, the least important first."""
        free = self.free(columns)
        values = [states[:, j] for j in free]
        sets = attribute_sets(values, tuple(self.importance[j] for j in free))
        return [tuple(free[j] for j in chosen) for chosen in sets]


def attribute_sets(values: list[np.ndarray], importance: tuple[float, ...]) -> Iterator[Columns]:
    """Sets of attributes, the least important first; among equals those with more different values.

    All of them for up to ten attributes; for more, the small ones, and then ever more of the least important.
    """
    d = len(values)
    richness = [len(distinct([v]).first) for v in values]

    def cost(chosen: Columns) -> tuple[float, int, float, Columns]:
        rich = -float(np.prod([float(richness[j]) for j in chosen]))
        return sum(importance[j] for j in chosen), len(chosen), rich, chosen

    size, total = 0, 0
    while size < d and total + comb(d, size + 1) <= LARGEST_NUMBER_OF_SETS:
        size += 1
        total += comb(d, size)
    sets = [chosen for s in range(1, max(size, 1) + 1) for chosen in combinations(range(d), s)]
    yield from sorted(sets, key=cost)
    least = sorted(range(d), key=lambda j: cost((j,)))
    for s in range(size + 1, d + 1):
        yield tuple(sorted(least[:s]))


def cell_states(values: np.ndarray, missing: np.ndarray, reasons: np.ndarray | None) -> np.ndarray:
    """A number for each thing that a cell of a column can be written as: a value, a code for missing, or EMPTY.

    >>> values, missing = np.array([5.0, np.nan, 5.0, np.nan]), np.array([False, True, False, True])
    >>> cell_states(values, missing, np.array([0, 0, 0, 1])).tolist()
    [0, -1, 0, 2]
    """
    why = np.zeros(len(values), np.int64) if reasons is None else reasons.astype(np.int64)
    return np.where(missing & (why == 0), EMPTY, distinct([values, why]).labels)
