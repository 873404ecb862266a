"""How near and how far the records of a node can be: bounds that hold for computed distances to the last bit.

What bounds the squared distance |x − q|² of all records x of a node to the point q:

- the box of the records: sums run over the attributes in order, as those of distances do, and rounding is
  monotone, so that the bound holds for computed distances without a tolerance;
- with |x − o|² between a and b, and p = q − o:  a + p² − 2 max p·(x − o) ≤ |x − q|² ≤ b + p² − 2 min p·(x − o),
  the extremes of the product taken over the box, and a slack above all rounding errors.
"""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.deletion_tree import LANES, Tree


@kernel
def about_origin(tree: Tree, q: np.ndarray) -> tuple[np.ndarray, float, float]:
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
def lower_bounds(
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
def upper_bounds(
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
def least_number(bounds: np.ndarray, node: int) -> float:
    """The least number of a record in the node."""
    least: float = bounds[node // LANES, -1, node % LANES]
    return least
