"""Exact nearest and farthest records of a point, among those left in a tree; ties go to the lower number.

Searches go down to the most promising child first. They return how many leaves they had to scan.

What bounds the squared distance |x − q|² of all records x of a node to the point q:

- the box of the records: sums run over the attributes in order, as those of distances do, and rounding is
  monotone, so that the bound holds for computed distances without a tolerance;
- with |x − o|² between a and b, and p = q − o:  a + p² − 2 max p·(x − o) ≤ |x − q|² ≤ b + p² − 2 min p·(x − o),
  the extremes of the product taken over the box, and a slack above all rounding errors.
"""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.deletion_tree import LANES, Tree

STACK = 16 * LANES  # room for sixteen levels: more than any file needs


@kernel
def nearest(tree: Tree, q: np.ndarray, near: np.ndarray, apart: np.ndarray) -> int:
    """Fill `near` with the records nearest to q and `apart` with their squared distances, nearest first."""
    first_leaf = tree.bounds.shape[0] * LANES - len(tree.size)
    p, constant, slack = _about_origin(tree, q)
    constant -= slack
    key, distance = np.empty(2 * LANES), np.empty(tree.ids.shape[1])
    stack, keys = np.empty(STACK, np.int64), np.empty(STACK)
    near[:] = len(tree.place)
    apart[:] = np.inf
    stack[0], keys[0] = -tree.shift, -np.inf  # as if the first block had a node above
    top, scanned = 1, 0
    while top > 0:
        top -= 1
        node = stack[top]
        if keys[top] > apart[-1] or (keys[top] == apart[-1] and _least_number(tree.bounds, node) > near[-1]):
            continue
        if node >= first_leaf:
            leaf = node - first_leaf
            _distances(tree.rows, leaf, tree.size[leaf], q, distance)
            _keep_near(tree.ids, leaf, tree.size[leaf], distance, near, apart)
            scanned += 1
        else:
            block = node + tree.shift
            _lower_bounds(tree.bounds, block, q, p, constant, key)
            top = _push(tree.bounds, key, block, stack, keys, top, apart[-1])
    return scanned


@kernel
def farthest(tree: Tree, q: np.ndarray) -> tuple[int, int]:
    """The record farthest from q, and the number of leaves scanned."""
    first_leaf = tree.bounds.shape[0] * LANES - len(tree.size)
    p, constant, slack = _about_origin(tree, q)
    constant += slack
    key, distance = np.empty(2 * LANES), np.empty(tree.ids.shape[1])
    stack, keys = np.empty(STACK, np.int64), np.empty(STACK)
    stack[0], keys[0] = -tree.shift, -np.inf
    top, scanned = 1, 0
    far, reach = int(np.int64(-1)), -1.0
    while top > 0:
        top -= 1
        node = stack[top]
        if keys[top] > -reach or (keys[top] == -reach and _least_number(tree.bounds, node) > far):
            continue
        if node >= first_leaf:
            leaf = node - first_leaf
            _distances(tree.rows, leaf, tree.size[leaf], q, distance)
            far, reach = _keep_far(tree.ids, leaf, tree.size[leaf], distance, far, reach)
            scanned += 1
        else:
            block = node + tree.shift
            _upper_bounds(tree.bounds, block, q, p, constant, key)
            top = _push(tree.bounds, key, block, stack, keys, top, -reach)
    return far, scanned


@kernel
def nearest_and_farthest(tree: Tree, q: np.ndarray, near: np.ndarray, apart: np.ndarray) -> int:
    """Both in one pass over all leaves, without bounds; returns the farthest."""
    distance = np.empty(tree.ids.shape[1])
    near[:] = len(tree.place)
    apart[:] = np.inf
    far, reach = int(np.int64(-1)), -1.0
    for leaf in range(len(tree.size)):
        if tree.size[leaf] > 0:
            _distances(tree.rows, leaf, tree.size[leaf], q, distance)
            _keep_near(tree.ids, leaf, tree.size[leaf], distance, near, apart)
            far, reach = _keep_far(tree.ids, leaf, tree.size[leaf], distance, far, reach)
    return far


@kernel
def _push(
    bounds: np.ndarray,
    key: np.ndarray,
    block: int,
    stack: np.ndarray,
    keys: np.ndarray,
    top: int,
    limit: float,
) -> int:
    """Put the nodes of a block that are within the limit on the stack, the least key on top."""
    base = top
    for a in range(LANES):
        if key[a] > limit or bounds[block, -2, a] < 0:  # too far, or nobody is there
            continue
        at = top
        while at > base and keys[at - 1] <= key[a]:
            stack[at], keys[at] = stack[at - 1], keys[at - 1]
            at -= 1
        stack[at], keys[at] = block * LANES + a, key[a]
        top += 1
    return top


