"""Pricing: all groups of s rows whose pair values sum to little, each found once, by reverse search.

Take the row with the greatest sum of values away from a group, and the mean value of the pairs left does not
rise. So each group with a mean below 0 grows from a pair, one row at a time, each the worst of the group it
makes, through groups with a mean no greater than its own. That is a tree: nothing is found twice, and what is
pruned holds nothing.
"""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def find_groups(
    values: np.ndarray, s: int, least: float, gains: np.ndarray, found: np.ndarray, nodes: int
) -> tuple[int, bool]:
    """Write groups of s rows whose pair values sum to −least·s or below into `found`, row by row.

    `gains` holds for each row the greatest −sum/s² of the groups it was in so far, and is kept up to date
    for all of them; groups far below that of all their rows are not written. An empty `gains` lets all be
    written, also with `least` below 0. Return how many were, and whether the search came to its end within so
    many nodes.
    """
    n = len(values)
    stars = np.empty((s, n))  # of each row, the sum of values to the first 2, 3, … rows of the group
    group = np.empty(s, np.int64)
    sums = np.empty(s + 1)
    nexts = np.empty(s + 1, np.int64)
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            if values[i, j] > -2 * least / (s - 1):
                continue
            group[0], group[1], sums[2], nexts[2] = i, j, values[i, j], 0
            stars[1] = values[i] + values[j]
            t = 2
            while t >= 2:
                if t == s:
                    count = _note(group, -sums[s] / (s * s), gains, found, count)
                    t -= 1
                    continue
                v = _next(values, stars[t - 1], group, t, nexts[t], -least * (t + 1) * t / (s - 1) - sums[t])
                if v < 0:
                    t -= 1
                    continue
                nodes -= 1
                if nodes < 0:
                    return count, False
                nexts[t] = v + 1
                group[t] = v
                sums[t + 1] = sums[t] + stars[t - 1, v]
                if t + 1 < s:
                    stars[t] = stars[t - 1] + values[v]
                    nexts[t + 1] = 0
                t += 1
    return count, True


@kernel
def _next(values: np.ndarray, star: np.ndarray, group: np.ndarray, t: int, first: int, limit: float) -> int:
    """The next row that may join t others: their sum stays low enough, and it is the worst of them."""
    for v in range(first, len(star)):
        if not star[v] <= limit:
            continue
        worst = True
        for a in range(t):
            u = group[a]
            # the sum of u to the others of the group, and to v
            own = star[u] - values[u, u] + values[u, v]
            if u == v or own > star[v] or (own == star[v] and u > v):
                worst = False
                break
        if worst:
            return v
    return -1


@kernel
def _note(group: np.ndarray, gain: float, gains: np.ndarray, found: np.ndarray, count: int) -> int:
    worthy = len(gains) == 0
    for i in group if len(gains) else group[:0]:
        worthy = worthy or gain > 0.5 * gains[i]
        gains[i] = max(gains[i], gain)
    if worthy and count < len(found):
        found[count] = group
        count += 1
    return count
