"""Noised counts of one column made counts that can be: not negative, as many as there are records, smooth where it helps."""

import numpy as np

from sfumato.masking.synthesis.groups import grouped
from sfumato.masking.synthesis.public_cells import PublicCells

SURELY = 3.0  # standard deviations above which an empty cell is believed
RARE = 4.0  # standard deviations of the noise of tables below which a category shares its group


def margin(cells: PublicCells, noised: np.ndarray, sigma: int, n: int) -> np.ndarray:
    """The counts nearest to noised ones that are not negative and add up to n."""
    counts = noised.astype(float)
    if cells.size > 1 and counts[0] < SURELY * sigma:
        counts[0] = -np.inf  # else some values would be missing in every file
    smooth = cells.smooth
    if len(smooth) > 1:
        counts[smooth] = without_noise(counts[smooth], sigma)
    return nearest_shares(counts, n)


def nearest_shares(counts: np.ndarray, n: float) -> np.ndarray:
    """The nearest point, by squares, that has no negative part and adds up to n: all fall by one amount, down to 0.

    >>> nearest_shares(np.array([5.0, 4.0, -3.0]), 6).tolist()
    [3.5, 2.5, 0.0]
    """
    ordered = np.sort(counts[np.isfinite(counts)])[::-1]
    falls = (np.cumsum(ordered) - n) / np.arange(1, len(ordered) + 1)
    last = np.flatnonzero(ordered > falls)[-1]
    found: np.ndarray = np.maximum(counts - falls[last], 0.0)
    return found


def without_noise(counts: np.ndarray, sigma: float) -> np.ndarray:
    """Counts of neighbouring cells without the differences that noise alone would make: small Haar coefficients are 0.

    Source: Donoho & Johnstone (1994), ideal spatial adaptation by wavelet shrinkage.
    """
    size = 1 << max(int(np.ceil(np.log2(len(counts)))), 0)
    level = np.concatenate([counts, np.full(size - len(counts), counts[-1])])
    least = sigma * np.sqrt(2.0 * np.log(size))
    details = []
    while len(level) > 1:
        first, second = level[::2], level[1::2]
        detail = (first - second) / np.sqrt(2.0)
        details.append(np.where(np.abs(detail) > least, detail, 0.0))
        level = (first + second) / np.sqrt(2.0)
    for detail in reversed(details):
        both = np.empty(2 * len(level))
        both[::2], both[1::2] = (level + detail) / np.sqrt(2.0), (level - detail) / np.sqrt(2.0)
        level = both
    return level[: len(counts)]


def groups_of(cells: PublicCells, counts: np.ndarray, sigma: float, most: int) -> np.ndarray:
    """The group of each cell in tables of several columns, from 0.

    Missing codes are groups of their own. Neighbouring intervals, and neighbouring ordered categories, are joined to
    about `most` groups of as many people; nominal categories that few people have are one group together.
    """
    missing, values = counts[: cells.missing] > 0, counts[cells.missing :]
    if cells.attribute.scale == "nominal":
        rare = values < RARE * sigma
        found = np.where(rare, 0, np.cumsum(~rare) - (0 if rare.any() else 1))
    else:
        found = grouped(values, most) if values.sum() > 0 else np.zeros(len(values), np.int64)
    own = np.where(
        missing, np.cumsum(missing) - 1, missing.sum()
    )  # a code that nobody has is with the first value
    return np.concatenate([own, missing.sum() + found])
