"""The slow, obvious twin of every kernel: plain Python, no tricks, the same answer bit for bit."""

import numpy as np


def swap_partners(draws, w):
    """Twin of `kernels.rank_swapping.swap_partners`."""
    n = len(draws)
    partner = list(range(n))
    pool = list(range(min(n, w)))
    for i in range(n):
        if i + w < n:
            pool.append(i + w)
        if i not in pool:
            continue
        _take(pool, pool.index(i))
        swapped = {a for a in range(n) if partner[a] != a}
        assert set(pool) == {j for j in range(i + 1, min(n, i + w + 1)) if j not in swapped}
        if pool:
            j = _take(pool, int(draws[i] * len(pool)))
            partner[i], partner[j] = j, i
    return np.array(partner, dtype=np.int64)


def _take(items, position):
    """Remove the item at a position; the last one fills the hole."""
    taken, items[position] = items[position], items[-1]
    items.pop()
    return taken


def swap_outcomes(n, w, i=0, partner=None):
    """Every possible set of swaps with its probability, straight from the definition of rank swapping."""
    partner = partner or tuple(range(n))
    if i == n:
        return {partner: 1.0}
    unswapped = [j for j in range(i + 1, min(n, i + w + 1)) if partner[j] == j]
    if partner[i] != i or not unswapped:
        return swap_outcomes(n, w, i + 1, partner)
    outcomes = {}
    for j in unswapped:
        swapped = list(partner)
        swapped[i], swapped[j] = j, i
        for outcome, probability in swap_outcomes(n, w, i + 1, tuple(swapped)).items():
            outcomes[outcome] = outcomes.get(outcome, 0.0) + probability / len(unswapped)
    return outcomes


def redraw(codes, P, draws):
    """Twin of `masking._markov_matrices.redraw`, given the uniform draws."""
    redrawn = []
    for code, u in zip(codes.tolist(), draws.tolist(), strict=True):
        if code < 0:
            redrawn.append(code)
            continue
        upper = np.cumsum(P[code])
        upper /= upper[-1]
        redrawn.append(next(category for category in range(len(P)) if u < upper[category]))
    return np.array(redrawn, dtype=codes.dtype)


def mdav_groups(X, k):
    """Twin of `kernels.mdav.mdav_groups`: Algorithm 4 of the thesis, ties to the record that comes first."""
    left = list(range(len(X)))
    labels = np.zeros(len(X), dtype=np.int64)
    total = np.zeros(X.shape[1])
    for x in X:
        total += x

    def farthest(point):
        return min(left, key=lambda i: (-_squared_distance(X[i], point), i))

    def make_group(centre, label):
        members = sorted(left, key=lambda i: (_squared_distance(X[i], X[centre]), i))[:k]
        for i in members:
            labels[i] = label
            left.remove(i)
            total[:] -= X[i]

    group = 0
    while len(left) >= 3 * k:
        r = farthest(total / len(left))
        make_group(r, group)
        make_group(farthest(X[r]), group + 1)
        group += 2
    if len(left) >= 2 * k:
        make_group(farthest(total / len(left)), group)
        group += 1
    labels[left] = group
    return labels


def _squared_distance(a, b):
    total = 0.0
    for difference in (a - b).tolist():
        total += difference * difference
    return total
