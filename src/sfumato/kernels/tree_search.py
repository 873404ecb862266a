"""Exact nearest and farthest records of a point, among those left in a tree; ties go to the lower number.

Searches go down to the most promising child first.

What bounds the squared distance |x − q|² of all records x of a node to the point q:

- the box of the records: sums run over the attributes in order, as those of distances do, and rounding is
  monotone, so that the bound holds for computed distances without a tolerance;
- with |x − o|² between a and b, and p = q − o:  a + p² − 2 max p·(x − o) ≤ |x − q|² ≤ b + p² − 2 min p·(x − o),
  the extremes of the product taken over the box, and a slack above all rounding errors.

In a leaf with centre c, |y|² − 2 z·y is computed in short numbers, y and z being x − c and q − c in units of the tree;
that is |x − q|² − z² but for what `_blur` bounds. Only records that it does not exclude are looked at.
"""

import numpy as np

from sfumato.kernels._compile import INT64, kernel, rough_kernel
from sfumato.kernels.deletion_tree import LANES, TERMS, Tree

STACK = 16 * LANES  # room for sixteen levels: more than any file needs
FINITE = float(np.finfo(np.float64).max)
BEYOND = 1e30


@kernel
def nearest(tree: Tree, q: np.ndarray, near: np.ndarray, apart: np.ndarray) -> int:
    """Fill `near` with the records nearest to q and `apart` with their squared distances; how many leaves were scanned."""
    first_leaf = tree.bounds.shape[0] * LANES - len(tree.size)
    p, constant, slack = _about_origin(tree, q)
    constant -= slack
    key, z, quick = np.empty(2 * LANES), np.zeros(tree.rows.shape[1], np.float32), _room(tree)
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
            m, unit = _whole(tree.used[leaf]), tree.lengths[0]
            squares = _aim(tree.centres[leaf], unit, q, 1.0, z)
            added = _blur(len(q), unit, tree.radius[leaf], squares) - squares
            if _sum_up(tree.rows[leaf], z, m, apart[-1] * unit * unit + added, quick):
                _keep_near(tree.X, tree.ids[leaf], m, q, quick, unit, added, near, apart)
            scanned += 1
        else:
            block = node + tree.shift
            _lower_bounds(tree.bounds, block, q, p, constant, key)
            top = _push(tree.bounds, key, block, stack, keys, top, apart[-1])
    return scanned


@kernel
def farthest(tree: Tree, q: np.ndarray, far: int, reach: float) -> tuple[int, int]:
    """The record farthest from q, if not the one known so far, and how many leaves were scanned or might have been."""
    first_leaf = tree.bounds.shape[0] * LANES - len(tree.size)
    p, constant, slack = _about_origin(tree, q)
    constant += slack
    key, z, quick = np.empty(2 * LANES), np.zeros(tree.rows.shape[1], np.float32), _room(tree)
    stack, keys = np.empty(STACK, np.int64), np.empty(STACK)
    stack[0], keys[0] = -tree.shift, -np.inf
    top, work = 1, 0
    while top > 0:
        top -= 1
        node = stack[top]
        if keys[top] > -reach or (keys[top] == -reach and _least_number(tree.bounds, node) > far):
            continue
        work += 1
        if node >= first_leaf:
            leaf = node - first_leaf
            m, unit = _whole(tree.used[leaf]), tree.lengths[0]
            squares = _aim(tree.centres[leaf], unit, q, -1.0, z)
            added = _blur(len(q), unit, tree.radius[leaf], squares) + squares
            if _sum_up(tree.rows[leaf], z, m, added - _in_units(reach, unit), quick):
                far, reach = _keep_far(tree, leaf, m, q, quick, added, far, reach)
        else:
            block = node + tree.shift
            _upper_bounds(tree.bounds, block, q, p, constant, key)
            top = _push(tree.bounds, key, block, stack, keys, top, -reach)
    return far, work


@kernel
def outermost(shells: Tree, q: np.ndarray, limit: int) -> tuple[int, float, int]:
    """The record of the shells farthest from q, its squared distance, and how many shells were scanned.

    No record of a shell of radius R is farther from q than R + |q − o|. More than `limit` shells are not scanned: if it
    takes more, which the number tells, the record is the farthest of those.
    """
    z, quick = np.zeros(shells.rows.shape[1], np.float32), _room(shells)
    unit = shells.lengths[0]
    squares = _aim(shells.origin, unit, q, -1.0, z)
    far, reach, scanned = INT64(-1), -1.0, 0
    while shells.outer[0] < len(shells.size) and shells.size[shells.outer[0]] == 0:
        shells.outer[0] += 1
    for shell in range(shells.outer[0], len(shells.size)):
        if shells.size[shell] == 0:
            continue
        blur = _blur(len(q), unit, shells.radius[shell], squares)
        so_far = _in_units(reach, unit)
        if (np.sqrt(shells.radius[shell]) + np.sqrt(squares)) ** 2 + blur < so_far:
            break
        scanned += 1
        if scanned > limit:
            break
        m = _whole(shells.used[shell])
        if _sum_up(shells.rows[shell], z, m, blur + squares - so_far, quick):
            far, reach = _keep_far(shells, shell, m, q, quick, blur + squares, far, reach)
    return far, reach, scanned


