"""Sets of key attributes in which records are rare, whatever a missing value is like."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.rare_combinations import rare_combinations

RareSet = tuple[tuple[int, ...], np.ndarray]
"""The places of some attributes, and the records that are rare in all of them together and in no part of them."""


def rare_sets(
    masked: Table, names: tuple[str, ...], *, k: int, largest: int, matches_any: bool
) -> Iterator[RareSet]:
    """Sets of at most so many attributes, smaller ones first, with the records that are rare in them minimally.

    A record is rare where fewer than k records are like it. A missing value is a value like others, and so is each
    code declared for one, or it matches any.
    """
    if not matches_any:
        return rare_combinations([_shown_codes(masked, name) for name in names], k, largest)
    holes = np.column_stack([masked.missing(name) for name in names])
    if not holes.any():
        return rare_combinations([distinct([masked[name]]).labels for name in names], k, largest)
    return _with_wildcards([masked[name] for name in names], holes, k, largest)


def _shown_codes(masked: Table, name: str) -> np.ndarray:
    values, reasons = masked[name], masked.reasons(name)
    if masked.schema[name].is_numeric or reasons is not None:
        return distinct(masked.shown([name])).labels
    return values.astype(np.int32) + 1


def _with_wildcards(columns: list[np.ndarray], holes: np.ndarray, k: int, largest: int) -> Iterator[RareSet]:
    """The same by counting, for each pattern of missing cells, the records of every other that it is compatible with.

    That a record is rare does not say so of those it is compatible with, so that all count for every set.
    """
    codes = np.column_stack([distinct([column]).labels for column in columns])
    rare: dict[tuple[int, ...], np.ndarray] = {(): np.zeros(len(codes), np.bool_)}
    for size in range(1, min(largest, len(columns)) + 1):
        level: dict[tuple[int, ...], np.ndarray] = {}
        for names in combinations(range(len(columns)), size):
            covered = np.any([rare[part] for part in combinations(names, size - 1)], axis=0)
            counts = _compatible_counts(codes[:, names], holes[:, names])
            fresh = np.flatnonzero((counts < k) & ~covered)
            if len(fresh):
                yield names, fresh
            level[names] = covered | (counts < k)
        rare = level


def _compatible_counts(codes: np.ndarray, holes: np.ndarray) -> np.ndarray:
    """How many records equal each one wherever neither has a missing value."""
    patterns = distinct([*holes.T])
    groups = [np.flatnonzero(patterns.labels == g) for g in range(len(patterns.first))]
    counts = np.zeros(len(codes), np.int64)
    for here in groups:
        for there in groups:
            shared = np.flatnonzero(~holes[here[0]] & ~holes[there[0]])
            rows = np.concatenate([here, there])
            same = distinct([codes[rows, j] for j in shared]).labels if len(shared) else np.zeros_like(rows)
            counts[here] += np.bincount(same[len(here) :], minlength=same.max() + 1)[same[: len(here)]]
    return counts
