"""Ranks of a column that does not fit into memory: its values in order, on disk.

Two arrays are written, and mapped when they are used: the different values in order, and how many values lie
below each. The rank of a value is then found by looking for it, in any process that sees the folder.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sfumato.attacks.linkage.intervals import IntervalScale, interval_scale
from sfumato.data import Table
from sfumato.data.blocks import Blocks
from sfumato.data.files import writing_all
from sfumato.measures.statistics.contract import OfOriginal, Part, Sought
from sfumato.measures.statistics.database import Database, database, mapped
from sfumato.measures.statistics.sources import Sources


@dataclass(frozen=True)
class Ranks(Sought, OfOriginal):
    """The values of a column of numbers of the original in order, and how many lie below each."""

    name: str

    def take(self, original: Part, masked: Table) -> IntervalScale:
        return interval_scale(original.table, self.name, "rank")

    def seek(self, sources: Sources) -> "RankFiles":
        with database(sources.folder, memory=sources.memory) as db:
            return rank(sources.files.original, self.name, sources.folder, db)


class RankFiles(NamedTuple):
    """The values of a column in order, in two files."""

    distinct: Path
    below: Path

    def yardstick(self) -> IntervalScale:
        """The ranks, mapped: they take memory only while they are looked at."""
        distinct, below = mapped(self.distinct, np.float64), mapped(self.below, np.int64)
        return IntervalScale("rank", max(int(below[-1]), 1), distinct, below)


def rank(blocks: Blocks, name: str, folder: Path, db: Database) -> RankFiles:
    """Write the values of a numeric column in order; missing ones have no rank."""
    column = f"c{blocks.names.index(name)}"
    db.give("blocks", blocks.arrow())
    # adding zero makes −0 the 0 that it is equal to
    query = f"SELECT {column} + 0.0 AS value FROM blocks WHERE NOT isnan({column}) ORDER BY value"
    files = RankFiles(folder / f"{column}.values", folder / f"{column}.below")
    with (
        writing_all(files) as (values, below),
        values.open("wb") as value_file,
        below.open("wb") as below_file,
    ):
        seen, last = 0, np.nan
        for batch in db.ask(query):
            ordered = batch.column(0).to_numpy()
            first = np.flatnonzero(ordered != np.append(last, ordered[:-1]))
            ordered[first].tofile(value_file)
            (first + seen).tofile(below_file)
            seen, last = seen + len(ordered), ordered[-1]
        np.array([seen]).tofile(below_file)
    return files
