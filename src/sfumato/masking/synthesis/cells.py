"""The cells of tables: how they are cut, what is told of them, and many tables numbered one after the other."""

import numpy as np

from sfumato.kernels.grid_cuts import cut_grid, cut_off_sparse


def cells_of(counts: np.ndarray, least: int, *, sparse: bool) -> tuple[np.ndarray, np.ndarray]:
    """The cell of each place of a stack of tables, and how many people each cell should hold; NaN where nothing is told.

    Every cell of which a number is told holds at least `least` people. Where `sparse`, regions are cut off them that are nearly
    empty though as many people would be there if rows and columns were unrelated. Of such a region is told how many people are in it
    to the nearest half of `least`, and only as what the rest of its cell holds.

    >>> cells_of(np.array([[[50, 2], [1, 47]]]), 10, sparse=True)
    (array([[[1, 2],
            [3, 0]]], dtype=int32), array([49., 51., nan, nan]))
    >>> cells_of(np.array([[[50, 2], [1, 47]]]), 10, sparse=False)
    (array([[[1, 0],
            [1, 0]]], dtype=int32), array([49., 51.]))
    """
    labels = np.empty(counts.shape, np.int32)
    parents = np.empty(counts.size, np.int64)
    told: list[np.ndarray] = []
    number = 0
    for group, table in enumerate(counts):
        after = total = cut_grid(table, least, labels[group], number)
        if sparse:
            total = cut_off_sparse(table, least, labels[group], number, after, parents)
        here = np.bincount(labels[group].ravel() - number, table.ravel(), total - number)
        told.append(_told(here, after - number, parents[: total - after] - number, least))
        number = total
    return labels, np.concatenate(told)


def _told(counts: np.ndarray, first: int, parents: np.ndarray, least: int) -> np.ndarray:
    """Of the regions from `first` on nothing; of their parents what is left when people of these are counted by halves of `least`."""
    unit = max(least / 2, 1.0)
    told, few = counts.copy(), counts[first:]
    np.add.at(told, parents, few - unit * np.floor(few / unit + 0.5))
    told[first:] = np.nan
    return told


class Cells:
    """Labels of the cells of tables, laid end to end, and how many people each cell should hold."""

    def __init__(self) -> None:
        self._labels: list[np.ndarray] = []
        self._counts: list[np.ndarray] = []
        self._size = self._number = 0

    def add(self, labels: np.ndarray, counts: np.ndarray) -> int:
        """Lay down a table whose cells are numbered from 0; told is where it begins."""
        start = self._size
        self._labels.append((labels + self._number).ravel())
        self._counts.append(counts)
        self._size, self._number = start + labels.size, self._number + len(counts)
        return start

    @property
    def numbers(self) -> np.ndarray:
        found = np.concatenate(self._labels) if self._labels else np.empty(0)
        return found.astype(np.int32)

    @property
    def targets(self) -> np.ndarray:
        return np.concatenate(self._counts) if self._counts else np.empty(0)
