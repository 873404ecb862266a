"""Records as rows of standardised numbers, the same way for an original and its masked versions."""

import numpy as np

from sfumato.data import Table
from sfumato.data.coverage import Coverage, coverage_of
from sfumato.measures.statistics.spreads import centre_and_spread

MOST_INDICATORS = 20


class Design:
    """The columns that stand for some attributes, fitted to the original.

    A number is one column; so is an ordinal category, by its rank. A nominal attribute has an indicator for
    each of its categories, the most frequent of the original first and at most 20. All columns are
    standardised by the (weighted) mean and standard deviation of the original; a constant is only centred. A recoded
    category counts as a uniform draw from those it covers, and a missing value as the mean.
    """

    def __init__(self, original: Table, names: tuple[str, ...], weights: np.ndarray | None) -> None:
        self.schema, self.names = original.schema, names
        self.kept = {
            name: _frequent(original, name, weights)
            for name in names
            if original.schema[name].scale == "nominal"
        }
        widths = [len(self.kept[name]) if name in self.kept else 1 for name in names]
        self.owner = np.repeat(np.arange(len(names)), widths)
        self.is_number = np.repeat([name not in self.kept for name in names], widths)
        units = [centre_and_spread(column, weights) for column in self._raw(original).T]
        self.centre = np.array([centre for centre, _ in units])
        self.spread = np.array([spread or 1.0 for _, spread in units])

    def matrix(self, table: Table) -> np.ndarray:
        """The records of the original or of a masked version of it, one row each."""
        z: np.ndarray = (self._raw(table) - self.centre) / self.spread
        z[np.isnan(z)] = 0.0
        return z

    def _raw(self, table: Table) -> np.ndarray:
        columns = [self._columns(table, name) for name in self.names]
        return np.concatenate(columns, axis=1)

    def _columns(self, table: Table, name: str) -> np.ndarray:
        if self.schema[name].is_numeric:
            return table[name][:, None]
        reading = coverage_of(self.schema[name], table.schema[name])
        members = _indicated(reading, self.kept[name]) if name in self.kept else _ranks(reading)
        columns: np.ndarray = members[reading.of(table[name])]
        return columns


def _frequent(original: Table, name: str, weights: np.ndarray | None) -> np.ndarray:
    present = ~original.missing(name)
    counts = np.bincount(original[name][present], None if weights is None else weights[present], minlength=1)
    order = np.argsort(-counts, kind="stable")[:MOST_INDICATORS]
    return order[counts[order] > 0]


def _indicated(reading: Coverage, kept: np.ndarray) -> np.ndarray:
    """What each reading says about some categories; missing, last, says nothing."""
    members = np.zeros((reading.width, len(kept)))
    members[kept, np.arange(len(kept))] = 1.0
    for s, covered in enumerate(reading.sets):
        members[reading.size + s] = np.isin(kept, covered) / len(covered)
    members[-1] = np.nan
    return members


def _ranks(reading: Coverage) -> np.ndarray:
    """The rank of each reading, the mean rank of a set."""
    ranks = [*range(reading.size), *(float(covered.mean()) for covered in reading.sets), np.nan]
    return np.array(ranks, float)[:, None]
