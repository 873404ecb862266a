"""How much is nearer than the true record, and how much is as near? Answered by a tree of boxes.

A metric is one row per attribute: KIND, WEIGHT, ABSENT (the distance of a missing value to a present one),
SIZE (a value of SIZE + s, in the query or in X but not in both, is the s-th set of the attribute) and ROW
(of its first set in `sets`). A row of `sets` holds the first and last category where the distance to the set
is least, then the distance to each category. Distances of categories and of missing values are summed apart
from those of numbers: where they are whole numbers, that sum is exact. Sums run over the attributes in order,
and rounding is monotone: a box is never farther than what is in it, so that pruning is exact.

Two distances are tied if they are the same to twelve digits: sums that are equal by symmetry (two columns of
zeros and ones with the same counts, say) may differ in the last bit.
"""

import numpy as np

from sfumato.kernels._compile import kernel

KIND, WEIGHT, ABSENT, SIZE, ROW = range(5)
SQUARED, STEPS, RATIO, EQUAL, BEYOND = range(5)  # BEYOND: more than 1 apart, or not
START, END, CHILD = range(3)  # of a node: its records, and its first child (the second follows; 0: a leaf)
TIE = 1e-12
LOW, HIGH, HOLES = range(3)  # of a node and attribute: least and greatest value, and whether one is missing


@kernel
def count_nearest(
    Q: np.ndarray,
    first: np.ndarray,
    own: np.ndarray,
    limit: int,
    X: np.ndarray,
    counts: np.ndarray,
    metric: np.ndarray,
    sets: np.ndarray,
    nodes: np.ndarray,
    boxes: np.ndarray,
) -> np.ndarray:
    """For each row of Q and each of its own records: how many are nearer than it, and how many as near.

    Its own are the rows `own[first[q] : first[q + 1]]` of X, and are answered in that order. As soon as
    `limit` records are known to be nearer, the answer is (limit, 0).
    """
    found = np.zeros((first[-1] - first[0], 2), np.int64)
    apart = np.empty(len(found))
    stack = np.empty(128, np.int64)
    for q in range(len(Q)):
        start, end = first[q] - first[0], first[q + 1] - first[0]
        least = np.inf
        for p in range(start, end):
            reach = least * (1 + TIE) if limit == 1 else np.inf
            apart[p] = _distance(Q[q], X[own[first[0] + p]], metric, sets, reach)
            least = min(least, apart[p])
        for p in range(start, end):
            if limit == 1 and apart[p] > least * (1 + TIE):
                found[p, 0] = 1
            elif p > start and apart[p] == apart[p - 1]:
                for side in range(2):  # the rows as a whole take seconds to compile
                    found[p, side] = found[p - 1, side]
            else:
                _count_up_to(Q[q], apart[p], limit, X, counts, metric, sets, nodes, boxes, stack, found[p])
    return found


@kernel
def distances(Q: np.ndarray, X: np.ndarray, metric: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """The distance of each row of Q to the same row of X."""
    apart = np.empty(len(Q))
    for q in range(len(Q)):
        apart[q] = _distance(Q[q], X[q], metric, sets, np.inf)
    return apart


@kernel
def count_within(
    Q: np.ndarray,
    radii: np.ndarray,
    limit: int,
    X: np.ndarray,
    counts: np.ndarray,
    metric: np.ndarray,
    sets: np.ndarray,
    nodes: np.ndarray,
    boxes: np.ndarray,
) -> np.ndarray:
    """For each row of Q: how many are nearer than its radius, and how many as far, as in `count_nearest`."""
    found = np.zeros((len(Q), 2), np.int64)
    stack = np.empty(128, np.int64)
    for q in range(len(Q)):
        _count_up_to(Q[q], radii[q], limit, X, counts, metric, sets, nodes, boxes, stack, found[q])
    return found


@kernel
def _count_up_to(
    x: np.ndarray,
    radius: float,
    limit: int,
    X: np.ndarray,
    counts: np.ndarray,
    metric: np.ndarray,
    sets: np.ndarray,
    nodes: np.ndarray,
    boxes: np.ndarray,
    stack: np.ndarray,
    found: np.ndarray,
) -> None:
    nearer, near, top = 0, 0, 1
    inner, radius = radius * (1 - TIE), radius * (1 + TIE)
    stack[0] = 0
    while top > 0:
        top -= 1
        node = stack[top]
        child = nodes[node, CHILD]
        if child == 0:
            for i in range(nodes[node, START], nodes[node, END]):
                distance = _distance(x, X[i], metric, sets, radius)
                if distance < inner:
                    nearer += counts[i]
                    if nearer >= limit:
                        found[0] = limit
                        return
                elif distance <= radius:
                    near += counts[i]
            continue
        a = _box_distance(x, boxes[child], metric, sets, radius)
        b = _box_distance(x, boxes[child + 1], metric, sets, radius)
        closer = child if a <= b else child + 1
        if max(a, b) <= radius:
            stack[top] = 2 * child + 1 - closer
            top += 1
        if min(a, b) <= radius:  # on top: nearer records are found, and the search over, the sooner
            stack[top] = closer
            top += 1
    found[0], found[1] = nearer, near


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
        elif max(x[j], y[j]) < metric[j, SIZE]:
            whole += _apart(abs(difference), metric, j)
        else:  # one of the two is a set
            whole += sets[int(metric[j, ROW] + max(x[j], y[j]) - metric[j, SIZE]), 2 + int(min(x[j], y[j]))]
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
    if high >= metric[j, SIZE]:  # there are sets in the box, which are in no order
        return 0.0
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
    elif metric[j, KIND] == BEYOND and difference <= 1:
        apart = 0.0
    return apart
