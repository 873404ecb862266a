"""Planting trees of boxes over the records of each place, for `kernels.influential_metric` to search in."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.influential_metric import CHILD, DEEPEST, END, HIGH, LOW, START, Forest

LEAF = 12
SAMPLE = 48  # values that decide where a node is cut


@kernel
def plant(X: np.ndarray, first: np.ndarray, order: np.ndarray) -> Forest:
    """A tree over the records of each place; those of place p are the rows `order[first[p] : first[p + 1]]`.

    A node is cut where its two halves are most alike in size, along an attribute that has cut few of the
    nodes above it: so a leaf lies on one side of many attributes, and is far from whoever lies on the other.
    """
    n, d = len(order), X.shape[1]
    rows = order.copy()
    most = 1 + 2 * n + len(first)
    nodes = np.zeros((most, 3), np.int64)
    boxes = np.empty((most, d, 2))
    cuts = np.zeros((most, d), np.uint8)  # how often each attribute was cut above a node
    roots = np.full(len(first) - 1, -1)
    count = 0
    values = np.empty(SAMPLE)
    kept = np.empty(n, rows.dtype)
    for place in range(len(first) - 1):
        if first[place + 1] == first[place]:
            continue
        roots[place] = count
        nodes[count, START], nodes[count, END] = first[place], first[place + 1]
        node = count
        count += 1
        while node < count:
            start, end = nodes[node, START], nodes[node, END]
            _measure(X, rows, start, end, boxes[node])
            if end - start > LEAF and cuts[node].sum() < DEEPEST - 2:
                j, edge = _where_to_cut(X, rows, start, end, cuts[node], values)
                middle = _cut(X, rows, start, end, j, edge, kept) if j >= 0 else start
                if start < middle < end:
                    nodes[node, CHILD] = count
                    for side in range(2):
                        nodes[count, START] = start if side == 0 else middle
                        nodes[count, END] = middle if side == 0 else end
                        cuts[count] = cuts[node]
                        cuts[count, j] += 1
                        count += 1
            node += 1
    ordered = np.empty((n, d))
    for i in range(n):
        ordered[i] = X[rows[i]]
    return Forest(ordered, rows, roots, nodes[:count].copy(), boxes[:count].copy())


@kernel
def _measure(X: np.ndarray, rows: np.ndarray, start: int, end: int, box: np.ndarray) -> None:
    for j in range(X.shape[1]):
        box[j, LOW], box[j, HIGH] = np.inf, -np.inf
    for i in range(start, end):
        for j in range(X.shape[1]):
            box[j, LOW] = min(box[j, LOW], X[rows[i], j])
            box[j, HIGH] = max(box[j, HIGH], X[rows[i], j])


@kernel
def _where_to_cut(
    X: np.ndarray, rows: np.ndarray, start: int, end: int, cuts: np.ndarray, values: np.ndarray
) -> tuple[int, float]:
    """The attribute and the value from which on records go to the right; −1 where all look alike."""
    best, edge, most = -1, 0.0, 0.0
    size = min(SAMPLE, end - start)
    for j in range(X.shape[1]):
        for s in range(size):  # sorted as they come: they are few
            value = X[rows[start + s * (end - start) // size], j]
            at = s
            while at > 0 and values[at - 1] > value:
                values[at] = values[at - 1]
                at -= 1
            values[at] = value
        at = size // 2
        while at > 0 and values[at - 1] == values[at]:
            at -= 1
        up = size // 2
        while up < size and values[up] == values[size // 2]:
            up += 1
        if at == 0 or (up < size and size - up > at):
            at = up
        if at == size:
            continue
        balance = min(at, size - at) / (1.0 + cuts[j])
        if balance > most:
            best, edge, most = j, values[at], balance
    return best, edge


@kernel
def _cut(X: np.ndarray, rows: np.ndarray, start: int, end: int, j: int, edge: float, kept: np.ndarray) -> int:
    """Put the rows below the edge first, both sides in their order; where the second side begins."""
    middle, right = start, 0
    for i in range(start, end):
        if X[rows[i], j] < edge:
            rows[middle] = rows[i]
            middle += 1
        else:
            kept[right] = rows[i]
            right += 1
    for i in range(right):
        rows[middle + i] = kept[i]
    return middle
