"""Mondrian: a table of ranks is cut in two, and each part again, until no cut leaves k records on both sides."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels._small_files import SmallFiles

MISSING_RANK = 0  # the lowest, whatever the attribute; other ranks start at 1
FIRST_OF_ALL = 2.0  # widths are at most 1
_small_files = SmallFiles()


def mondrian_regions(
    ranks: np.ndarray, places: np.ndarray, offsets: np.ndarray, k: int, relaxed: bool
) -> np.ndarray:
    """The region of each record, 0, 1, …; regions hold at least k records if there are as many.

    `places[offsets[j] + r]` is where rank r of attribute j stands, on a scale on which all values are within
    a length of 1.
    """
    if _small_files.takes(len(ranks)):
        return plain_regions(ranks, places, offsets, k, relaxed)
    return compiled_regions(ranks, places, offsets, k, relaxed)


def plain_regions(
    ranks: np.ndarray, places: np.ndarray, offsets: np.ndarray, k: int, relaxed: bool
) -> np.ndarray:
    """The same without compiled code."""
    labels, label = np.empty(len(ranks), np.int64), 0
    waiting = [np.arange(len(ranks))]
    while waiting:
        rows = waiting.pop()
        goes_left = _plain_split(ranks[rows], places, offsets, k, relaxed) if len(rows) >= 2 * k else None
        if goes_left is None:
            labels[rows] = label
            label += 1
        else:
            waiting += [rows[~goes_left], rows[goes_left]]
    return labels


def _plain_split(
    V: np.ndarray, places: np.ndarray, offsets: np.ndarray, k: int, relaxed: bool
) -> np.ndarray | None:
    """Which records of a region go to the left; None where it cannot be cut."""
    m, missing = len(V), np.count_nonzero(V == MISSING_RANK, axis=0)
    high = V.max(axis=0)
    low = np.minimum(np.where(V == MISSING_RANK, np.iinfo(V.dtype).max, V).min(axis=0), high)
    widths = places[offsets + high] - places[offsets + low]
    widths[(missing >= k) & (m - missing >= k)] = FIRST_OF_ALL
    while True:
        j = int(np.argmax(widths))
        if widths[j] <= 0:
            return None
        if widths[j] == FIRST_OF_ALL:
            threshold, equal = MISSING_RANK, m
        else:
            threshold, equal = _plain_cut(V[:, j], k, relaxed)
        same = V[:, j] == threshold
        goes_left: np.ndarray = (V[:, j] < threshold) | (same & (np.cumsum(same) <= equal))
        if goes_left.any():
            return goes_left
        widths[j] = 0.0


def _plain_cut(column: np.ndarray, k: int, relaxed: bool) -> tuple[int, int]:
    """The rank up to which records go to the left, and how many that have it; −1 where no cut is allowed."""
    m = len(column)
    rank = int(np.partition(column, (m - 1) // 2)[(m - 1) // 2])
    below, after = int(np.count_nonzero(column < rank)), int(np.count_nonzero(column <= rank))
    if relaxed:
        return rank, m // 2 - below
    after_allowed, before_allowed = k <= after <= m - k, k <= below <= m - k
    if after_allowed and (not before_allowed or abs(2 * after - m) <= abs(2 * below - m)):
        return rank, after - below
    return (rank, 0) if before_allowed else (-1, 0)


@kernel
def compiled_regions(
    ranks: np.ndarray, places: np.ndarray, offsets: np.ndarray, k: int, relaxed: bool
) -> np.ndarray:
    """The same; records stay sorted by region all the time, so that every pass reads memory in order."""
    n, d = ranks.shape
    V, rows = ranks.copy(), np.arange(n)
    spare, spare_rows = np.empty_like(V), np.empty_like(rows)
    counts = np.zeros(V.max() + 2, np.int64)
    waiting = np.empty((n // k + 2, 2), np.int64)
    waiting[0, 0], waiting[0, 1] = 0, n
    top, label = 1, 0
    labels = np.empty(n, np.int64)
    low, high = np.empty(d, np.int64), np.empty(d, np.int64)
    widths, missing = np.empty(d), np.empty(d, np.int64)
    while top > 0:
        top -= 1
        a, b = waiting[top, 0], waiting[top, 1]
        middle = a
        if b - a >= 2 * k:
            _measure(V, a, b, low, high, missing)
            for j in range(d):
                apart = missing[j] >= k and b - a - missing[j] >= k
                offset = offsets[j]
                widths[j] = FIRST_OF_ALL if apart else places[offset + high[j]] - places[offset + low[j]]
            while middle == a:
                j = int(np.argmax(widths))
                if widths[j] <= 0:
                    break
                if widths[j] == FIRST_OF_ALL:
                    threshold, equal = MISSING_RANK, b - a
                elif relaxed:
                    threshold, equal = _half(V, a, b, j, low[j], high[j], counts)
                else:
                    threshold, equal = _cut(V, a, b, j, low[j], high[j], counts, k)
                if threshold >= 0:
                    middle = _split(V, rows, spare, spare_rows, a, b, j, threshold, equal)
                widths[j] = 0.0
        if middle == a:
            labels[rows[a:b]] = label
            label += 1
        else:
            waiting[top, 0], waiting[top, 1] = middle, b
            waiting[top + 1, 0], waiting[top + 1, 1] = a, middle
            top += 2
    return labels


@kernel
def _measure(V: np.ndarray, a: int, b: int, low: np.ndarray, high: np.ndarray, missing: np.ndarray) -> None:
    # the lowest and highest rank present, and how many are missing; both 0 where all are
    top = np.iinfo(np.int64).max
    low[:], high[:], missing[:] = top, MISSING_RANK, 0
    for i in range(a, b):
        for j in range(V.shape[1]):
            rank = V[i, j]
            if rank == MISSING_RANK:
                missing[j] += 1
                continue
            low[j] = min(low[j], rank)
            high[j] = max(high[j], rank)
    for j in range(V.shape[1]):
        if low[j] == top:
            low[j] = MISSING_RANK


@kernel
def _median(
    V: np.ndarray, a: int, b: int, j: int, low: int, high: int, counts: np.ndarray
) -> tuple[int, int, int]:
    # the lower median rank, how many records are below it, and how many have it
    m = b - a
    position = (m - 1) // 2
    if high - low > 2 * m + 64:
        column = np.sort(V[a:b, j].copy())
        rank = column[position]
        below = np.searchsorted(column, rank)
        return rank, below, np.searchsorted(column, rank, side="right") - below
    counts[MISSING_RANK] = 0
    counts[low : high + 1] = 0
    for i in range(a, b):
        counts[V[i, j]] += 1
    below, rank = 0, MISSING_RANK
    if counts[rank] <= position:
        below, rank = counts[rank], max(low, 1)
    while below + counts[rank] <= position:
        below += counts[rank]
        rank += 1
    return rank, below, counts[rank]


@kernel
def _cut(
    V: np.ndarray, a: int, b: int, j: int, low: int, high: int, counts: np.ndarray, k: int
) -> tuple[int, int]:
    # the cut nearest the middle, which is after the median or before it; if neither is allowed, none is
    rank, below, equal = _median(V, a, b, j, low, high, counts)
    m = b - a
    after = below + equal
    after_allowed, before_allowed = after >= k and m - after >= k, below >= k and m - below >= k
    if after_allowed and (not before_allowed or abs(2 * after - m) <= abs(2 * below - m)):
        return rank, equal
    if before_allowed:
        return rank, 0
    return -1, 0


@kernel
def _half(V: np.ndarray, a: int, b: int, j: int, low: int, high: int, counts: np.ndarray) -> tuple[int, int]:
    # half of the records on either side, whatever it takes of those that have the median
    rank, below, _ = _median(V, a, b, j, low, high, counts)
    return rank, (b - a) // 2 - below


@kernel
def _split(
    V: np.ndarray,
    rows: np.ndarray,
    spare: np.ndarray,
    spare_rows: np.ndarray,
    a: int,
    b: int,
    j: int,
    threshold: int,
    equal: int,
) -> int:
    # to the left go those below the threshold and the first `equal` that have it; the order is kept
    left, right = a, 0
    for i in range(a, b):
        goes_left = V[i, j] < threshold
        if V[i, j] == threshold and equal > 0:
            goes_left = True
            equal -= 1
        if goes_left:
            for c in range(V.shape[1]):
                V[left, c] = V[i, c]
            rows[left] = rows[i]
            left += 1
        else:
            for c in range(V.shape[1]):
                spare[right, c] = V[i, c]
            spare_rows[right] = rows[i]
            right += 1
    for i in range(right):
        for c in range(V.shape[1]):
            V[left + i, c] = spare[i, c]
        rows[left + i] = spare_rows[i]
    return left