@kernel
def _whole(m: int) -> int:
    """As many, and those that fill the last register."""
    return m + (-m & (LANES - 1))


@kernel
def _room(tree: Tree) -> np.ndarray:
    return np.empty(tree.ids.shape[1], np.float32)


@kernel
def _aim(centre: np.ndarray, unit: float, q: np.ndarray, sign: float, z: np.ndarray) -> float:
    """Fill z with the factors of |y|² and of y, for the nearest or, with a minus, for the farthest; the square of q − c.

    Of a point too far for short numbers that is `BEYOND`, and `_blur` then excludes no record.
    """
    squares = 0.0
    z[0] = sign
    for j in range(len(q)):
        difference = (q[j] - centre[j]) * unit
        squares += difference * difference
        z[j + 1] = -2 * sign * difference
    if squares < BEYOND:
        return squares
    z[1:] = 0.0
    return BEYOND


@kernel
def _blur(d: int, unit: float, radius: float, squares: float) -> float:
    """What is above all errors of |y|² − 2 z·y, and of the distances that are compared with it.

    Short numbers are off by 2⁻²⁴ of their own: two in each product, one in each of d + 1 sums, and the sums are at
    most |y|² + 2|y||z| ≤ 2|y|² + z². The rest is for numbers that are too small to be told from 0.
    """
    if squares == BEYOND:
        return np.inf
    return 2.0**-24 * (d + 10) * (2 * radius + squares) + 1e-36 + (d + 4) * 5e-324 * unit * unit


@kernel
def _in_units(squares: float, unit: float) -> float:
    """Such a number can be taken from infinity, too."""
    return min(min(squares, FINITE) * unit * unit, FINITE)


@rough_kernel
def _sum_up(rows: np.ndarray, z: np.ndarray, m: int, limit: float, quick: np.ndarray) -> bool:
    """± (|y|² − 2 z·y) of the first m records of a leaf; is any of them within the limit?

    Six columns at a time, so that few numbers are stored between.
    """
    for j in range(0, len(z), TERMS):
        r, s, t, u, v, w = rows[j], rows[j + 1], rows[j + 2], rows[j + 3], rows[j + 4], rows[j + 5]
        a, b, c, d, e, f = z[j], z[j + 1], z[j + 2], z[j + 3], z[j + 4], z[j + 5]
        if j == 0:
            for i in range(m):
                quick[i] = a * r[i] + b * s[i] + c * t[i] + d * u[i] + e * v[i] + f * w[i]
        else:
            for i in range(m):
                quick[i] += a * r[i] + b * s[i] + c * t[i] + d * u[i] + e * v[i] + f * w[i]
    some, short = False, np.float32(limit)
    for i in range(m):
        some |= quick[i] <= short
    return some


@kernel
def _squared_distance(x: np.ndarray, q: np.ndarray) -> float:
    squares = 0.0
    for j in range(len(q)):
        difference = x[j] - q[j]
        squares += difference * difference
    return squares


@kernel
def _keep_near(
    X: np.ndarray,
    ids: np.ndarray,
    m: int,
    q: np.ndarray,
    quick: np.ndarray,
    unit: float,
    added: float,
    near: np.ndarray,
    apart: np.ndarray,
) -> None:
    limit = np.float32(apart[-1] * unit * unit + added)
    for a in range(m):
        if not quick[a] <= limit:  # nor is it, if it is no number
            continue
        i = ids[a]
        distance = _squared_distance(X[i], q)
        at = len(near)
        while at > 0 and (apart[at - 1] > distance or (apart[at - 1] == distance and near[at - 1] > i)):
            at -= 1
            if at + 1 < len(near):
                near[at + 1], apart[at + 1] = near[at], apart[at]
        if at < len(near):
            near[at], apart[at] = i, distance
            limit = np.float32(apart[-1] * unit * unit + added)


@kernel
def _keep_far(
    tree: Tree, leaf: int, m: int, q: np.ndarray, quick: np.ndarray, added: float, far: int, reach: float
) -> tuple[int, float]:
    unit = tree.lengths[0]
    limit = np.float32(added - _in_units(reach, unit))
    for a in range(m):
        if not quick[a] <= limit:
            continue
        i = tree.ids[leaf, a]
        distance = _squared_distance(tree.X[i], q)
        if distance > reach or (distance == reach and i < far):
            far, reach = i, distance
            limit = np.float32(added - _in_units(reach, unit))
    return far, reach


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
def _about_origin(tree: Tree, q: np.ndarray) -> tuple[np.ndarray, float, float]:
    """p = q − o, p² + 2 p·o, and what is above the rounding errors of bounds by the origin.

    With L the greatest squared length of a record or of q, the terms of a bound sum to at most (12 + 4√d) L
    (the corner of a box is at most √d times as long as a record), and it takes 2d + 4 additions.
    """
    d = len(q)
    p = q - tree.origin
    constant, largest = 0.0, tree.lengths[1]
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
    """The least number of a record in the node; of the one above the first block, less than any."""
    if node < 0:
        return -1.0
    least: float = bounds[node // LANES, -1, node % LANES]
    return least
