"""Ranks of a column that does not fit into memory: its values in order, on disk.

Two arrays are written, and mapped when they are used: the different values in order, and how many values lie
below each. The rank of a value is then found by looking for it, in any process that sees the folder.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from sfumato.attacks._intervals import IntervalScale
from sfumato.data.blocks import Blocks
from sfumato.data.files import writing_all
from sfumato.large.judging.database import Database


class RankFiles(NamedTuple):
    """The values of a column in order, in two files."""

    distinct: Path
    below: Path

    def yardstick(self) -> IntervalScale:
        """The ranks, mapped: they take memory only while they are looked at."""
        distinct, below = mapped(self.distinct, np.float64), mapped(self.below, np.int64)
        return IntervalScale("rank", max(int(below[-1]), 1), distinct, below)


def mapped(path: Path, kind: type) -> np.ndarray:
    """The numbers in a file, which take memory only while they are looked at."""
    # nothing cannot be mapped
    return np.asarray(np.memmap(path, kind, "r")) if path.stat().st_size else np.empty(0, kind)


def rank(blocks: Blocks, name: str, folder: Path, database: Database) -> RankFiles:
    """Write the values of a numeric column in order; missing ones have no rank."""
    column = f"c{blocks.names.index(name)}"
    database.give("blocks", blocks.arrow())
    # adding zero makes −0 the 0 that it is equal to
    query = f"SELECT {column} + 0.0 AS value FROM blocks WHERE NOT isnan({column}) ORDER BY value"
    files = RankFiles(folder / f"{column}.values", folder / f"{column}.below")
    with (
        writing_all(files) as (values, below),
        values.open("wb") as value_file,
        below.open("wb") as below_file,
    ):
        seen, last = 0, np.nan
        for batch in database.ask(query):
            ordered = batch.column(0).to_numpy()
            first = np.flatnonzero(ordered != np.append(last, ordered[:-1]))
            ordered[first].tofile(value_file)
            (first + seen).tofile(below_file)
            seen, last = seen + len(ordered), ordered[-1]
        np.array([seen]).tofile(below_file)
    return files
