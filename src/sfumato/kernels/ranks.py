"""Ranks of values among others that lie in order, read from front to back."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def ranks_in_order(ordered: np.ndarray, distinct: np.ndarray, below: np.ndarray) -> np.ndarray:
    """For values in order: how many lie below each, and half of those that are equal to it.

    `below[i]` values lie below `distinct[i]`, and `below[-1]` are all. Each search starts where the last one
    ended, and takes longer and longer steps; so `distinct` may be a mapped file. Missing values come last.
    """
    m, at = len(distinct), 0
    ranks = np.empty(len(ordered))
    for i in range(len(ordered)):
        x = ordered[i]
        if np.isnan(x):
            ranks[i] = below[m]
            continue
        step, high = 1, at
        while high < m and distinct[high] < x:
            at = high + 1
            high += step
            step *= 2
        high = min(high, m)
        while at < high:
            middle = (at + high) // 2
            if distinct[middle] < x:
                at = middle + 1
            else:
                high = middle
        ranks[i] = below[at]
        if at < m and distinct[at] == x:
            ranks[i] += (below[at + 1] - below[at]) / 2
    return ranks
