"""Slow, obvious twins of the kernels that group records along a line, a tour or a tree."""

import itertools

import numpy as np


def sse(rows):
    rows = np.asarray(rows, float)
    return float(((rows - rows.mean(axis=0)) ** 2).sum())


def loss(X, labels):
    return sum(sse(X[labels == group]) for group in set(labels.tolist()))


def partitions(items, k):
    """Every partition of the items into groups of at least k."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(k - 1, len(rest) + 1):
        for others in itertools.combinations(rest, size):
            for finer in partitions([i for i in rest if i not in others], k):
                yield [[first, *others], *finer]


def least_loss(X, k):
    return min(sum(sse(X[group]) for group in found) for found in partitions(list(range(len(X))), k))


def runs(n, k):
    """Every way to cut n in a row into runs of k to 2k − 1."""
    if n == 0:
        yield []
    for size in range(k, min(2 * k - 1, n) + 1):
        for before in runs(n - size, k):
            yield [*before, size]


def ward_groups(X, k):
    """Algorithm 2 of the thesis up to its step 2, on sorted rows: lists of rows."""
    n = len(X)
    groups = [list(range(k)), *([i] for i in range(k, n - k)), list(range(n - k, n))]

    def growth(a, b):
        n_a, n_b = len(a), len(b)
        return n_a * n_b / (n_a + n_b) * ((X[a].mean(axis=0) - X[b].mean(axis=0)) ** 2).sum()

    while any(len(group) < k for group in groups):
        pairs = [p for p in itertools.combinations(groups, 2) if min(map(len, p)) < k]
        a, b = min(pairs, key=lambda pair: growth(*pair))
        groups.remove(a)
        groups.remove(b)
        groups.append(a + b)
        groups.sort(key=min)
    return sorted(sorted(group) for group in groups)


def md_groups(X, k):
    """The maximum-distance method by its definition."""
    left = list(range(len(X)))
    groups = []

    def distance(i, j):
        return float(((X[i] - X[j]) ** 2).sum())

    while len(left) >= 2 * k:
        r, s = min(itertools.combinations(left, 2), key=lambda pair: (-distance(*pair), pair))
        for centre, other in ((r, s), (s, None)):
            others = [i for i in left if i not in (centre, other)]
            members = [centre, *sorted(others, key=lambda i: (distance(centre, i), i))[: k - 1]]
            groups.append(members)
            left = [i for i in left if i not in members]
    if len(left) >= k:
        groups.append(left)
    else:
        means = [X[group].mean(axis=0) for group in groups[-2:]]
        for i in left:
            nearer = min((0, 1), key=lambda g: ((X[i] - means[g]) ** 2).sum())
            groups[nearer - 2].append(i)
    return groups


def nearest_point_next(X, start):
    tour, left = [start], set(range(len(X))) - {start}
    while left:
        here = X[tour[-1]]
        tour.append(min(left, key=lambda i: (((X[i] - here) ** 2).sum(), i)))
        left.remove(tour[-1])
    return tour


def spanning_length(X):
    """Total length of the minimum spanning tree, by Kruskal's method."""
    edges = sorted(
        (np.sqrt(((X[i] - X[j]) ** 2).sum()), i, j) for i, j in itertools.combinations(range(len(X)), 2)
    )
    tree = list(range(len(X)))
    total = 0.0
    for length, i, j in edges:
        if tree[i] != tree[j]:
            total += length
            tree = [tree[i] if t == tree[j] else t for t in tree]
    return total


def as_sets(labels):
    """Labels as a set of groups, so that numbering plays no part."""
    labels = np.asarray(labels)
    return {frozenset(np.flatnonzero(labels == group).tolist()) for group in set(labels.tolist())}
