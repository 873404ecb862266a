"""How the values of a sensitive attribute are distributed in a whole file, and how far a class is from that."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.attacks.linkage.intervals import interval_scale
from sfumato.data import Scale, Table
from sfumato.data.blocks import Blocks
from sfumato.measures.statistics.database import Database
from sfumato.measures.statistics.ranks import rank

if TYPE_CHECKING:
    from sfumato.measures.statistics.class_values import ClassValues


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
        return np.searchsorted(self.values, values)

    def distances(self, found: "ClassValues") -> np.ndarray:
        """What each value adds to the earth mover's distance of its class from the file."""
        places, sizes = self.places(found.values), found.sizes
        if len(self.values) < 2:
            return np.zeros(len(places))
        if self.scale == "nominal":
            share = (self.below[places + 1] - self.below[places]) / self.below[-1]
            above: np.ndarray = np.maximum(found.counts / sizes - share, 0.0)
            return above
        # from the value before up to this one, the class has risen to the level of the value before
        upto = found.upto
        before = np.append(self.places(np.array([found.last])), places[:-1])
        level, end = (upto - found.counts) / sizes, np.full_like(places, len(self.values))
        stretch = self._stretch(np.where(upto == found.counts, 0, before), places, level)
        rest = self._stretch(places, end, np.ones(len(level)))
        added: np.ndarray = stretch + np.where(upto == sizes, rest, 0.0)
        return added / (len(self.values) - 1)

    def _stretch(self, start: np.ndarray, end: np.ndarray, level: np.ndarray) -> np.ndarray:
        """Σ_(start ≤ i < end) |level − F_i|, on both sides of the place where the share F of the file passes it."""
        n = self.below[-1]
        passes = np.clip(np.searchsorted(self.below[1:], np.ceil(level * n).astype(np.int64)), start, end)
        under = level * (passes - start) - (self.running[passes] - self.running[start]) / n
        over = (self.running[end] - self.running[passes]) / n - level * (end - passes)
        total: np.ndarray = under + over
        return total


def distribution(
    source: Table | Blocks, name: str, folder: Path | None = None, database: Database | None = None
) -> Distribution:
    """The distribution of a column, without missing values; that of numbers in blocks is written into the folder."""
    attribute = source.schema[name]
    if not attribute.is_numeric:
        counts = np.zeros(attribute.domain_size, np.int64)
        for table in [source] if isinstance(source, Table) else source.tables([name]):
            counts += np.bincount(table[name][table[name] >= 0], minlength=len(counts))
        below = np.append(0, np.cumsum(counts))
        return Distribution(attribute.scale, np.arange(len(counts)), below, np.cumsum(below))
    if isinstance(source, Table):
        ranked = interval_scale(source, name, "rank")
        return Distribution(attribute.scale, ranked.distinct, ranked.below, np.cumsum(ranked.below))
    assert folder is not None and database is not None
    ranked = rank(source, name, folder, database).yardstick()
    running = np.memmap(folder / "running", np.int64, "w+", shape=ranked.below.shape)
    np.cumsum(ranked.below, out=running)
    return Distribution(attribute.scale, ranked.distinct, ranked.below, running)
