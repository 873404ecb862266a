"""Exact nearest and farthest records of a point, among those left in a tree; ties go to the lower number.

Searches go down to the most promising child first. They return how many leaves they had to scan.
"""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.deletion_tree import LANES, Tree
from sfumato.kernels.tree_bounds import about_origin, least_number, lower_bounds, upper_bounds

STACK = 16 * LANES  # room for sixteen levels: more than any file needs


@kernel
def nearest(tree: Tree, q: np.ndarray, near: np.ndarray, apart: np.ndarray) -> int:
    """Fill `near` with the records nearest to q and `apart` with their squared distances, nearest first."""
    first_leaf = tree.bounds.shape[0] * LANES - len(tree.size)
    p, constant, slack = about_origin(tree, q)
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
        if keys[top] > apart[-1] or (keys[top] == apart[-1] and least_number(tree.bounds, node) > near[-1]):
            continue
        if node >= first_leaf:
            leaf = node - first_leaf
            _distances(tree.rows, leaf, tree.size[leaf], q, distance)
            _keep_near(tree.ids, leaf, tree.size[leaf], distance, near, apart)
            scanned += 1
        else:
            block = node + tree.shift
            lower_bounds(tree.bounds, block, q, p, constant, key)
            top = _push(tree.bounds, key, block, stack, keys, top, apart[-1])
    return scanned


@kernel
def farthest(tree: Tree, q: np.ndarray) -> tuple[int, int]:
    """The record farthest from q, and the number of leaves scanned."""
    first_leaf = tree.bounds.shape[0] * LANES - len(tree.size)
    p, constant, slack = about_origin(tree, q)
    constant += slack
    key, distance = np.empty(2 * LANES), np.empty(tree.ids.shape[1])
    stack, keys = np.empty(STACK, np.int64), np.empty(STACK)
    stack[0], keys[0] = -tree.shift, -np.inf
    top, scanned = 1, 0
    far, reach = -1, -1.0
    while top > 0:
        top -= 1
        node = stack[top]
        if keys[top] > -reach or (keys[top] == -reach and least_number(tree.bounds, node) > far):
            continue
        if node >= first_leaf:
            leaf = node - first_leaf
            _distances(tree.rows, leaf, tree.size[leaf], q, distance)
            far, reach = _keep_far(tree.ids, leaf, tree.size[leaf], distance, far, reach)
            scanned += 1
        else:
            block = node + tree.shift
            upper_bounds(tree.bounds, block, q, p, constant, key)
            top = _push(tree.bounds, key, block, stack, keys, top, -reach)
    return far, scanned


@kernel
def nearest_and_farthest(tree: Tree, q: np.ndarray, near: np.ndarray, apart: np.ndarray) -> int:
    """Both in one pass over all leaves, without bounds; returns the farthest."""
    distance = np.empty(tree.ids.shape[1])
    near[:] = len(tree.place)
    apart[:] = np.inf
    far, reach = -1, -1.0
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