@kernel
def _distances(rows: np.ndarray, leaf: int, size: int, q: np.ndarray, distance: np.ndarray) -> None:
    d = len(q)
    m = size + (-size & (LANES - 1))  # whole registers; beyond the last record is NaN
    for a in range(m):
        distance[a] = 0.0
    for j in range(0, d - 1, 2):  # two attributes at a time, added in order
        x, y = q[j], q[j + 1]
        even, odd = rows[leaf, j], rows[leaf, j + 1]
        for a in range(m):
            first, second = even[a] - x, odd[a] - y
            distance[a] = distance[a] + first * first + second * second
    if d % 2:
        x, even = q[d - 1], rows[leaf, d - 1]
        for a in range(m):
            first = even[a] - x
            distance[a] += first * first


@kernel
def _keep_near(
    ids: np.ndarray, leaf: int, size: int, distance: np.ndarray, near: np.ndarray, apart: np.ndarray
) -> None:
    for a in range(size):
        if distance[a] > apart[-1]:
            continue
        i = ids[leaf, a]
        at = len(near)
        while at > 0 and (apart[at - 1] > distance[a] or (apart[at - 1] == distance[a] and near[at - 1] > i)):
            at -= 1
            if at + 1 < len(near):
                near[at + 1], apart[at + 1] = near[at], apart[at]
        if at < len(near):
            near[at], apart[at] = i, distance[a]


@kernel
def _keep_far(
    ids: np.ndarray, leaf: int, size: int, distance: np.ndarray, far: int, reach: float
) -> tuple[int, float]:
    for a in range(size):
        if distance[a] > reach or (distance[a] == reach and ids[leaf, a] < far):
            far, reach = ids[leaf, a], distance[a]
    return far, reach


@kernel
def _about_origin(tree: Tree, q: np.ndarray) -> tuple[np.ndarray, float, float]:
    """p = q − o, p² + 2 p·o, and what is above the rounding errors of bounds by the origin.

    With L the greatest squared length of a record or of q, the terms of a bound sum to at most (12 + 4√d) L
    (the corner of a box is at most √d times as long as a record), and it takes 2d + 4 additions.
    """
    d = len(q)
    p = q - tree.origin
    constant, largest = 0.0, tree.largest[0]
    for j in range(d):
        constant += p[j] * p[j] + 2 * p[j] * tree.origin[j]
        largest += q[j] * q[j]
    return p, constant, (d + 4) * (32 + 16 * np.sqrt(d)) * 1.2e-16 * largest + 1e-300


@kernel
def _lower_bounds(
    bounds: np.ndarray, block: int, q: np.ndarray, p: np.ndarray, constant: float, key: np.ndarray
) -> None:
    """Fill the first half of `key`, one bound for each lane of the block; the other half is room to work in."""
    d, lanes = len(q), bounds.shape[2]  # a number not known when compiling: else the loops are not vectorised
    for a in range(lanes):
        key[a] = 0.0
        key[lanes + a] = constant + bounds[block, 2 * d, a]
    for j in range(d):
        x, twice = q[j], 2 * p[j]
        for a in range(lanes):
            under, over = bounds[block, j, a] - x, x - bounds[block, d + j, a]
            outside = under if under > over else over
            outside = outside if outside > 0.0 else 0.0
            key[a] += outside * outside
        end = d + j if twice > 0 else j
        for a in range(lanes):
            key[lanes + a] -= twice * bounds[block, end, a]
    for a in range(lanes):
        key[a] = key[lanes + a] if key[lanes + a] > key[a] else key[a]


@kernel
def _upper_bounds(
    bounds: np.ndarray, block: int, q: np.ndarray, p: np.ndarray, constant: float, key: np.ndarray
) -> None:
    """The same with a minus, so that the most promising node has the least bound here too."""
    d, lanes = len(q), bounds.shape[2]
    for a in range(lanes):
        key[a] = 0.0
        key[lanes + a] = -constant - bounds[block, 2 * d + 1, a]
    for j in range(d):
        x, twice = q[j], 2 * p[j]
        for a in range(lanes):
            under, over = x - bounds[block, j, a], bounds[block, d + j, a] - x
            outside = under if under > over else over
            key[a] -= outside * outside
        end = j if twice > 0 else d + j
        for a in range(lanes):
            key[lanes + a] += twice * bounds[block, end, a]
    for a in range(lanes):
        key[a] = key[lanes + a] if key[lanes + a] > key[a] else key[a]


@kernel
def _least_number(bounds: np.ndarray, node: int) -> float:
    """The least number of a record in the node."""
    least: float = bounds[node // LANES, -1, node % LANES]
    return least
