"""MDAV on records of numbers and categories, by plain scans of the records left.

Z holds numbers (NaN for missing) and C codes (−1 for missing). `steps[j]` is what one step between ordinal
categories is worth, and 0 for a nominal attribute, where any difference is worth 1; so is a difference between
a value and a missing one. The distance of two records is the sum of the squares of these.

Each scan compares all records with one. What its codes are apart from any others is tabled first, so that the
scan only looks up: the cell of a code is offset of the attribute + code + 1.
"""

import numpy as np

from sfumato.kernels._compile import INT64, kernel
from sfumato.kernels._small_files import SmallFiles

_small_files = SmallFiles()


def mdav_generic_groups(
    Z: np.ndarray, C: np.ndarray, steps: np.ndarray, sizes: np.ndarray, k: int
) -> np.ndarray:
    """Group label of each record; ties are broken by row number."""
    if _small_files.takes(len(Z)):
        return plain_labels(Z, C, steps, sizes, k)
    return compiled_labels(Z, C, steps, sizes, k)


def plain_labels(Z: np.ndarray, C: np.ndarray, steps: np.ndarray, sizes: np.ndarray, k: int) -> np.ndarray:
    """The same without compiled code; sums run in the same order, so that ties are the same."""
    labels, left, group = np.empty(len(Z), np.int64), np.arange(len(Z)), 0
    sums = np.cumsum(np.where(np.isnan(Z), 0.0, Z), axis=0)[-1]
    distances: np.ndarray | None = None  # to the record whose opposite comes next
    while len(left) >= 2 * k:
        if distances is None:
            z, c = sums / _present(Z[left]), _plain_middles(C[left], steps, sizes)
            is_pair = len(left) >= 3 * k
            centre = left[np.argmax(_plain_distances(Z[left], C[left], steps, z, c))]
        else:
            is_pair, centre = False, left[np.argmax(distances)]
        distances = _plain_distances(Z[left], C[left], steps, Z[centre], C[centre])
        near = np.argsort(distances, kind="stable")[:k]
        gone = Z[left[near]]
        sums = np.subtract.reduce(np.vstack([sums, np.where(np.isnan(gone), 0.0, gone)]))
        labels[left[near]] = group
        group += 1
        left, distances = np.delete(left, near), np.delete(distances, near) if is_pair else None
    labels[left] = group
    return labels


def _present(Z: np.ndarray) -> np.ndarray:
    """How many values each column has; NaN for none, so that there is no mean either."""
    present = np.count_nonzero(~np.isnan(Z), axis=0).astype(float)
    return np.where(present > 0, present, np.nan)


