"""How the values of a sensitive attribute are distributed in a whole file, and how far a class is from that."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from sfumato.data import Scale
from sfumato.data.blocks import Blocks
from sfumato.large.judging.database import Database
from sfumato.large.judging.ranks import rank


class ClassValues(NamedTuple):
    """Values that occur in a class, by class and value: their places in the file, and how often they occur.

    `sizes` count all values of the class, `upto` those up to and with this one; `previous` is the place of
    the value before it, or 0.
    """

    places: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray
    upto: np.ndarray
    previous: np.ndarray


class Distribution(NamedTuple):
    """The values of a file in order, and how many lie below each; the number of all comes last.

    `running` are the running sums of these numbers. Arrays as long as the file has values are mapped.
    """

    scale: Scale
    values: np.ndarray
    below: np.ndarray
    running: np.ndarray

    def places(self, values: np.ndarray) -> np.ndarray:
        """Where values stand in the order."""
        places: np.ndarray = np.searchsorted(self.values, values)
        return places

    def distances(self, found: ClassValues) -> np.ndarray:
        """What each value adds to the earth mover's distance of its class from the file."""
        if len(self.values) < 2:
            return np.zeros(len(found.places))
        if self.scale == "nominal":
            share = (self.below[found.places + 1] - self.below[found.places]) / self.below[-1]
            above: np.ndarray = np.maximum(found.counts / found.sizes - share, 0.0)
            return above
        # from the value before up to this one, the class has risen to the level of the value before
        level, end = (found.upto - found.counts) / found.sizes, np.full_like(found.places, len(self.values))
        stretch = self._stretch(found.previous, found.places, level)
        rest = self._stretch(found.places, end, np.ones(len(level)))
        added: np.ndarray = stretch + np.where(found.upto == found.sizes, rest, 0.0)
        return added / (len(self.values) - 1)

    def _stretch(self, start: np.ndarray, end: np.ndarray, level: np.ndarray) -> np.ndarray:
        """Σ_(start ≤ i < end) |level − F_i|, on both sides of the place where the share F of the file passes it."""
        n = self.below[-1]
        passes = np.clip(np.searchsorted(self.below[1:], np.ceil(level * n).astype(np.int64)), start, end)
        under = level * (passes - start) - (self.running[passes] - self.running[start]) / n
        over = (self.running[end] - self.running[passes]) / n - level * (end - passes)
        total: np.ndarray = under + over
        return total


def distribution(blocks: Blocks, name: str, folder: Path, database: Database) -> Distribution:
    """The distribution of a column, missing values left out; that of numbers is written into the folder."""
    attribute = blocks.schema[name]
    if not attribute.is_numeric:
        counts = np.zeros(attribute.domain_size, np.int64)
        for table in blocks.tables([name]):
            counts += np.bincount(table[name][table[name] >= 0], minlength=len(counts))
        below = np.append(0, np.cumsum(counts))
        return Distribution(attribute.scale, np.arange(len(counts)), below, np.cumsum(below))
    ranked = rank(blocks, name, folder, database).yardstick()
    running = np.memmap(folder / "running", np.int64, "w+", shape=ranked.below.shape)
    np.cumsum(ranked.below, out=running)
    return Distribution(attribute.scale, ranked.distinct, ranked.below, running)
