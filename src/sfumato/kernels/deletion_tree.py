"""A tree of boxes from which records can be taken out, one by one, while its bounds stay tight.

The records lie in leaves by median splits; a leaf holds them as columns of short numbers, so that what is about
their distance to a point is computed for many together; what matters is then computed exactly. Sixteen sibling
nodes (lanes) form a block and are bounded together: by the box of their records, and by the least and greatest
|x − o|² to an origin o, the mean of all. Equal records lie in the order of their numbers, and a node knows its
least number: so ties need not be looked at one by one.

Nodes are numbered block by block; where the first block has fewer nodes they are its last lanes.
So the children of any node v are the block v + `shift`, and the leaves are the last nodes of all.

Shells are the same without boxes: the leaves hold the records farthest from the origin first.
"""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import INT64, TRUTH, kernel

LANES = 16
TERMS = 6  # so many columns of a leaf are added up at a time
CLOSE = 1e-10  # of a number: a unit much smaller would make rounding errors of centres too large for short numbers
SAMPLE = 100  # so many records tell which attribute of a node is the widest


class Tree(NamedTuple):
    """The arrays of a tree; d attributes. Of the records, y = (x − c)/scale, c being the centre of the leaf."""

    X: np.ndarray  # the records
    rows: np.ndarray  # leaf × (1 + d, rounded up) × room: |y|², which is NaN where there is no record, and y
    ids: np.ndarray  # leaf × room: the numbers of the records
    size: np.ndarray  # leaf: how many records are left
    used: np.ndarray  # leaf: how many there were when its box was computed
    place: np.ndarray  # record: leaf · room + position
    bounds: np.ndarray  # block × (2d + 3) × lane: low and high ends, least and greatest |x − o|², least id
    centres: np.ndarray  # leaf × d: c
    radius: np.ndarray  # leaf: the greatest |y|² there was
    origin: np.ndarray  # o
    outer: np.ndarray  # one number: the leaves before it are empty
    lengths: np.ndarray  # two numbers: 1/scale, and the greatest |x|²
    shift: int  # from a node to the block of its children


def leaf_size(d: int) -> int:
    """How many records a leaf should hold for speed. No answer depends on it."""
    return 64 if d < 4 else 256 if d < 8 else 512


@kernel
def plant(X: np.ndarray, left: np.ndarray, size: int) -> Tree:
    """The tree of the rows `left` of X, with at most `size` records in a leaf."""
    tree = _planted(X, left, size, TRUTH(False))
    for leaf in range(len(tree.size)):
        _bound_leaf(tree, leaf)
    for block in range(len(tree.bounds) - 1, 0, -1):
        _bound_block(tree, block)
    return tree


@kernel
def peel(X: np.ndarray, left: np.ndarray, size: int) -> Tree:
    """The shells of the rows `left` of X, with at most `size` records in each."""
    return _planted(X, left, size, TRUTH(True))


@kernel
def take_out(tree: Tree, i: int) -> None:
    """Remove record i. A leaf is tidied, and bounded anew, when half of it is gone."""
    room = tree.ids.shape[1]
    leaf = tree.place[i] // room
    tree.size[leaf] -= 1
    tree.rows[leaf, 0, tree.place[i] % room] = np.nan
    if 2 * tree.size[leaf] > tree.used[leaf]:
        return
    _tidy(tree, leaf)
    if len(tree.bounds) > 0:
        _bound_leaf(tree, leaf)
        block = (tree.bounds.shape[0] * LANES - len(tree.size) + leaf) // LANES
        while block > 0 and _bound_block(tree, block):
            block = (block - tree.shift) // LANES


