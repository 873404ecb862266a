"""How much attributes depend on each other, and the tree that says most of it."""

from itertools import combinations, islice

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree


def best_connected(weights: np.ndarray, count: int, most: int | None = None) -> list[tuple[int, ...]]:
    """The choices of so many columns that have most edges in the tree, the heavier edges first; at most so many.

    >>> star = np.array([[0, 9, 8, 7], [9, 0, 1, 1], [8, 1, 0, 1], [7, 1, 1, 0]])
    >>> best_connected(star, 2)
    [(0, 1), (0, 2), (0, 3)]
    """
    tree = dependence_tree(weights)
    edges, strength = tree.sum(axis=0), np.where(tree, weights, 0).sum(axis=0)
    order = np.lexsort((-strength, -edges))
    least = edges[order[min(count, len(order)) - 1]]
    sure = [int(j) for j in order if edges[j] > least]
    tied = [int(j) for j in order if edges[j] == least]
    rests = combinations(tied, min(count - len(sure), len(tied)))
    return [tuple(sorted((*sure, *rest))) for rest in islice(rests, most)]


def pair_weights(codes: np.ndarray, dependence: str) -> np.ndarray:
    """Mutual information or χ² of all pairs of columns of codes."""
    weigh = mutual_information if dependence == "emim" else chi_square
    d = codes.shape[1]
    weights = np.zeros((d, d))
    for i, j in combinations(range(d), 2):
        weights[i, j] = weights[j, i] = weigh(codes[:, i], codes[:, j])
    return weights


def intervals_of(values: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Numbers of the intervals of a width that hold a value, counted from the least value of each column.

    >>> intervals_of(np.array([[0.0], [99.0], [250.0]]), np.array([100.0])).ravel().tolist()
    [0, 0, 1]
    """
    places = (values - values.min(axis=0)) / np.where(widths > 0, widths, 1)
    # a hair up: a value at the lower end of an interval is in it, whatever scaling did to its last digit
    cut = np.floor(places + 1e-9)
    return np.column_stack([np.unique(column, return_inverse=True)[1].reshape(-1) for column in cut.T])


def joint_shares(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each pair of codes that occurs: the share of records that have it, and the product of the two shares."""
    n = len(a)
    _, rows, counts = np.unique(a * (b.max() + 1) + b, return_index=True, return_counts=True)
    a_shares = np.unique(a, return_inverse=True, return_counts=True)
    b_shares = np.unique(b, return_inverse=True, return_counts=True)
    product = a_shares[2][a_shares[1][rows]] * b_shares[2][b_shares[1][rows]]
    return counts / n, product / n**2


def mutual_information(a: np.ndarray, b: np.ndarray) -> float:
    """EMIM, Σ p(a, b) log p(a, b)/(p(a) p(b)) (equation 6.5).

    >>> round(mutual_information(np.array([0, 0, 1, 1]), np.array([5, 5, 2, 2])), 4)  # log 2
    0.6931
    """
    p, product = joint_shares(a, b)
    return float((p * np.log(p / product)).sum())


def chi_square(a: np.ndarray, b: np.ndarray) -> float:
    """Σ (p(a, b) − p(a) p(b))²/(p(a) p(b)) over all pairs, also those that do not occur (equation 6.6).

    >>> chi_square(np.array([0, 0, 1, 1]), np.array([5, 5, 2, 2]))
    1.0
    """
    p, product = joint_shares(a, b)
    return float((p * p / product).sum() - 1)


def normal_information(X: np.ndarray) -> np.ndarray:
    """−½ log(1 − ρ²) of all pairs of columns; columns that determine each other stay below infinity."""
    spread = X - X.mean(axis=0)
    lengths = np.sqrt((spread**2).sum(axis=0))
    rho = spread.T @ spread / np.maximum(np.outer(lengths, lengths), 1e-300)
    weights: np.ndarray = -0.5 * np.log(np.maximum(1 - rho**2, 1e-15))
    return weights


def dependence_tree(weights: np.ndarray) -> np.ndarray:
    """The maximum spanning tree of a symmetric matrix of weights ≥ 0, as a symmetric matrix of truth values.

    >>> dependence_tree(np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0]])).sum(axis=0).tolist()
    [1, 2, 1]
    """
    # costs above 0, since a sparse 0 is no edge; independent attributes are joined as well
    costs = np.triu(weights.max() + 1.0 - weights, 1)
    tree = minimum_spanning_tree(costs).toarray() > 0
    return tree | tree.T
