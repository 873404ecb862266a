"""Lower bounds: an SSE that no groups of at least k records can go below."""

from typing import Any

import numpy as np
import scipy

from sfumato.core import ParameterError

BOUNDS = ("neighbours", "degree")
ROUNDS = 10  # of the degree bound, each with the pairs the one before left out


def lower_bound(X: np.ndarray, k: int, *, how: str = "degree") -> float:
    """An SSE that no partition of the rows of X into groups of at least k can go below.

    With squared distances d, a group G of s rows has SSE = Σ_{i<j in G} d_ij / s.

    "neighbours": a row's half of that is at least f(s) = (its s − 1 least distances)/(2s), and f does not
    fall with s: f(s + 1) ≥ f(s) says that s times the s-th least distance is at least the sum of the s − 1
    before it. So SSE ≥ Σ_i Σ_{j among the k − 1 nearest of i} d_ij / (2k). O(n log n) in few dimensions.

    "degree": let y_ij be 1/s for rows that share a group of s, else 0. Then SSE = Σ d_ij y_ij, and
    Σ_j y_ij = (s − 1)/s ≥ (k − 1)/k, and y_ij ≤ 1/k. The least Σ d_ij y_ij under these is a bound, and never
    below the first. For any u ≥ 0, (k − 1)/k · Σ u_i − Σ_{i<j} max(0, u_i + u_j − d_ij)/k is at most that:
    u is found with near pairs only, and the sum is then taken over all, so that pairs left out cost
    nothing of the proof. Takes O(n²) time, memory linear in n; seconds for some thousand records.

    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> lower_bound(X, 2, how="neighbours"), round(lower_bound(X, 2), 9)
    (1.0, 1.0)
    """
    if how not in BOUNDS:
        raise ParameterError(f"lower_bound: how must be one of {', '.join(BOUNDS)}. Got {how!r}.")
    n = len(X)
    if n < 2 * k:
        return float(((X - X.mean(axis=0)) ** 2).sum()) if n else 0.0
    if k == 1:
        return 0.0
    by_neighbours = _by_neighbours(X, k)
    return by_neighbours if how == "neighbours" else max(by_neighbours, _by_degree(X, k))


def _by_neighbours(X: np.ndarray, k: int) -> float:
    distances = np.asarray(scipy.spatial.cKDTree(X).query(X, k)[0])
    return float((distances[:, 1:] ** 2).sum() / (2 * k))


def _by_degree(X: np.ndarray, k: int) -> float:
    edges = _near_edges(X, min(3 * k, len(X) - 1))
    best = 0.0
    for _ in range(ROUNDS):
        u = _prices(X, edges, k)
        value, violated = _value(X, u, k)
        best = max(best, value)
        missing = np.setdiff1d(violated, edges, assume_unique=True)
        if len(missing) == 0:
            break
        edges = np.union1d(edges, missing)
    return best


def _near_edges(X: np.ndarray, m: int) -> np.ndarray:
    """Pairs of near rows, as n·i + j with i < j."""
    n = len(X)
    near = np.asarray(scipy.spatial.cKDTree(X).query(X, m + 1)[1]).ravel()
    rows = np.repeat(np.arange(n), m + 1)
    low, high = np.minimum(rows, near), np.maximum(rows, near)
    return np.unique((low * n + high)[low < high])


def _prices(X: np.ndarray, edges: np.ndarray, k: int) -> np.ndarray:
    """The dual values u of the degree program with some pairs only."""
    n, m = len(X), len(edges)
    i, j = edges // n, edges % n
    costs = ((X[i] - X[j]) ** 2).sum(axis=1)
    ends = np.concatenate([i, j]), np.concatenate([np.arange(m)] * 2)
    degrees: Any = scipy.sparse.csr_array((-np.ones(2 * m), ends), shape=(n, m))
    found = scipy.optimize.linprog(
        costs, A_ub=degrees, b_ub=np.full(n, -(k - 1) / k), bounds=(0, 1 / k), method="highs"
    )
    if found.status != 0:  # among many equal rows a row may lack k − 1 pairs; nothing is known then
        return np.zeros(n)
    return np.maximum(-found.ineqlin.marginals, 0)


def _value(X: np.ndarray, u: np.ndarray, k: int) -> tuple[float, np.ndarray]:
    """The bound that prices u prove, and the pairs i < j with u_i + u_j above their distance."""
    n, block = len(X), 256
    excess, pairs = 0.0, []
    for start in range(0, n, block):
        rows = slice(start, min(start + block, n))
        over = u[rows, None] + u - scipy.spatial.distance.cdist(X[rows], X, "sqeuclidean")
        over[np.arange(n) <= np.arange(n)[rows, None]] = 0
        i, j = np.nonzero(over > 0)
        excess += over[i, j].sum()
        pairs.append((i + start) * n + j)
    return float((k - 1) / k * u.sum() - excess / k), np.concatenate(pairs)