def _plain_middles(C: np.ndarray, steps: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Lower medians of ordinal codes, modes of nominal ones; −1 where all are missing."""
    middles = np.full(C.shape[1], -1)
    for j in range(C.shape[1]):
        counts = np.bincount(C[:, j] + 1, minlength=sizes[j] + 1)[1:]
        if counts.any():
            is_middle = counts == counts.max() if steps[j] == 0 else 2 * np.cumsum(counts) >= counts.sum()
            middles[j] = np.argmax(is_middle)
    return middles


def _plain_distances(
    Z: np.ndarray, C: np.ndarray, steps: np.ndarray, z: np.ndarray, c: np.ndarray
) -> np.ndarray:
    """The distance of each record to one, summed over the attributes in order."""
    apart = (Z - z) ** 2
    missing = np.isnan(apart)
    apart[missing] = (np.isnan(Z) != np.isnan(z))[missing]
    stepped = ((C - c) * steps) ** 2
    of_codes = np.where((steps == 0) | (C < 0) | (c < 0), 1.0, stepped)
    of_codes[c == C] = 0.0
    summed: np.ndarray = np.add.accumulate(np.hstack([apart, of_codes]), axis=1)[:, -1]
    return summed


@kernel
def compiled_labels(Z: np.ndarray, C: np.ndarray, steps: np.ndarray, sizes: np.ndarray, k: int) -> np.ndarray:
    """The same, compiled."""
    n = len(Z)
    offsets = np.zeros(C.shape[1] + 1, np.int64)
    for j in range(C.shape[1]):  # an array copied into another one takes seconds to compile
        offsets[j + 1] = offsets[j] + sizes[j] + 1
    cells = C + (offsets[:-1] + 1)
    squares, counts = np.empty(offsets[-1]), np.zeros(offsets[-1], np.int64)
    sums, present = np.zeros(Z.shape[1]), np.zeros(Z.shape[1])
    for i in range(n):
        _count(Z[i], cells[i], sums, present, counts, INT64(1))
    labels, left = np.full(n, -1), np.arange(n)
    z, c = np.empty(Z.shape[1]), np.empty(C.shape[1], C.dtype)
    near, apart = np.empty(k, np.int64), np.empty(k)
    m, group = n, 0
    while m >= 2 * k:
        pair = m >= 3 * k
        _average(sums, present, counts, offsets, steps, z, c)
        _table(c, steps, offsets, squares)
        r = _farthest(Z, cells, squares, left, m, z)
        for turn in range(2 if pair else 1):
            _table(C[r], steps, offsets, squares)
            centre = r
            if turn == 1:
                centre = _farthest(Z, cells, squares, left, m, Z[r])
                _table(C[centre], steps, offsets, squares)
            _nearest(Z, cells, squares, left, m, Z[centre], near, apart)
            for member in near:
                labels[member] = group
                _count(Z[member], cells[member], sums, present, counts, INT64(-1))
            group += 1
            m = _leave(labels, left, m)
    labels[left[:m]] = group
    return labels


@kernel
def _count(
    z: np.ndarray, cells: np.ndarray, sums: np.ndarray, present: np.ndarray, counts: np.ndarray, sign: int
) -> None:
    for j in range(len(z)):
        if not np.isnan(z[j]):
            sums[j] += sign * z[j]
            present[j] += sign
    for cell in cells:
        counts[cell] += sign


@kernel
def _average(
    sums: np.ndarray,
    present: np.ndarray,
    counts: np.ndarray,
    offsets: np.ndarray,
    steps: np.ndarray,
    z: np.ndarray,
    c: np.ndarray,
) -> None:
    # means, lower medians and modes of the values present
    for j in range(len(z)):
        z[j] = sums[j] / present[j] if present[j] > 0 else np.nan
    for j in range(len(c)):
        of_code = counts[offsets[j] + 1 : offsets[j + 1]]
        total = of_code.sum()
        if total == 0:
            c[j] = -1
        elif steps[j] == 0:
            c[j] = np.argmax(of_code)
        else:
            code, upto = 0, of_code[0]
            while 2 * upto < total:
                code += 1
                upto += of_code[code]
            c[j] = code


@kernel
def _table(c: np.ndarray, steps: np.ndarray, offsets: np.ndarray, squares: np.ndarray) -> None:
    for j in range(len(c)):
        for cell in range(offsets[j], offsets[j + 1]):
            code = cell - offsets[j] - 1
            if code == c[j]:
                squares[cell] = 0.0
            elif steps[j] == 0 or code < 0 or c[j] < 0:
                squares[cell] = 1.0
            else:
                squares[cell] = ((code - c[j]) * steps[j]) * ((code - c[j]) * steps[j])


@kernel
def _distance(Z: np.ndarray, cells: np.ndarray, squares: np.ndarray, i: int, z: np.ndarray) -> float:
    total = 0.0
    for j in range(len(z)):
        difference = Z[i, j] - z[j]
        if not np.isnan(difference):
            total += difference * difference
        elif np.isnan(Z[i, j]) != np.isnan(z[j]):
            total += 1.0
    for j in range(cells.shape[1]):
        total += squares[cells[i, j]]
    return total


@kernel
def _farthest(
    Z: np.ndarray, cells: np.ndarray, squares: np.ndarray, left: np.ndarray, m: int, z: np.ndarray
) -> int:
    best, far = 0, -1.0
    for position in range(m):
        distance = _distance(Z, cells, squares, left[position], z)
        if distance > far:
            best, far = position, distance
    return int(left[best])


@kernel
def _nearest(
    Z: np.ndarray,
    cells: np.ndarray,
    squares: np.ndarray,
    left: np.ndarray,
    m: int,
    z: np.ndarray,
    near: np.ndarray,
    apart: np.ndarray,
) -> None:
    k = len(near)
    apart[:] = np.inf
    for position in range(m):
        distance = _distance(Z, cells, squares, left[position], z)
        if distance < apart[k - 1]:
            at = k - 1
            while at > 0 and apart[at - 1] > distance:
                apart[at], near[at] = apart[at - 1], near[at - 1]
                at -= 1
            apart[at], near[at] = distance, left[position]


@kernel
def _leave(labels: np.ndarray, left: np.ndarray, m: int) -> int:
    kept = 0
    for position in range(m):
        if labels[left[position]] < 0:
            left[kept] = left[position]
            kept += 1
    return kept
