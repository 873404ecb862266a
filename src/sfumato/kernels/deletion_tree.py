"""A tree of boxes from which records can be taken out, one by one, while its bounds stay tight.

The records lie in leaves by median splits; a leaf holds its records as columns, so that their distances to a
point are computed together. Sixteen sibling nodes (lanes) form a block and are bounded together: by the box of
their records, and by the least and greatest |x − o|² to an origin o, the mean of all. Equal records lie in the
order of their numbers, and a node knows its least number: so ties need not be looked at one by one.

Nodes are numbered block by block; where the first block has fewer nodes they are its last lanes.
So the children of any node v are the block v + `shift`, and the leaves are the last nodes of all.
"""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel

LANES = 16


class Tree(NamedTuple):
    """The arrays of a tree; d attributes."""

    rows: np.ndarray  # leaf × (d + 1) × room: attributes, then |x − o|²; NaN where there is no record
    ids: np.ndarray  # leaf × room: the numbers of the records
    size: np.ndarray  # leaf: how many records are left
    boxed: np.ndarray  # leaf: how many there were when its box was computed
    place: np.ndarray  # record: leaf · room + position
    bounds: np.ndarray  # block × (2d + 3) × lane: low and high ends, least and greatest |x − o|², least id
    origin: np.ndarray  # o
    largest: np.ndarray  # one number: the greatest |x|²
    shift: int  # from a node to the block of its children


def leaf_size(d: int) -> int:
    """How many records a leaf should hold for speed: more where boxes say less. No answer depends on it."""
    return 32 if d < 8 else 64 if d < 32 else 128


