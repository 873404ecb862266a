"""MDAV as Balasch prints it, Algorithm 1: its last group may hold fewer than k records."""

import numpy as np

from sfumato.search.problems.attribute_grouping import AttributeGrouping


class PrintedGrouping(AttributeGrouping):
    """Groupings whose records are grouped by Algorithm 1 to the letter.

    It goes on while more than k records are left, so that 1080 records with k = 25 end in a group of 5. Such a group
    protects less than the others do, so that this is a yardstick of the reproduction and no masking.
    """

    def _grouped(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return printed_groups(X, self.k)


def printed_groups(X: np.ndarray, k: int) -> np.ndarray:
    """Group label of each row of X; ties are broken by row number.

    >>> np.bincount(printed_groups(np.arange(11.0)[:, None], 3)).tolist()
    [3, 3, 3, 2]
    """
    labels, left, group = np.empty(len(X), np.int64), np.arange(len(X)), 0
    extreme = None  # of the centroid, then of the last extreme, in turn
    while len(left) > k:
        centre = X[left].mean(axis=0) if extreme is None else X[extreme]
        farthest = left[np.argmax(_squared(X[left], centre))]
        near = np.argsort(_squared(X[left], X[farthest]), kind="stable")[:k]
        labels[left[near]] = group
        left, group = np.delete(left, near), group + 1
        extreme = farthest if extreme is None else None
    labels[left] = group
    return labels


def _squared(X: np.ndarray, centre: np.ndarray) -> np.ndarray:
    found: np.ndarray = ((X - centre) ** 2).sum(axis=1)
    return found
