"""k-Ward and its variants: Ward's method along an axis, with groups of at least k."""

from collections.abc import Callable

import numpy as np

from sfumato.core import Result, param
from sfumato.data import Table
from sfumato.kernels.ward import sorted_ward_groups
from sfumato.masking._axis import AlongAxis
from sfumato.masking._microaggregation import standardised

Pass = Callable[[np.ndarray, int], tuple[np.ndarray, int]]


class Recursion(Result):
    """How k-Ward went about its work.

    In `tree` a pair of parentheses is a call and holds the calls it made: `(()(()()))` is a file whose second
    half was halved again. `depth` counts the levels below the first call, `calls` the parts that k-Ward
    worked on by itself, `merges` and `distances` what it did there.
    """

    tree: str
    depth: int
    calls: int
    merges: int
    distances: int


class KWardFamily(AlongAxis):
    """Ward's method on sorted records, never merging two groups that both hold k.

    Missing values stand at the mean of their attribute.
    """

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self._grouped(X)[0]

    def work(self, table: Table, rng: np.random.Generator) -> Recursion:
        return self.recursion(table)

    def recursion(self, table: Table) -> Recursion:
        """What the grouping of a table took; the trees of several strata stand side by side."""
        values = table.numbers(self.targets(table))
        trees, merges, distances = [], 0, 0
        for _, rows in table.strata():
            if self.k == 1 or len(rows) < 2 * self.k:
                trees.append("()")  # nothing to merge
                continue
            _, work, calls = self._grouped(np.nan_to_num(standardised(values[rows], self.standardise)))
            trees.append(calls)
            merges += int(work[0])
            distances += int(work[1])
        tree = " ".join(trees)
        return Recursion(
            tree=tree, depth=_depth(tree), calls=tree.count("()"), merges=merges, distances=distances
        )

    def ward(self, X: np.ndarray, k: int) -> tuple[np.ndarray, int]:
        """Merge groups of sorted rows of X until all hold k; the root of each row, and the distances taken."""
        return sorted_ward_groups(X, k)

    def split(self, places: np.ndarray) -> tuple[str, list[int]]:
        """The calls made on sorted places, and where the parts begin that are grouped by themselves."""
        return "()", [0]

    def seen(self, X: np.ndarray, places: np.ndarray) -> np.ndarray:
        """What distances are measured on."""
        return places[:, None]

    def _grouped(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, str]:
        places = self.along(X)
        order = np.argsort(places, kind="stable")
        tree, starts = self.split(places[order])
        work = np.zeros(2, np.int64)
        labels = np.empty(len(X), np.int64)
        groups = 0
        for rows in np.split(order, starts[1:]):
            found, done = ward_labels(self.seen(X[rows], places[rows]), self.k, self.ward)
            labels[rows] = found + groups
            groups += int(found.max()) + 1
            work += done
        return labels, work, tree


class RecursiveKWard(KWardFamily):
    """Parts of the sorted records by themselves, where cutting them apart loses little.

    Missing values stand at the mean of their attribute.
    """

    threshold: float | None = param(
        default=None,
        low=0,
        high=1,
        help="least share of the variance inside the parts for which they are cut apart (default: the share one cut earlier)",
    )
    parts: int = param(default=2, low=2, help="how many parts a cut makes")

    def split(self, places: np.ndarray) -> tuple[str, list[int]]:
        """The calls made on sorted places, and where the parts begin that are grouped by themselves."""
        return self._split(places, 0, 0.0 if self.threshold is None else self.threshold)

    def _split(self, places: np.ndarray, start: int, threshold: float) -> tuple[str, list[int]]:
        n = len(places)
        if n < 2 * self.parts * self.k:
            return "()", [start]
        cuts = [n * part // self.parts for part in range(self.parts)]
        pieces = np.split(places, cuts[1:])
        whole = _squares(places)
        share = sum(map(_squares, pieces)) / whole if whole > 0 else -1.0
        if share < threshold or share < 0:
            return "()", [start]
        below = share if self.threshold is None else threshold
        calls = [self._split(p, start + c, below) for p, c in zip(pieces, cuts, strict=True)]
        return f"({''.join(tree for tree, _ in calls)})", [s for _, starts in calls for s in starts]


def ward_labels(X: np.ndarray, k: int, ward: Pass) -> tuple[np.ndarray, np.ndarray]:
    """Labels of the sorted rows of X, and the merges and distances it took.

    A group of 2k or more is treated like a file of its own, until there is none.
    """
    labels = np.zeros(len(X), np.int64)
    work = np.zeros(2, np.int64)
    groups = 1
    too_large = [np.arange(len(X))] if len(X) >= 2 * k else []
    while too_large:
        rows = too_large.pop()
        roots, distances = ward(np.ascontiguousarray(X[rows]), k)
        _, group, sizes = np.unique(roots, return_inverse=True, return_counts=True)
        work += (len(rows) - 2 * k + 2 - len(sizes), distances)
        labels[rows] = group + groups
        groups += len(sizes)
        by_group = np.split(rows[np.argsort(group, kind="stable")], np.cumsum(sizes)[:-1])
        too_large += [by_group[g] for g in np.flatnonzero(sizes >= 2 * k)]
    return np.unique(labels, return_inverse=True)[1], work


def _squares(places: np.ndarray) -> float:
    return float(((places - places.mean()) ** 2).sum())


def _depth(tree: str) -> int:
    level = np.cumsum([{"(": 1, ")": -1, " ": 0}[character] for character in tree])
    return int(level.max(initial=1)) - 1
