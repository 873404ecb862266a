"""Is anything nearer than the true record, and how much is as near? Answered by a tree of boxes.

A metric is one row per attribute: KIND, WEIGHT, ABSENT (the distance of a missing value to a present one),
SIZE (a query value of SIZE + s is the s-th set of the attribute) and ROW (of its first set in `sets`). A row
of `sets` holds the first and last category where the distance to the set is least, then the distance to each
category. Distances of categories and of missing values are summed apart from those of numbers: where they
are whole numbers, that sum is exact. Sums run over the attributes in order, and rounding is monotone: equal
differences have equal distances, and a box is never farther than what is in it. Pruning is therefore exact,
without a tolerance.
"""

import numpy as np

from sfumato.kernels._compile import kernel

KIND, WEIGHT, ABSENT, SIZE, ROW = range(5)
SQUARED, STEPS, RATIO, EQUAL = range(4)
START, END, CHILD = range(3)  # of a node: its records, and its first child (the second follows; 0: a leaf)
LOW, HIGH, HOLES = range(3)  # of a node and attribute: least and greatest value, and whether one is missing


@kernel
def count_nearest(
    Q: np.ndarray,
    first: np.ndarray,
    own: np.ndarray,
    own_counts: np.ndarray,
    X: np.ndarray,
    counts: np.ndarray,
    metric: np.ndarray,
    sets: np.ndarray,
    nodes: np.ndarray,
    boxes: np.ndarray,
) -> np.ndarray:
    """For each row of Q: how many of its own records are nearest to it, and how many of all are as near.

    Its own are the rows `own[first[q] : first[q + 1]]` of X; both counts are 0 where another is nearer.
    """
    found = np.zeros((len(Q), 2), np.int64)
    stack = np.empty(128, np.int64)
    for q in range(len(Q)):
        radius, mine = np.inf, 0
        for p in range(first[q], first[q + 1]):
            distance = _distance(Q[q], X[own[p]], metric, sets, radius)
            if distance < radius:
                radius, mine = distance, 0
            if distance == radius:
                mine += own_counts[p]
        near = _count_as_near(Q[q], radius, X, counts, metric, sets, nodes, boxes, stack)
        if near > 0:
            found[q, 0], found[q, 1] = mine, near
    return found


@kernel
def _count_as_near(
    x: np.ndarray,
    radius: float,
    X: np.ndarray,
    counts: np.ndarray,
    metric: np.ndarray,
    sets: np.ndarray,
    nodes: np.ndarray,
    boxes: np.ndarray,
    stack: np.ndarray,
) -> int:
    near, top = 0, 1
    stack[0] = 0
    while top > 0:
        top -= 1
        node = stack[top]
        child = nodes[node, CHILD]
        if child == 0:
            for i in range(nodes[node, START], nodes[node, END]):
                distance = _distance(x, X[i], metric, sets, radius)
                if distance < radius:
                    return 0
                if distance == radius:
                    near += counts[i]
            continue
        a = _box_distance(x, boxes[child], metric, sets, radius)
        b = _box_distance(x, boxes[child + 1], metric, sets, radius)
        nearer = child if a <= b else child + 1
        if max(a, b) <= radius:
            stack[top] = 2 * child + 1 - nearer
            top += 1
        if min(a, b) <= radius:  # on top: a nearer record is found, and the search over, the sooner
            stack[top] = nearer
            top += 1
    return near


@kernel
def _distance(x: np.ndarray, y: np.ndarray, metric: np.ndarray, sets: np.ndarray, radius: float) -> float:
    whole = real = 0.0
    for j in range(len(x)):
        difference = x[j] - y[j]
        if np.isnan(difference):
            if np.isnan(x[j]) != np.isnan(y[j]):
                whole += metric[j, ABSENT]
        elif metric[j, KIND] == SQUARED:
            real += difference * difference * metric[j, WEIGHT]
        elif metric[j, KIND] == RATIO:
            real += _apart(abs(difference), metric, j)
        elif x[j] < metric[j, SIZE]:
            whole += _apart(abs(difference), metric, j)
        else:
            whole += sets[int(metric[j, ROW] + x[j] - metric[j, SIZE]), 2 + int(y[j])]
        if whole + real > radius:
            break
    return whole + real


@kernel
def _box_distance(
    x: np.ndarray, box: np.ndarray, metric: np.ndarray, sets: np.ndarray, radius: float
) -> float:
    whole = real = 0.0
    for j in range(len(x)):
        low, high, holes = box[j, LOW], box[j, HIGH], box[j, HOLES] > 0
        if metric[j, KIND] == SQUARED and not holes and not np.isnan(x[j]):  # the common case, kept short
            outside = max(low - x[j], x[j] - high, 0.0)
            real += outside * outside * metric[j, WEIGHT]
        elif np.isnan(x[j]) or low > high:  # missing here, or everywhere in the box
            if np.isnan(x[j]) != holes:
                whole += metric[j, ABSENT]
        else:
            apart = _apart_from_range(x[j], low, high, metric, sets, j)
            if holes:  # either sum may get it: stay below their rounding
                apart = min(apart, metric[j, ABSENT]) * 0.999999
            if metric[j, SIZE] < np.inf:
                whole += apart
            else:
                real += apart
        if whole + real > radius:
            break
    return whole + real


@kernel
def _apart_from_range(
    x: float, low: float, high: float, metric: np.ndarray, sets: np.ndarray, j: int
) -> float:
    if x < metric[j, SIZE]:
        return _apart(max(low - x, x - high, 0.0), metric, j)
    row = sets[int(metric[j, ROW] + x - metric[j, SIZE])]
    at = high if high < row[0] else (low if low > row[1] else row[0])
    apart: float = row[2 + int(at)]
    return apart


@kernel
def _apart(difference: float, metric: np.ndarray, j: int) -> float:
    if difference == 0:
        return 0.0
    apart: float = metric[j, WEIGHT]
    if metric[j, KIND] == SQUARED:
        apart = difference * difference * apart
    elif metric[j, KIND] == STEPS:
        apart = difference * apart
    elif metric[j, KIND] == RATIO:  # divided first: a difference of the whole range is exactly one unit
        apart = difference / apart * metric[j, ABSENT]
    return apart
