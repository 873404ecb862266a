"""Swaps of one attribute that bring its covariances back, and its values not too near their originals."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def mending_swaps(
    Z: np.ndarray,
    j: int,
    gap: np.ndarray,
    precision: np.ndarray,
    own: np.ndarray,
    now: np.ndarray,
    reach: float,
    caution: float,
    pairs: np.ndarray,
) -> np.ndarray:
    """Choose disjoint pairs of rows to swap in column j of Z; partners follow each other in the answer.

    `gap` is by how much the covariances of column j with each column exceed what they should be, `precision`
    what a unit of it counts. `own` and `now` are the ranks of the original and of the masked values: one that
    is less than `reach` away is near, and costs up to `caution`. `pairs` holds the rows of several pairs for
    each swap: the one that leaves the smallest Σ precision · |gap| + caution · nearness is taken, if that is
    smaller than before.
    """
    n, d = Z.shape
    gap = gap.copy()
    used = np.zeros(n, np.bool_)
    chosen = np.empty(2 * len(pairs), np.int64)
    count = 0
    for q in range(len(pairs)):
        best, least = -1, (precision * np.abs(gap)).sum() * (1 - 1e-12)
        for t in range(pairs.shape[1]):
            a, b = pairs[q, t]
            if a == b or used[a] or used[b]:
                continue
            left = max(0.0, 1 - abs(own[a] - now[b]) / reach) + max(0.0, 1 - abs(own[b] - now[a]) / reach)
            left -= max(0.0, 1 - abs(own[a] - now[a]) / reach) + max(0.0, 1 - abs(own[b] - now[b]) / reach)
            left *= caution
            apart = (Z[b, j] - Z[a, j]) / n
            for m in range(d):
                left += precision[m] * abs(gap[m] + apart * (Z[a, m] - Z[b, m]))
            if left < least:
                best, least = t, left
        if best >= 0:
            a, b = pairs[q, best]
            gap += (Z[b, j] - Z[a, j]) / n * (Z[a] - Z[b])
            used[a] = used[b] = True
            chosen[count], chosen[count + 1] = a, b
            count += 2
    return chosen[:count]
