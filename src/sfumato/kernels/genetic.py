"""A genetic algorithm on the groups of a small set of records."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def evolve(
    X: np.ndarray,
    labels: np.ndarray,
    k: int,
    population: int,
    offspring: int,
    mutation: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """The best labels found; never worse than those given, which are the first chromosome.

    A chromosome holds the group of each record. A child takes the genes of the records on one side of a random
    cut through the records from one parent and the rest from the other; some genes mutate to the group of another
    record; groups of fewer than k or more than 2k − 1 records are repaired; the child takes the place of the worst.
    """
    n = len(X)
    genes = np.empty((population, n), np.int64)
    costs = np.empty(population)
    for a in range(population):
        genes[a] = labels
        if a > 0:
            _mutate(genes[a], mutation, rng)
            repair(X, genes[a], k)
        costs[a] = sse(X, genes[a])
    child = np.empty(n, np.int64)
    for _ in range(offspring):
        first, second = _fitter(costs, rng), _fitter(costs, rng)
        _cross(X, genes[first], genes[second], child, rng)
        _mutate(child, mutation, rng)
        repair(X, child, k)
        cost = sse(X, child)
        worst = _replaceable(costs, cost)
        if worst >= 0:
            genes[worst] = child
            costs[worst] = cost
    best: np.ndarray = genes[np.argmin(costs)]
    return best


@kernel
def _replaceable(costs: np.ndarray, cost: float) -> int:
    """The worst chromosome, or −1 if a new one is no better or would be a twin."""
    worst = 0
    for a in range(len(costs)):
        if costs[a] == cost:
            return -1
        if costs[a] > costs[worst]:
            worst = a
    return worst if cost < costs[worst] else -1


@kernel
def _fitter(costs: np.ndarray, rng: np.random.Generator) -> int:
    a, b = int(rng.random() * len(costs)), int(rng.random() * len(costs))
    return a if costs[a] <= costs[b] else b


@kernel
def _mutate(genes: np.ndarray, mutation: float, rng: np.random.Generator) -> None:
    for i in range(len(genes)):
        if rng.random() < mutation:
            genes[i] = genes[int(rng.random() * len(genes))]


@kernel
def _cross(
    X: np.ndarray, first: np.ndarray, second: np.ndarray, child: np.ndarray, rng: np.random.Generator
) -> None:
    """Records nearer to one of two random records than to the other take after the first parent."""
    a, b = int(rng.random() * len(X)), int(rng.random() * len(X))
    for i in range(len(X)):
        nearer = 0.0
        for c in range(X.shape[1]):
            nearer += (X[i, c] - X[b, c]) ** 2 - (X[i, c] - X[a, c]) ** 2
        child[i] = first[i] if nearer > 0 else second[i]


@kernel
def repair(X: np.ndarray, labels: np.ndarray, k: int) -> None:
    """Make all groups hold k to 2k − 1 records: large ones are split, small ones filled up or dissolved."""
    n, d = X.shape
    sizes = np.zeros(n, np.int64)
    sums = np.zeros((n, d))
    for i in range(n):
        sizes[labels[i]] += 1
        for c in range(d):
            sums[labels[i], c] += X[i, c]
    for u in range(n):
        while sizes[u] >= 2 * k:
            _split(X, labels, sizes, sums, u, k)
    for u in range(n):
        if 0 < sizes[u] < k:
            spare = 0
            for v in range(n):
                spare += max(sizes[v] - k, 0)
            if spare >= k - sizes[u]:
                while sizes[u] < k:
                    _fill(X, labels, sizes, sums, u, k)
            else:
                for i in range(n):
                    if labels[i] == u:
                        _place(X, labels, sizes, sums, i, k)


@kernel
def _split(X: np.ndarray, labels: np.ndarray, sizes: np.ndarray, sums: np.ndarray, u: int, k: int) -> None:
    """Move the record farthest from the centroid and the k − 1 nearest to it into a new group."""
    new = 0
    while sizes[new] > 0:
        new += 1
    far, reach = -1, -1.0
    for i in range(len(X)):
        if labels[i] == u:
            distance = _to_centre(X, i, sums, sizes, u)
            if distance > reach:
                far, reach = i, distance
    for _ in range(k):
        near, least = -1, np.inf
        for i in range(len(X)):
            if labels[i] == u:
                distance = _apart(X, i, far)
                if distance < least:
                    near, least = i, distance
        _move(X, labels, sizes, sums, near, new)


@kernel
def _fill(X: np.ndarray, labels: np.ndarray, sizes: np.ndarray, sums: np.ndarray, u: int, k: int) -> None:
    """Take the nearest record of a group that can spare it."""
    near, least = -1, np.inf
    for i in range(len(X)):
        if sizes[labels[i]] > k:
            distance = _to_centre(X, i, sums, sizes, u)
            if distance < least:
                near, least = i, distance
    _move(X, labels, sizes, sums, near, u)


@kernel
def _place(X: np.ndarray, labels: np.ndarray, sizes: np.ndarray, sums: np.ndarray, i: int, k: int) -> None:
    """Move a record of a group that ends to the group with room where SSE rises least."""
    best, least = -1, np.inf
    for v in range(len(sizes)):
        if v != labels[i] and 0 < sizes[v] < 2 * k - 1:
            rise = _to_centre(X, i, sums, sizes, v) * sizes[v] / (sizes[v] + 1)
            if rise < least:
                best, least = v, rise
    _move(X, labels, sizes, sums, i, best)


@kernel
def _move(X: np.ndarray, labels: np.ndarray, sizes: np.ndarray, sums: np.ndarray, i: int, v: int) -> None:
    u = labels[i]
    sizes[u] -= 1
    sizes[v] += 1
    labels[i] = v
    for c in range(X.shape[1]):
        sums[u, c] -= X[i, c]
        sums[v, c] += X[i, c]


@kernel
def _apart(X: np.ndarray, i: int, j: int) -> float:
    distance = 0.0
    for c in range(X.shape[1]):
        distance += (X[i, c] - X[j, c]) ** 2
    return distance


@kernel
def _to_centre(X: np.ndarray, i: int, sums: np.ndarray, sizes: np.ndarray, u: int) -> float:
    distance = 0.0
    for c in range(X.shape[1]):
        distance += (X[i, c] - sums[u, c] / sizes[u]) ** 2
    return distance


@kernel
def sse(X: np.ndarray, labels: np.ndarray) -> float:
    """Sum of squared distances of the rows to the means of their groups."""
    n, d = X.shape
    sizes = np.zeros(n)
    sums = np.zeros((n, d))
    for i in range(n):
        sizes[labels[i]] += 1
        for c in range(d):
            sums[labels[i], c] += X[i, c]
    total = 0.0
    for i in range(n):
        for c in range(d):
            total += (X[i, c] - sums[labels[i], c] / sizes[labels[i]]) ** 2
    return total
