"""The few nearest rows of X to each row of Q, and how far they are, by the tree and the metric of `nearest`."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.nearest import CHILD, END, START, _box_distance, _distance


@kernel
def nearest_few(
    Q: np.ndarray,
    few: int,
    low: int,
    high: int,
    X: np.ndarray,
    metric: np.ndarray,
    sets: np.ndarray,
    nodes: np.ndarray,
    boxes: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The rows from low to high − 1, at least `few`, that are nearest, and their distances, nearest first."""
    rows, apart = np.zeros((len(Q), few), np.int64), np.full((len(Q), few), np.inf)
    stack = np.empty(128, np.int64)
    for q in range(len(Q)):
        stack[0], top = 0, 1
        while top > 0:
            top -= 1
            node = stack[top]
            child, farthest = nodes[node, CHILD], apart[q, few - 1]
            start, end = max(nodes[node, START], low), min(nodes[node, END], high)
            if start >= end:
                continue
            if child == 0:
                for i in range(start, end):
                    distance = _distance(Q[q], X[i], metric, sets, apart[q, few - 1])
                    if distance < apart[q, few - 1]:
                        _insert(rows[q], apart[q], i, distance)
                continue
            a = _box_distance(Q[q], boxes[child], metric, sets, farthest)
            b = _box_distance(Q[q], boxes[child + 1], metric, sets, farthest)
            closer = child if a <= b else child + 1
            if max(a, b) < farthest:
                stack[top] = 2 * child + 1 - closer
                top += 1
            if min(a, b) < farthest:
                stack[top] = closer
                top += 1
    return rows, apart


@kernel
def _insert(rows: np.ndarray, apart: np.ndarray, row: int, distance: float) -> None:
    at = len(rows) - 1
    while at > 0 and apart[at - 1] > distance:
        rows[at], apart[at] = rows[at - 1], apart[at - 1]
        at -= 1
    rows[at], apart[at] = row, distance


@kernel
def pair_distances(
    Q: np.ndarray, X: np.ndarray, q: np.ndarray, x: np.ndarray, metric: np.ndarray, sets: np.ndarray
) -> np.ndarray:
    """The distances of pairs of rows, given by their numbers."""
    apart = np.empty(len(q))
    for pair in range(len(q)):
        apart[pair] = _distance(Q[q[pair]], X[x[pair]], metric, sets, np.inf)
    return apart