@kernel
def _planted(X: np.ndarray, left: np.ndarray, size: int, shells: bool) -> Tree:
    n, d = len(left), X.shape[1]
    leaves = INT64(1)
    while n > leaves * size:
        leaves *= 2
    top = leaves
    while top > LANES:
        top //= LANES
    blocks = 0 if shells else 1 + top * (leaves // top - 1) // (LANES - 1)
    room = -(-n // leaves)
    room += -room % LANES
    tree = Tree(
        X=X,
        rows=np.zeros((leaves, d + 1 + -(d + 1) % TERMS, room), np.float32),
        ids=np.zeros((leaves, room), np.int64),
        size=np.zeros(leaves, np.int64),
        used=np.zeros(leaves, np.int64),
        place=np.zeros(len(X), np.int64),
        bounds=np.zeros((blocks, 2 * d + 3, LANES)),
        centres=np.zeros((leaves, d)),
        radius=np.zeros(leaves),
        origin=np.zeros(d),
        outer=np.zeros(1, np.int64),
        lengths=np.zeros(2),
        shift=top - LANES + 1,
    )
    tree.bounds[:, 2 * d] = np.inf
    tree.bounds[:, 2 * d + 1] = -np.inf
    _measure(tree, left)
    order = left.copy()
    starts = _split(tree, order, shells)
    _fill(tree, order, starts, shells)
    return tree


@kernel
def _measure(tree: Tree, left: np.ndarray) -> None:
    X, d = tree.X, len(tree.origin)
    for i in left:
        for j in range(d):
            tree.origin[j] += X[i, j] / len(left)
    scale = 1e-300
    for i in left:
        squares = 0.0
        for j in range(d):
            scale = max(scale, abs(X[i, j] - tree.origin[j]), CLOSE * abs(X[i, j]))
            squares += X[i, j] * X[i, j]
        tree.lengths[1] = max(tree.lengths[1], squares)
    tree.lengths[0] = 1 / scale


@kernel
def _split(tree: Tree, order: np.ndarray, shells: bool) -> np.ndarray:
    """Put the records in an order that halves them again and again; where each leaf starts.

    The leaves come one after the other, each as soon as it can: so work stays among few records, which are at hand.
    """
    leaves = len(tree.size)
    keys = np.empty(len(order))
    if shells:
        _inwards(tree, order, keys)
    starts = np.full(leaves + 1, len(order))
    starts[0] = 0
    first, count = INT64(0), leaves  # the next leaves, whose records are not yet told apart
    while first < leaves:
        while count > 1:
            start, end = starts[first], starts[first + count]
            middle = (start + end) // 2
            if not shells:
                _along_the_widest(tree.X, order, keys, start, end)
            _halve(order, keys, start, end, middle)
            count //= 2
            starts[first + count] = middle
        first += 1
        while count < leaves and first % (2 * count) == 0:
            count *= 2
    return starts


@kernel
def _inwards(tree: Tree, order: np.ndarray, keys: np.ndarray) -> None:
    for a in range(len(order)):
        keys[a] = 0.0
        for j in range(len(tree.origin)):
            keys[a] -= ((tree.X[order[a], j] - tree.origin[j]) * tree.lengths[0]) ** 2


@kernel
def _along_the_widest(X: np.ndarray, order: np.ndarray, keys: np.ndarray, start: int, end: int) -> None:
    d = X.shape[1]
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    for a in range(start, end, 1 + (end - start) // SAMPLE):
        i = order[a]
        for j in range(d):
            low[j] = min(low[j], X[i, j])
            high[j] = max(high[j], X[i, j])
    widest = np.argmax(high - low)
    for a in range(start, end):
        keys[a] = X[order[a], widest]


@kernel
def _halve(order: np.ndarray, keys: np.ndarray, start: int, end: int, middle: int) -> None:
    """The records with the least keys first, and of equal ones those that come first."""
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
def _fill(tree: Tree, order: np.ndarray, starts: np.ndarray, shells: bool) -> None:
    d, room = len(tree.origin), tree.ids.shape[1]
    for leaf in range(len(tree.size)):
        start, end = starts[leaf], starts[leaf + 1]
        tree.size[leaf] = tree.used[leaf] = end - start
        tree.rows[leaf, 0, end - start :] = np.nan
        for j in range(d):
            if shells:
                tree.centres[leaf, j] = tree.origin[j]
            else:
                for i in order[start:end]:
                    tree.centres[leaf, j] += tree.X[i, j] / (end - start)
        for a in range(end - start):
            i = order[start + a]
            tree.ids[leaf, a] = i
            tree.place[i] = leaf * room + a
            squares = 0.0
            for j in range(d):
                y = (tree.X[i, j] - tree.centres[leaf, j]) * tree.lengths[0]
                tree.rows[leaf, j + 1, a] = y
                squares += y * y
            tree.rows[leaf, 0, a] = squares
            tree.radius[leaf] = max(tree.radius[leaf], squares)


@kernel
def _tidy(tree: Tree, leaf: int) -> None:
    kept = 0
    for a in range(tree.used[leaf]):
        if np.isnan(tree.rows[leaf, 0, a]):
            continue
        for j in range(len(tree.origin) + 1):
            tree.rows[leaf, j, kept] = tree.rows[leaf, j, a]
        tree.ids[leaf, kept] = tree.ids[leaf, a]
        tree.place[tree.ids[leaf, a]] = leaf * tree.ids.shape[1] + kept
        kept += 1
    tree.rows[leaf, 0, kept : tree.used[leaf]] = np.nan
    tree.used[leaf] = kept


@kernel
def _bound_leaf(tree: Tree, leaf: int) -> None:
    """Bound a leaf in which no record is missing."""
    d = len(tree.origin)
    node = tree.bounds.shape[0] * LANES - len(tree.size) + leaf
    block, lane = node // LANES, node % LANES
    ends = np.empty(2 * d + 3)
    for j in range(2 * d + 3):
        ends[j] = np.inf if j < d or j == 2 * d or j == 2 * d + 2 else -np.inf
    for a in range(tree.used[leaf]):
        i, squares = tree.ids[leaf, a], 0.0
        for j in range(d):
            x = tree.X[i, j]
            squares += (x - tree.origin[j]) ** 2
            ends[j] = min(ends[j], x)
            ends[d + j] = max(ends[d + j], x)
        ends[2 * d] = min(ends[2 * d], squares)
        ends[2 * d + 1] = max(ends[2 * d + 1], squares)
        ends[2 * d + 2] = min(ends[2 * d + 2], i)
    for j in range(2 * d + 3):
        tree.bounds[block, j, lane] = ends[j]


@kernel
def _bound_block(tree: Tree, block: int) -> bool:
    """Bound the node above a block by its lanes; has anything changed?"""
    d = len(tree.origin)
    node = block - tree.shift
    above, lane = node // LANES, node % LANES
    changed = False
    for j in range(2 * d + 3):
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
