"""Cutting a file into partitions of records that are near to each other, without seeing it as a whole.

A tree of cuts is learnt on a sample: each part is cut across the attribute in which its records are spread
widest, at such a place that all partitions come to hold about as many records. Records with equal values are
never parted by a cut.

Where a few records lie far from all others, most of what microaggregation loses is lost among them, and they
lose more if cuts part them. So those farthest from the average can be set apart first, as one partition.
"""

from dataclasses import dataclass

import numpy as np

SMALLEST_SHARE = 0.25  # of a partition, that a cut must leave on either side


@dataclass(frozen=True)
class Leaf:
    """A partition; records that no cut can part are dealt out to several in the order of the file."""

    pieces: int = 1

    @property
    def leaves(self) -> int:
        return self.pieces


@dataclass(frozen=True)
class Cut:
    """Records whose place on an attribute is at most the threshold go below, all others above."""

    attribute: int
    threshold: float
    below: "Node"
    above: "Node"

    @property
    def leaves(self) -> int:
        return self.below.leaves + self.above.leaves


@dataclass(frozen=True)
class Shell:
    """Records whose place is farther from the origin than the (squared) radius are a partition of their own."""

    radius: float
    inside: "Node"

    @property
    def leaves(self) -> int:
        return self.inside.leaves + 1


Node = Leaf | Cut | Shell


def learnt_within_shell(X: np.ndarray, leaves: int) -> Node:
    """A tree whose last partition holds the records that are farthest from the origin.

    >>> learnt_within_shell(np.array([[0.0], [1.0], [-9.0], [8.0]]), 2)
    Shell(radius=1.0, inside=Leaf(pieces=1))
    """
    if leaves <= 1 or len(X) == 0:
        return learnt(X, leaves)
    distances = (X * X).sum(axis=1)
    radius = float(np.sort(distances)[len(X) - 1 - len(X) // leaves])
    if not (distances > radius).any():
        return learnt(X, leaves)
    return Shell(radius, learnt(X[distances <= radius], leaves - 1))


def learnt(X: np.ndarray, leaves: int) -> Node:
    """A tree of about so many partitions of equal size, from the places of a sample.

    >>> X = np.array([[0.0, 5.0], [1.0, 5.1], [2.0, 5.0], [9.0, 5.1]])
    >>> tree = learnt(X, 2)
    >>> tree
    Cut(attribute=0, threshold=1.0, below=Leaf(pieces=1), above=Leaf(pieces=1))
    >>> leaf_of(tree, X, np.arange(4)).tolist()
    [0, 0, 1, 1]
    """
    if leaves <= 1:
        return Leaf()
    for attribute in np.argsort(-X.std(axis=0) if len(X) else np.zeros(X.shape[1]), kind="stable").tolist():
        threshold = _threshold(X[:, attribute], leaves)
        if threshold is not None:
            below = X[:, attribute] <= threshold
            share = min(max(round(leaves * float(below.mean())), 1), leaves - 1)
            return Cut(attribute, threshold, learnt(X[below], share), learnt(X[~below], leaves - share))
    return Leaf(leaves)


def leaf_of(tree: Node, X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The partition of each record, given its place and its row in the file."""
    found = np.empty(len(X), np.int64)
    _descend(tree, X, rows, np.arange(len(X)), 0, found)
    return found


def _descend(
    node: Node, X: np.ndarray, rows: np.ndarray, at: np.ndarray, first: int, found: np.ndarray
) -> None:
    if isinstance(node, Leaf):
        found[at] = first + rows[at] % node.pieces
        return
    if isinstance(node, Shell):
        far = (X[at] * X[at]).sum(axis=1) > node.radius
        found[at[far]] = first + node.inside.leaves
        _descend(node.inside, X, rows, at[~far], first, found)
        return
    below = X[at, node.attribute] <= node.threshold
    _descend(node.below, X, rows, at[below], first, found)
    _descend(node.above, X, rows, at[~below], first + node.below.leaves, found)


def _threshold(x: np.ndarray, leaves: int) -> float | None:
    """The value to cut after, nearest to where half of the leaves are; none if a side would be too small."""
    ordered = np.sort(x)
    ends = np.flatnonzero(ordered[1:] > ordered[:-1]) + 1  # how many are below each possible cut
    if len(ends) == 0:
        return None
    wanted = len(x) * (leaves // 2) / leaves
    cut = int(ends[np.argmin(np.abs(ends - wanted))])
    least = SMALLEST_SHARE * len(x) / leaves
    return float(ordered[cut - 1]) if min(cut, len(x) - cut) >= least else None
