"""The order of released records: random, so that a place in the file tells nothing, and kept by the owner."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from sfumato.core import DataError, FileError, Seed, param, progress, stream
from sfumato.data import Source, Table, private_beside
from sfumato.data.block_order import reordered
from sfumato.data.blocks import Blocks
from sfumato.jobs._work import Work

COLUMN = "record"
ORDER_FILE = "order.csv"


@dataclass(frozen=True)
class Order:
    """For each released record, from the top, the row of its original.

    >>> Order(np.array([2, 0, 1])).back().tolist()
    [1, 2, 0]
    """

    rows: np.ndarray

    @classmethod
    def drawn(cls, n: int, seed: Seed, of: str = "") -> "Order":
        """A random order of so many records; other ones for two releases `of` different fingerprints under one key.

        Else records of both would stand at the same places.
        """
        return cls(stream(seed, "order", of).permutation(n))

    def back(self) -> np.ndarray:
        """The released rows as their originals follow one another."""
        return np.argsort(self.rows, kind="stable")

    def write(self, path: Path) -> None:
        """One column of numbers, from 1, as people count records."""
        csv.write_csv(pa.table({COLUMN: self.rows + 1}), path)

    @classmethod
    def read(cls, path: Path) -> "Order":
        try:
            found = csv.read_csv(path)
            rows = found.column(COLUMN).to_numpy()
        except (OSError, KeyError, pa.ArrowException):
            rows = np.empty(0)
        if rows.dtype.kind != "i" or (len(rows) and rows.min() < 1):
            raise FileError(f"Order {path}: one column {COLUMN!r} of whole numbers from 1 was expected.")
        return cls(rows.astype(np.int64) - 1)


def order_file(file: str) -> Any:
    """Declare the option for the order of a released file."""
    help = f"the order of {file}; without it order.csv of the private folder beside {file}, if there is one"
    return param(default=None, help=help, word="FILE.csv")


def found_order(stated: Path | None, released: Any) -> Order | None:
    """The order that is stated, or that lies in the private folder of a released file."""
    if stated is None and isinstance(released, Path | str):
        beside = private_beside(Path(released)) / ORDER_FILE
        if beside.is_file():
            progress.note(f"reading the order of {released} from {beside}.")
            stated = beside
    return None if stated is None else Order.read(stated)


def aligned(before: Source, after: Source, order: Order, work: Work) -> tuple[Source, Source]:
    """A file and its release, record by record: the release in the order of the original, of which it may be a part."""
    kept = np.sort(order.rows)
    if len(kept) > 1 and np.any(kept[1:] == kept[:-1]):
        raise DataError("The order names a record twice: it is not that of this release.")
    return (
        replace(before, load=lambda names, schema: _part(before, before.load(names, schema), kept, work)),
        replace(after, load=lambda names, schema: _taken(after, after.load(names, schema), order, work)),
    )


def _part(source: Source, table: Table | Blocks, kept: np.ndarray, work: Work) -> Table | Blocks:
    if len(kept) and kept[-1] >= table.n:
        raise DataError(
            f"The order names record {kept[-1] + 1}, and {source.path} has {table.n}: it is that of another file."
        )
    return table if len(kept) == table.n else in_order(table, kept, work)


def _taken(source: Source, table: Table | Blocks, order: Order, work: Work) -> Table | Blocks:
    if len(order.rows) != table.n:
        raise DataError(
            f"The order is that of {len(order.rows)} records, and {source.path} has {table.n}: "
            "give the order of this file, or evaluate the whole release."
        )
    return in_order(table, order.back(), work)


def in_order(table: Table | Blocks, rows: np.ndarray, work: Work) -> Table | Blocks:
    """Some rows of a table one after the other; of one on disk, in the work folder."""
    if isinstance(table, Blocks):
        return reordered(table, rows, work.place.folder, work.place.crew)
    return table.take(rows)
