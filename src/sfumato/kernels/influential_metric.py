"""The influential metric, and the nearest free records of a place, looked for in a tree of boxes.

A metric has a row for each attribute: KIND (RELATIVE or EQUAL), OTHER (what two different categories cost, or
the weight of a relative difference) and SAME (what two equal categories cost). A missing number is −∞, a
missing category −1: two missing values are alike, and a missing number is as far from any other as can be.
Both kinds of distance grow as a value moves away from another on the line, so that the distance to a box is
the one to its nearest edge.
"""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel

KIND, OTHER, SAME = range(3)
EQUAL, RELATIVE = range(2)
START, END, CHILD = range(3)  # of a node: its records, and its first child (the second follows; 0: a leaf)
LOW, HIGH = range(2)
DEEPEST = 200  # levels of a tree, and so nodes that wait while it is searched


class Forest(NamedTuple):
    """A tree for each place: records in the order of the leaves, their rows, and the boxes around them."""

    X: np.ndarray
    rows: np.ndarray
    roots: np.ndarray
    nodes: np.ndarray
    boxes: np.ndarray


@kernel
def influential_distance(
    X: np.ndarray, a: int, Y: np.ndarray, b: int, metric: np.ndarray, limit: float
) -> float:
    """The metric between row a of X and row b of Y; anything of at least `limit` once it is that much."""
    total = 0.0
    for j in range(X.shape[1]):
        total += _apart(X[a, j], Y[b, j], metric, j)
        if total >= limit:
            break
    return total


@kernel
def _apart(x: float, y: float, metric: np.ndarray, j: int) -> float:
    apart: float = metric[j, SAME if x == y else OTHER]
    if x == y or metric[j, KIND] == EQUAL or x == -np.inf or y == -np.inf:
        return apart
    ratio = (x - y) / (abs(x) + abs(y))
    return ratio * ratio * apart


@kernel
def swap_distances(U: np.ndarray, X: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """The distance between the two records of each swap."""
    found = np.empty(len(U))
    for i in range(len(U)):
        found[i] = influential_distance(X, U[i, 1], X, U[i, 3], metric, np.inf)
    return found


@kernel
def nearest_free(
    X: np.ndarray,
    row: int,
    place: int,
    forest: Forest,
    metric: np.ndarray,
    taken: np.ndarray,
    reach: float,
    found: np.ndarray,
) -> None:
    """The rows of a place nearest to another row, as many as fit into `found`, −1 where there are no more.

    Only those nearer than `reach` count, and none that is taken. Of equals, those met first come first:
    their order does not depend on which others are taken.
    """
    found[:] = -1
    apart = np.full(len(found), reach)
    stack = np.empty(DEEPEST, np.int64)
    top = 0
    if forest.roots[place] >= 0:
        stack[0], top = forest.roots[place], 1
    while top > 0:
        top -= 1
        node = stack[top]
        if _box_distance(X, row, forest.boxes, node, metric, apart[-1]) >= apart[-1]:
            continue
        child = forest.nodes[node, CHILD]
        if child == 0:
            for i in range(forest.nodes[node, START], forest.nodes[node, END]):
                if not taken[forest.rows[i]]:
                    distance = influential_distance(X, row, forest.X, i, metric, apart[-1])
                    _put(forest.rows[i], distance, found, apart)
            continue
        a = _box_distance(X, row, forest.boxes, child, metric, apart[-1])
        b = _box_distance(X, row, forest.boxes, child + 1, metric, apart[-1])
        stack[top], stack[top + 1] = (child + 1, child) if a <= b else (child, child + 1)
        top += 2


@kernel
def _put(row: int, distance: float, found: np.ndarray, apart: np.ndarray) -> None:
    """Put a row where it belongs among the nearest; those that are as near stay before it."""
    at = len(found)
    while at > 0 and distance < apart[at - 1]:
        at -= 1
        if at + 1 < len(found):
            found[at + 1], apart[at + 1] = found[at], apart[at]
    if at < len(found):
        found[at], apart[at] = row, distance


@kernel
def _box_distance(
    X: np.ndarray, row: int, boxes: np.ndarray, node: int, metric: np.ndarray, limit: float
) -> float:
    total = 0.0
    for j in range(X.shape[1]):
        x = X[row, j]
        total += _apart(x, min(max(x, boxes[node, j, LOW]), boxes[node, j, HIGH]), metric, j)
        if total >= limit:
            break
    return total
