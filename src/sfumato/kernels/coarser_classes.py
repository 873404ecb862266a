"""Classes of equal records rolled up into coarser ones: counts are added, and no record is looked at again."""

import numpy as np

from sfumato.kernels._compile import kernel

NONE = -1
DENSE = 4  # keys below so many times the number of classes are numbered by a table, not by a hash


@kernel
def class_keys(
    rows: np.ndarray, states: np.ndarray, columns: np.ndarray, to: np.ndarray, offsets: np.ndarray
) -> np.ndarray:
    """One number for each class: Σ_j strides_j · (what state the j-th of the columns has at its level).

    A class is shown by a row of `states`. The states of `columns[0, j]` become those in `to` from `offsets[j]` on;
    `columns[1, j]` is the stride. Keys are equal only where all states are, if strides leave room for them.
    """
    keys = np.zeros(len(rows), np.int64)
    for i in range(len(rows)):
        row, key = rows[i], 0
        for j in range(len(offsets)):
            key += columns[1, j] * to[offsets[j] + states[row, columns[0, j]]]
        keys[i] = key
    return keys


@kernel
def numbered(keys: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Equal keys get equal numbers, in the order in which they first come, and where that is; keys are below `size`."""
    labels = np.empty(len(keys), np.int32)
    first = np.empty(len(keys), np.int32)
    slots = 16
    while slots < 2 * len(keys):
        slots *= 2
    dense = size <= DENSE * len(keys)
    at = np.full(size if dense else slots, NONE, np.int32)
    found = 0
    for i in range(len(keys)):
        slot = keys[i]
        if not dense:
            # multiplied by an odd number, so that neighbouring keys do not cluster
            slot = ((keys[i] * 0x9E3779B97F4A7C1) >> 20) & (slots - 1)
            while at[slot] != NONE and keys[first[at[slot]]] != keys[i]:
                slot = (slot + 1) & (slots - 1)
        if at[slot] == NONE:
            at[slot] = found
            first[found] = i
            found += 1
        labels[i] = at[slot]
    return labels, first[:found].copy()


@kernel
def added_up(labels: np.ndarray, amounts: np.ndarray, number: int) -> np.ndarray:
    """The sums of rows of whole amounts that have the same label."""
    sums = np.zeros((number, amounts.shape[1]), np.int64)
    for i in range(len(labels)):
        for a in range(amounts.shape[1]):
            sums[labels[i], a] += amounts[i, a]
    return sums


@kernel
def coarser_values(values: np.ndarray, labels: np.ndarray, number: int, width: int) -> np.ndarray:
    """How often each value occurs in each coarser class: rows of class, value and count, sorted by both.

    `values` are such rows of finer classes, `labels` say which coarser one each of these is in; values are below
    `width`. Two stable sorts by counting, of values and then of classes.
    """
    order = np.empty(len(values), np.int64)
    ends = np.zeros(width + 1, np.int64)
    for i in range(len(values)):
        ends[values[i, 1] + 1] += 1
    ends = np.cumsum(ends)
    for i in range(len(values)):
        order[ends[values[i, 1]]] = i
        ends[values[i, 1]] += 1
    starts = np.zeros(number + 1, np.int64)
    for i in range(len(values)):
        starts[labels[values[i, 0]] + 1] += 1
    starts = np.cumsum(starts)
    found = np.empty(values.shape, np.int64)
    for place in range(len(order)):
        i = order[place]
        label = labels[values[i, 0]]
        found[starts[label], 0] = label
        found[starts[label], 1] = values[i, 1]
        found[starts[label], 2] = values[i, 2]
        starts[label] += 1
    last = 0
    for i in range(1, len(found)):
        if found[i, 0] == found[last, 0] and found[i, 1] == found[last, 1]:
            found[last, 2] += found[i, 2]
        else:
            last += 1
            found[last] = found[i]
    return found[: min(last + 1, len(found))].copy()


@kernel
def earth_moved(
    values: np.ndarray, sizes: np.ndarray, ends: np.ndarray, upto: np.ndarray, ordered: bool
) -> np.ndarray:
    """The earth mover's distance of the values in each class from those of all records they are compared with.

    `values` are rows of class, value and count, sorted; `sizes` how many values each class has. The values that a
    class is compared with lie from `ends[class, 0]` up to `ends[class, 1]`, and `upto` counts all up to each.
    A class without values is at distance 0.
    """
    moved = np.zeros(len(sizes))
    running = np.zeros(len(upto) + 1, np.int64)
    for j in range(len(upto)):  # an array copied into another one takes seconds to compile
        running[j + 1] = running[j] + upto[j]
    i = 0
    while i < len(values):
        c = values[i, 0]
        start, end = ends[c, 0], ends[c, 1]
        n, place, level, total = upto[end - 1], start, 0, 0.0
        while i < len(values) and values[i, 0] == c:
            value, count = values[i, 1], values[i, 2]
            if ordered:
                total += _stretch(upto, running, place, value, level / sizes[c], n)
                place = value
            else:
                here = upto[value] - (upto[value - 1] if value > start else 0)
                total += max(count / sizes[c] - here / n, 0.0)
            level += count
            i += 1
        if ordered:
            total += _stretch(upto, running, place, end, 1.0, n)
            total /= max(end - start - 1, 1)
        moved[c] = total
    return moved


@kernel
def _stretch(upto: np.ndarray, running: np.ndarray, start: int, end: int, level: float, n: int) -> float:
    """Σ_(start ≤ i < end) |level − upto_i / n|, on both sides of the place where the share passes the level."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if upto[middle] < level * n:
            low = middle + 1
        else:
            high = middle
    under = level * (low - start) - (running[low] - running[start]) / n
    over = (running[end] - running[low]) / n - level * (end - low)
    return float(under + over)
