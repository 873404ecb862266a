"""The cuts of a sorted file into groups of k to 2k − 1 whose gaps are widest in sum."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def widest_cuts(gaps: np.ndarray, k: int) -> np.ndarray:
    """Where groups begin, other than the first, of n = len(gaps) + 1 ≥ k records; of equal sums the smaller groups last.

    best[i] is the widest sum of cut gaps among the first i records, and before[i] where their last group begins.
    """
    n = len(gaps) + 1
    best = np.full(n + 1, -np.inf)
    before = np.zeros(n + 1, np.int64)
    best[0] = 0.0
    for i in range(k, n + 1):
        for start in range(max(i - 2 * k + 1, 0), i - k + 1):
            found = best[start] + (gaps[start - 1] if start > 0 else 0.0)
            if found > best[i]:
                best[i], before[i] = found, start
    cuts = np.zeros(n // k, np.int64)
    count, at = 0, before[n]
    while at > 0:
        cuts[count] = at
        count += 1
        at = before[at]
    return cuts[:count][::-1].copy()
