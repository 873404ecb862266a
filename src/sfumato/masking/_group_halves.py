"""What groups that are kept up to date need: a fixed scale, and good cuts of one group into two."""

import numpy as np


def scaling(values: np.ndarray, how: str) -> tuple[np.ndarray, np.ndarray]:
    """What to subtract from columns and what to divide them by; constants, like `how="none"`, are divided by 1.

    >>> scaling(np.array([[1.0, 7.0], [3.0, 7.0]]), "range")
    (array([2., 7.]), array([2., 1.]))
    """
    present = ~np.isnan(values)
    counts = np.maximum(present.sum(axis=0), 1)
    shift = np.where(present, values, 0).sum(axis=0) / counts
    apart = np.where(present, values - shift, 0)
    span = np.ptp(apart, axis=0)
    deviation = np.sqrt((apart**2).sum(axis=0) / np.maximum(counts - 1, 1))
    spread = {"none": np.ones_like(span), "range": span, "zscore": deviation}[how]
    return shift, np.where((spread > 0) & np.isfinite(spread), spread, 1.0)


def sse_of(X: np.ndarray) -> float:
    """Sum of squared distances of the rows to their mean."""
    return float(((X - X.mean(axis=0)) ** 2).sum())


def halves(X: np.ndarray, k: int) -> tuple[list[int], list[int]]:
    """The best of some cuts of 2k rows or more into two parts of at least k.

    Rows are ordered by their distance from the one farthest from the centroid, from the one opposite to it, and
    along the line between the two; each order is cut at every place.

    >>> halves(np.array([[0.0], [9.0], [1.0], [8.0], [2.0]]), 2)
    ([1, 3], [0, 2, 4])
    """
    spread = X - X.mean(axis=0)
    far = int(np.argmax((spread**2).sum(axis=1)))
    from_far = ((X - X[far]) ** 2).sum(axis=1)
    opposite = int(np.argmax(from_far))
    ways = (from_far, ((X - X[opposite]) ** 2).sum(axis=1), (spread * (X[far] - X[opposite])).sum(axis=1))
    best, least = (np.arange(0), np.arange(0)), np.inf
    for way in ways:
        order = np.argsort(way, kind="stable")
        for cut in range(k, len(order) - k + 1):
            cost = sse_of(X[order[:cut]]) + sse_of(X[order[cut:]])
            if cost < least:
                best, least = (order[:cut], order[cut:]), cost
    return sorted(best[0].tolist()), sorted(best[1].tolist())
