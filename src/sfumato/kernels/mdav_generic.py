"""MDAV on records of numbers and categories, by plain scans of the records left.

Z holds numbers (NaN for missing) and C codes (−1 for missing). `steps[j]` is what one step between ordinal
categories is worth, and 0 for a nominal attribute, where any difference is worth 1; so is a difference between
a value and a missing one. The distance of two records is the sum of the squares of these.
"""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def mdav_generic_groups(
    Z: np.ndarray, C: np.ndarray, steps: np.ndarray, sizes: np.ndarray, k: int
) -> np.ndarray:
    """Group label of each record; ties are broken by row number."""
    n = len(Z)
    labels = np.full(n, -1)
    left = np.arange(n)
    sums, present = np.zeros(Z.shape[1]), np.zeros(Z.shape[1])
    counts = np.zeros((C.shape[1], max(1, sizes.max() if len(sizes) else 1)), np.int64)
    for i in range(n):
        _count(Z[i], C[i], sums, present, counts, 1)
    z, c = np.empty(Z.shape[1]), np.empty(C.shape[1], C.dtype)
    near, apart = np.empty(k, np.int64), np.empty(k)
    m, group = n, 0
    while m >= 2 * k:
        pair = m >= 3 * k
        _average(sums, present, counts, steps, z, c)
        r = _farthest(Z, C, steps, left, m, z, c)
        for turn in range(2 if pair else 1):
            centre = r if turn == 0 else _farthest(Z, C, steps, left, m, Z[r], C[r])
            _nearest(Z, C, steps, left, m, Z[centre], C[centre], near, apart)
            for i in near:
                labels[i] = group
                _count(Z[i], C[i], sums, present, counts, -1)
            group += 1
            m = _leave(labels, left, m)
    labels[left[:m]] = group
    return labels


@kernel
def _count(
    z: np.ndarray, c: np.ndarray, sums: np.ndarray, present: np.ndarray, counts: np.ndarray, sign: int
) -> None:
    for j in range(len(z)):
        if not np.isnan(z[j]):
            sums[j] += sign * z[j]
            present[j] += sign
    for j in range(len(c)):
        if c[j] >= 0:
            counts[j, c[j]] += sign


@kernel
def _average(
    sums: np.ndarray, present: np.ndarray, counts: np.ndarray, steps: np.ndarray, z: np.ndarray, c: np.ndarray
) -> None:
    # means, lower medians and modes of the values present
    for j in range(len(z)):
        z[j] = sums[j] / present[j] if present[j] > 0 else np.nan
    for j in range(len(c)):
        total = counts[j].sum()
        if total == 0:
            c[j] = -1
        elif steps[j] == 0:
            c[j] = np.argmax(counts[j])
        else:
            code, upto = 0, counts[j, 0]
            while 2 * upto < total:
                code += 1
                upto += counts[j, code]
            c[j] = code


@kernel
def _distance(Z: np.ndarray, C: np.ndarray, steps: np.ndarray, i: int, z: np.ndarray, c: np.ndarray) -> float:
    total = 0.0
    for j in range(len(z)):
        difference = Z[i, j] - z[j]
        if not np.isnan(difference):
            total += difference * difference
        elif np.isnan(Z[i, j]) != np.isnan(z[j]):
            total += 1.0
    for j in range(len(c)):
        a, b = C[i, j], c[j]
        if a != b:
            if steps[j] == 0 or a < 0 or b < 0:
                total += 1.0
            else:
                total += ((a - b) * steps[j]) ** 2
    return total


@kernel
def _farthest(
    Z: np.ndarray, C: np.ndarray, steps: np.ndarray, left: np.ndarray, m: int, z: np.ndarray, c: np.ndarray
) -> int:
    best, far = left[0], -1.0
    for position in range(m):
        distance = _distance(Z, C, steps, left[position], z, c)
        if distance > far:
            best, far = left[position], distance
    return best


@kernel
def _nearest(
    Z: np.ndarray,
    C: np.ndarray,
    steps: np.ndarray,
    left: np.ndarray,
    m: int,
    z: np.ndarray,
    c: np.ndarray,
    near: np.ndarray,
    apart: np.ndarray,
) -> None:
    k = len(near)
    apart[:] = np.inf
    for position in range(m):
        distance = _distance(Z, C, steps, left[position], z, c)
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
