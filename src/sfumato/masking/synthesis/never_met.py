"""Pairs of values that nobody has though some people should by chance, which no swap may make."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sfumato.kernels.calibrating_swaps import Guard
from sfumato.masking.synthesis.columns import Column

EXPECTED = 3.0  # people that a pair which never occurs would have if its columns were unrelated
EXPECTED_ALONG = (
    5.0  # the same of neighbouring values of an ordered column, none of which ever occurs with another value
)


def guard_of(
    columns: Sequence[Column],
    related: Callable[[int, int], bool],
    bans: Mapping[tuple[int, int], np.ndarray],
) -> Guard:
    """Pairs of fine groups that never occur though some people would have them if columns were unrelated, or are banned."""
    d = len(columns)
    start, step = np.full((d, d), -1), np.zeros((d, d), np.int64)
    banned: list[np.ndarray] = []
    at = 0
    for j in range(d):
        for k in range(j + 1, d):
            if not related(j, k):
                continue
            never = _never(columns[j], columns[k])
            if (j, k) in bans:
                never |= bans[j, k]
            if never.any():
                start[[j, k], [k, j]] = at
                step[j, k], step[k, j] = never.shape[1], 1
                banned.append(never.ravel())
                at += never.size
    flat = np.concatenate(banned) if banned else np.empty(0, bool)
    return Guard(flat.astype(np.int8), start, step)


def _never(x: Column, y: Column) -> np.ndarray:
    """Which pairs of fine groups must not meet."""
    size = y.fine_groups
    counts = np.bincount(x.fine.astype(np.int64) * size + y.fine, minlength=x.fine_groups * size)
    counts = counts.reshape(x.fine_groups, size)
    expected = counts.sum(axis=1)[:, None] * counts.sum(axis=0)[None, :] / len(x.fine)
    never: np.ndarray = (counts == 0) & (expected >= EXPECTED)
    if y.ordered:
        never |= _empty_along(counts, expected)
    if x.ordered:
        never |= _empty_along(counts.T, expected.T).T
    return never


def _empty_along(counts: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Which cells lie in a row of empty neighbours that would hold some people together."""
    empty = counts == 0
    new = np.ones(empty.shape, bool)
    new[:, 1:] = empty[:, 1:] != empty[:, :-1]
    run = np.cumsum(new.ravel()) - 1
    together = np.bincount(run, expected.ravel())[run].reshape(empty.shape)
    found: np.ndarray = empty & (together >= EXPECTED_ALONG)
    return found
