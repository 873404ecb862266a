"""Rare combinations: the smallest sets of attributes in which a record is like fewer than k records.

A record that is rare in some attributes is rare in more of them, and so are all that it is like there: they are left
out when larger sets are counted. So a set only has to be counted among records that are rare in none of its parts.
Counting is by combined codes, in a dense array where the domain is small and in a hash table elsewhere.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.distinct_records import distinct

LARGEST_KEY = 2**62
DENSE = 16  # codes below so many times the number of records are counted in an array
LEAST_DENSE = 1024
LARGEST_SMALL = 127  # of two numbers up to this, the sum is a small one too
SPREAD = np.uint64(0x9E3779B97F4A7C15)


def rare_combinations(
    columns: Sequence[np.ndarray], k: int, largest: int
) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """Sets of at most so many columns, smaller ones first, with the records that are rare in them minimally.

    A record is listed with a set if fewer than k records are like it there, and at least k in every smaller part of
    the set. Columns are codes from 0 on, as `distinct` labels them. Sets without such records are left out.

    >>> town, trade = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    >>> [(names, rows.tolist()) for names, rows in rare_combinations([town, trade], 2, 2)]
    [((1,), [0]), ((0, 1), [1])]
    """
    found = distinct(columns)
    files = _Prefixes([np.asarray(column)[found.first].astype(np.int32) for column in columns])
    members = _Members(found.labels, found.counts, k)
    small = np.uint8 if k <= LARGEST_SMALL else np.int64
    counts = np.minimum(found.counts, k).astype(small)
    rare: dict[tuple[int, ...], np.ndarray] = {(): np.zeros(len(counts), np.bool_)}
    for size in range(1, min(largest, len(columns)) + 1):
        level: dict[tuple[int, ...], np.ndarray] = {}
        for names in combinations(range(len(columns)), size):
            covered = _either([rare[part] for part in combinations(names, size - 1)])
            fresh = files.rare_rows(names, covered, counts, k)
            if len(fresh):
                yield names, members.of(fresh)
                covered[fresh] = True
            level[names] = covered
        rare = level


class _Prefixes:
    """Combined codes of the first columns of a set, kept for the sets that follow and begin with the same ones."""

    def __init__(self, codes: list[np.ndarray]) -> None:
        self.codes = codes
        self.sizes = [int(column.max(initial=0)) + 1 for column in codes]
        self.stack: list[tuple[int, np.ndarray, int]] = [(-1, np.zeros(len(codes[0]), np.int64), 1)]

    def rare_rows(
        self, names: tuple[int, ...], covered: np.ndarray, counts: np.ndarray, k: int
    ) -> np.ndarray:
        """The rows not covered that are like fewer than k records in the named columns, among those not covered."""
        if not np.any((counts < k) > covered):
            return np.empty(0, np.int64)
        left = int(np.count_nonzero(~covered))
        key, size = self._prefix(names[:-1])
        last, width = self.codes[names[-1]], self.sizes[names[-1]]
        if size * width >= LARGEST_KEY:
            key, size = _ranks(key)
        if size * width <= DENSE * left + LEAST_DENSE:
            total = np.zeros(size * width, counts.dtype)
            return _below(key, width, last, covered, counts, total, k)
        rows = np.flatnonzero(~covered)
        ranks, number = _ranks(key[rows] * width + last[rows])
        total, nothing = np.zeros(number, counts.dtype), np.zeros(len(rows), np.int32)
        found: np.ndarray = rows[_below(ranks, 1, nothing, covered[rows], counts[rows], total, k)]
        return found

    def _prefix(self, names: tuple[int, ...]) -> tuple[np.ndarray, int]:
        held = [name for name, _, _ in self.stack[1:]]
        shared = 0
        while shared < min(len(held), len(names)) and held[shared] == names[shared]:
            shared += 1
        del self.stack[1 + shared :]
        for name in names[shared:]:
            _, key, size = self.stack[-1]
            if size * self.sizes[name] >= LARGEST_KEY:
                key, size = _ranks(key)
            self.stack.append((name, key * self.sizes[name] + self.codes[name], size * self.sizes[name]))
        return self.stack[-1][1:]


class _Members:
    """Which records each distinct one stands for, where they are fewer than k."""

    def __init__(self, labels: np.ndarray, counts: np.ndarray, k: int) -> None:
        few = np.flatnonzero((counts < k)[labels])
        self.records = few[np.argsort(labels[few], kind="stable")]
        self.starts = np.concatenate([[0], np.cumsum(np.where(counts < k, counts, 0))])

    def of(self, chosen: np.ndarray) -> np.ndarray:
        """The records of some distinct ones, in the order of records."""
        starts, ends = self.starts[chosen], self.starts[chosen + 1]
        lengths = ends - starts
        offsets = np.repeat(starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        return np.sort(self.records[offsets + np.arange(int(lengths.sum()))])


def _either(marks: list[np.ndarray]) -> np.ndarray:
    either: np.ndarray = marks[0].copy()
    for one in marks[1:]:
        either |= one
    return either


@kernel
def _below(
    prefix: np.ndarray,
    width: int,
    last: np.ndarray,
    covered: np.ndarray,
    counts: np.ndarray,
    total: np.ndarray,
    k: int,
) -> np.ndarray:
    """The rows not covered whose key, prefix · width + last, is that of fewer than k records; k or more are as k."""
    for i in range(len(prefix)):
        if not covered[i]:
            key = prefix[i] * width + last[i]
            total[key] = min(k, total[key] + counts[i])
    rare = np.empty(len(prefix), np.int64)
    number = 0
    for i in range(len(prefix)):
        if not covered[i] and total[prefix[i] * width + last[i]] < k:
            rare[number] = i
            number += 1
    return rare[:number].copy()


@kernel
def _ranks(key: np.ndarray) -> tuple[np.ndarray, int]:
    """Each key as the number of its first occurrence among different ones, and how many there are."""
    slots = 16
    while slots < 2 * len(key):
        slots *= 2
    shift = np.uint64(64)
    width = slots
    while width > 1:
        shift -= np.uint64(1)
        width //= 2
    table, place = np.empty(slots, np.int64), np.full(slots, -1, np.int32)
    ranks, number = np.empty(len(key), np.int64), 0
    for i in range(len(key)):
        at = np.int64((np.uint64(key[i]) * SPREAD) >> shift)
        while place[at] >= 0 and table[at] != key[i]:
            at = (at + 1) & (slots - 1)
        if place[at] < 0:
            table[at], place[at] = key[i], number
            number += 1
        ranks[i] = place[at]
    return ranks, number