@kernel
def plant(X: np.ndarray, left: np.ndarray, size: int) -> Tree:
    """The tree of the rows `left` of X, with at most `size` records in a leaf."""
    n, d = len(left), X.shape[1]
    leaves = 1
    while n > leaves * size:
        leaves *= 2
    top = leaves
    while top > LANES:
        top //= LANES
    blocks = 1 + top * (leaves // top - 1) // (LANES - 1)
    room = -(-n // leaves)
    room += -room % LANES
    tree = Tree(
        rows=np.full((leaves, d + 1, room), np.nan),
        ids=np.zeros((leaves, room), np.int64),
        size=np.zeros(leaves, np.int64),
        boxed=np.zeros(leaves, np.int64),
        place=np.zeros(len(X), np.int64),
        bounds=np.zeros((blocks, 2 * d + 3, LANES)),
        origin=np.zeros(d),
        largest=np.zeros(1),
        shift=top - LANES + 1,
    )
    tree.bounds[:, 2 * d] = np.inf
    tree.bounds[:, 2 * d + 1] = -np.inf
    order = left.copy()
    starts = _split(X, order, leaves)
    _fill(tree, X, order, starts)
    for leaf in range(leaves):
        _bound_leaf(tree, leaf, bool(np.bool_(True)))
    for block in range(blocks - 1, 0, -1):
        _bound_block(tree, block, int(np.int64(0)))
    return tree


@kernel
def take_out(tree: Tree, i: int) -> None:
    """Remove record i. Distances to the origin are kept exact; a box waits until a quarter of its leaf is gone."""
    d, room = len(tree.origin), tree.ids.shape[1]
    leaf, a = tree.place[i] // room, tree.place[i] % room
    tree.size[leaf] -= 1
    last = tree.size[leaf]
    for j in range(d + 1):
        tree.rows[leaf, j, a] = tree.rows[leaf, j, last]
        tree.rows[leaf, j, last] = np.nan
    tree.ids[leaf, a] = tree.ids[leaf, last]
    tree.place[tree.ids[leaf, a]] = leaf * room + a
    box = 4 * last <= 3 * tree.boxed[leaf]
    _bound_leaf(tree, leaf, box)
    block = (tree.bounds.shape[0] * LANES - len(tree.size) + leaf) // LANES
    while block > 0 and _bound_block(tree, block, 0 if box else 2 * d):
        block = (block - tree.shift) // LANES


@kernel
def _split(X: np.ndarray, order: np.ndarray, leaves: int) -> np.ndarray:
    """Put the rows of X in an order that halves them again and again; where each leaf starts."""
    starts = np.array([0, len(order)])
    keys = np.empty(len(order))
    while len(starts) <= leaves:
        finer = np.empty(2 * len(starts) - 1, np.int64)
        for part in range(len(starts) - 1):
            start, end = starts[part], starts[part + 1]
            middle = (start + end) // 2
            _halve(X, order, keys, start, end, middle)
            finer[2 * part], finer[2 * part + 1] = start, middle
        finer[-1] = starts[-1]
        starts = finer
    return starts


@kernel
def _halve(X: np.ndarray, order: np.ndarray, keys: np.ndarray, start: int, end: int, middle: int) -> None:
    """The records with the least values of the widest attribute first, and of equal ones those that come first."""
    d = X.shape[1]
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    for a in range(start, end):
        i = order[a]
        for j in range(d):
            low[j] = min(low[j], X[i, j])
            high[j] = max(high[j], X[i, j])
    widest = np.argmax(high - low)
    for a in range(start, end):
        keys[a] = X[order[a], widest]
    first, last = start, end - 1
    while first < last:
        a = first + (first * 7919 + last * 104729) % (last - first + 1)
        pivot, number = keys[a], order[a]
        a, b = first, last
        while a <= b:
            while keys[a] < pivot or (keys[a] == pivot and order[a] < number):
                a += 1
            while keys[b] > pivot or (keys[b] == pivot and order[b] > number):
                b -= 1
            if a <= b:
                keys[a], keys[b] = keys[b], keys[a]
                order[a], order[b] = order[b], order[a]
                a += 1
                b -= 1
        if middle <= b:
            last = b
        elif middle >= a:
            first = a
        else:
            return


@kernel
def _fill(tree: Tree, X: np.ndarray, order: np.ndarray, starts: np.ndarray) -> None:
    d, room = len(tree.origin), tree.ids.shape[1]
    for i in order:
        for j in range(d):
            tree.origin[j] += X[i, j] / len(order)
    for leaf in range(len(tree.size)):
        tree.size[leaf] = starts[leaf + 1] - starts[leaf]
        for a in range(tree.size[leaf]):
            i = order[starts[leaf] + a]
            tree.ids[leaf, a] = i
            tree.place[i] = leaf * room + a
            squares = from_origin = 0.0
            for j in range(d):
                tree.rows[leaf, j, a] = X[i, j]
                squares += X[i, j] * X[i, j]
                from_origin += (X[i, j] - tree.origin[j]) ** 2
            tree.rows[leaf, d, a] = from_origin
            tree.largest[0] = max(tree.largest[0], squares)


@kernel
def _bound_leaf(tree: Tree, leaf: int, box: bool) -> None:
    d, m = len(tree.origin), tree.size[leaf]
    node = tree.bounds.shape[0] * LANES - len(tree.size) + leaf
    block, lane = node // LANES, node % LANES
    least, greatest = _range(tree.rows, leaf, d, m)
    tree.bounds[block, 2 * d, lane] = least
    tree.bounds[block, 2 * d + 1, lane] = greatest
    if box and m > 0:
        tree.boxed[leaf] = m
        tree.bounds[block, 2 * d + 2, lane] = tree.ids[leaf, :m].min()
        for j in range(d):
            low, high = _range(tree.rows, leaf, j, m)
            tree.bounds[block, j, lane] = low
            tree.bounds[block, d + j, lane] = high


@kernel
def _range(rows: np.ndarray, leaf: int, j: int, m: int) -> tuple[float, float]:
    low, high = np.inf, -np.inf
    for a in range(m):
        low = min(low, rows[leaf, j, a])
        high = max(high, rows[leaf, j, a])
    return low, high


@kernel
def _bound_block(tree: Tree, block: int, first: int) -> bool:
    """Bound the node above a block by its lanes, from the given row on; has anything changed?"""
    d = len(tree.origin)
    node = block - tree.shift
    above, lane = node // LANES, node % LANES
    changed = False
    for j in range(first, 2 * d + 3):
        least = j < d or j == 2 * d or j == 2 * d + 2
        bound = np.inf if least else -np.inf
        for a in range(LANES):
            if tree.bounds[block, 2 * d + 1, a] < 0:  # nobody is left
                continue
            end = tree.bounds[block, j, a]
            bound = min(bound, end) if least else max(bound, end)
        if bound != tree.bounds[above, j, lane]:
            tree.bounds[above, j, lane] = bound
            changed = True
    return changed
