"""Fuzzy clusters: how much each record belongs to each of some centres, by distances or by entropy."""

import numpy as np

MEMBERSHIPS = ("distances", "entropy")
HELP = "fuzzy c-means, or its form with an entropy, which keeps memberships apart from 0"


def log_memberships(
    X: np.ndarray, count: int, fuzziness: float, iterations: int, memberships: str = "distances"
) -> np.ndarray:
    """The logarithm of each record's membership in so many clusters, but for a constant per record."""
    return clusters_of(X, count, fuzziness, iterations, memberships)[0]


def clusters_of(
    X: np.ndarray, count: int, fuzziness: float, iterations: int, memberships: str
) -> tuple[np.ndarray, np.ndarray]:
    """The logarithms of the memberships, and the centres.

    By distances u ∝ d^(−2/(m − 1)), and a centre is the mean with weights u^m. With an entropy
    Σ u d² + λ Σ u log u is least: u ∝ exp(−d²/λ), and weights are u. λ is m − 1 times the mean squared distance of
    records to the nearest centre at the start, so that one parameter m serves both and units do not matter.
    """
    centres = X[_apart(X, count)]
    squares = _squares(X, centres)
    entropy = memberships == "entropy"
    power = 1.0 if entropy else fuzziness
    unit = max((fuzziness - 1) * float(squares.min(axis=1).mean()), 1e-300)
    scores = squares
    for _ in range(iterations):
        squares = _squares(X, centres)
        scores = -squares / unit if entropy else -np.log(np.maximum(squares, 1e-300)) / (fuzziness - 1)
        scores -= scores.max(axis=1, keepdims=True)
        weights = shares(scores) ** power
        moved = np.einsum("ic,ij->cj", weights, X) / np.maximum(weights.sum(axis=0), 1e-300)[:, None]
        if np.abs(moved - centres).max() <= 1e-6:
            break
        centres = moved
    return scores, centres


def shares(scores: np.ndarray) -> np.ndarray:
    """Memberships, which sum to 1 for each record, from their logarithms.

    >>> shares(np.log([[1.0, 3.0]])).tolist()
    [[0.25, 0.75]]
    """
    found = np.exp(scores - scores.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)
    return np.asarray(found)


def _squares(X: np.ndarray, centres: np.ndarray) -> np.ndarray:
    found = np.empty((len(X), len(centres)))
    for c, centre in enumerate(centres):
        found[:, c] = ((X - centre) ** 2).sum(axis=1)
    return found


def _apart(X: np.ndarray, count: int) -> list[int]:
    """Records far from each other: the one farthest from the centroid, then always the farthest from all before."""
    chosen: list[int] = []
    apart = ((X - X.mean(axis=0)) ** 2).sum(axis=1)
    for _ in range(count):
        chosen.append(int(np.argmax(apart)))
        to_last = ((X - X[chosen[-1]]) ** 2).sum(axis=1)
        apart = to_last if len(chosen) == 1 else np.minimum(apart, to_last)
    return chosen
