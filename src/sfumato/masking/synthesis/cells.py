"""The cells of many tables, numbered one after the other."""

import numpy as np


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
