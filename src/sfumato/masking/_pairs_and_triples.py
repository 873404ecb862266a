"""The lightest [1, 2]-factor: pairs and triples that lose at most twice the least there is."""

from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csc_array, vstack
from scipy.spatial.distance import cdist

from sfumato.masking._nearest_records import neighbours

NEAR = 8  # nearest records that edges lead to at first
BLOCK = 256


def lightest_factor(X: np.ndarray) -> tuple[np.ndarray, float]:
    """The edges of the lightest graph in which every row has one or two, and the sum of their squared lengths.

    A linear program over near pairs is given more pairs until none would lower it; then an integer program
    chooses among all pairs that could still be in a lighter graph than the one it found of these.
    """
    n = len(X)
    near, path = neighbours(X, NEAR), np.lexsort(X.T)  # along a path there always is such a graph
    first = np.concatenate([np.repeat(np.arange(n), near.shape[1]), path[:-1]])
    edges = _edges(first, np.concatenate([near.ravel(), path[1:]]), n)
    scale = float(_weights(X, edges).mean()) or 1.0
    while True:
        bound, prices = _relaxed(edges, _weights(X, edges) / scale, n)
        more = _cheap_edges(X, prices, scale, edges, -1e-9)
        if not len(more):
            break
        edges = np.unique(np.concatenate([edges, more]), axis=0)
    near_best = edges[_whole(edges, _weights(X, edges) / scale, n)]
    gap = 1.000001 * (float(_weights(X, near_best).sum()) / scale - bound) + 1e-7
    if not len(_cheap_edges(X, prices, scale, edges, gap)):
        return near_best, float(_weights(X, near_best).sum())
    possible = _cheap_edges(X, prices, scale, edges[:0], gap)
    chosen = _whole(possible, _weights(X, possible) / scale, n)
    return possible[chosen], float(_weights(X, possible[chosen]).sum())


def stars(edges: np.ndarray, weights: np.ndarray, n: int) -> np.ndarray:
    """Labels of the parts that are left when edges between two rows of two edges are gone, the heaviest first.

    >>> stars(np.array([[0, 1], [1, 2], [2, 3]]), np.array([1.0, 5.0, 1.0]), 4).tolist()
    [0, 0, 1, 1]
    """
    degree = np.bincount(edges.ravel(), minlength=n)
    labels, kept = np.arange(n), []
    for e in np.argsort(-weights, kind="stable"):
        if degree[edges[e]].min() > 1:
            degree[edges[e]] -= 1
        else:
            kept.append(e)
    for i, j in edges[kept]:
        labels[labels == max(labels[i], labels[j])] = min(labels[i], labels[j])
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def _edges(first: np.ndarray, second: np.ndarray, n: int) -> np.ndarray:
    codes = np.unique(np.minimum(first, second) * n + np.maximum(first, second))
    return np.column_stack(np.divmod(codes, n))


def _weights(X: np.ndarray, edges: np.ndarray) -> np.ndarray:
    weights: np.ndarray = ((X[edges[:, 0]] - X[edges[:, 1]]) ** 2).sum(axis=1)
    return weights


def _incidence(edges: np.ndarray, n: int) -> Any:
    starts = np.arange(0, 2 * len(edges) + 1, 2, dtype=np.int32)
    rows = edges.ravel().astype(np.int32)  # older solvers take no longer numbers
    return csc_array((np.ones(2 * len(edges)), rows, starts), shape=(n, len(edges)))


def _relaxed(edges: np.ndarray, weights: np.ndarray, n: int) -> tuple[float, np.ndarray]:
    """The least weight where edges may be taken in part, and what one more edge at each row would be worth."""
    A = _incidence(edges, n)
    limits: Any = vstack([-A, A])
    found: Any = linprog(weights, limits, np.repeat([-1.0, 2.0], n), bounds=(0, 1), method="highs")
    duals = found.ineqlin.marginals
    return float(found.fun), -duals[:n] + duals[n:]


def _whole(edges: np.ndarray, weights: np.ndarray, n: int) -> np.ndarray:
    """Which edges are in the lightest whole solution; near records and the priced ones always hold one."""
    limits = LinearConstraint(_incidence(edges, n), 1, 2)
    found: Any = milp(
        weights,
        integrality=np.ones(len(edges), np.int64),
        bounds=Bounds(0, 1),
        constraints=limits,
        options={"mip_rel_gap": 0},
    )
    return np.asarray(found.x > 0.5)


def _cheap_edges(
    X: np.ndarray, prices: np.ndarray, scale: float, known: np.ndarray, limit: float
) -> np.ndarray:
    """Pairs that are no edge yet whose weight exceeds their prices by no more than a limit."""
    n = len(X)
    old = known[:, 0] * n + known[:, 1]
    found = [np.zeros(0, np.int64)]
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(start + BLOCK, n))
        reduced = cdist(X[rows], X, "sqeuclidean") / scale - prices[rows, None] - prices
        i, j = np.nonzero(reduced <= limit)
        upper = rows[i] < j
        found.append(rows[i[upper]] * n + j[upper])
    codes = np.setdiff1d(np.concatenate(found), old)
    return np.column_stack(np.divmod(codes, n))
