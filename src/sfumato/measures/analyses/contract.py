"""What every kind of analysis does: know what the original gives, and tell how far another file is from it."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from sfumato.core import stream
from sfumato.data import Table


class Kind(ABC):
    """Analyses of one kind, done on the original once.

    `about` are the columns that each of them is about: a coefficient is about two. `samples` says from how many bootstraps its scale is taken at most, and from half as many files of unrelated columns. A bootstrap has `sample_size` times the records of the
    original: one of half of them is as far from the original as two samples of all are from each other, since both of
    these vary. Models learn from what they see, so they are given all.
    """

    samples: ClassVar[int] = 20
    sample_size: ClassVar[float] = 0.5
    about: tuple[tuple[str, ...], ...]

    @abstractmethod
    def distances(self, table: Table) -> np.ndarray:
        """How far each analysis of a table with the original's schema is from that of the original, 0 to 1."""


def sampled(table: Table, most: int) -> Table:
    """At most so many records: all of a small file, a random choice of a large one."""
    if table.n <= most:
        return table
    rows = stream(0, "analyst_loss", "sample", table.n).choice(table.n, most, replace=False)
    return table.take(np.sort(rows))


def record_weights(table: Table) -> np.ndarray | None:
    """The survey weight of each record, of mean 1; none where none is declared, or none is usable."""
    if not table.schema.weight or table.n == 0:
        return None
    weights = np.nan_to_num(table[table.schema.weight]).clip(min=0.0)
    mean = float(weights.mean())
    return weights / mean if mean > 0 else None
