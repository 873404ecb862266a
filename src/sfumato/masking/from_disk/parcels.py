"""Parcels: columns on their way from blocks to partitions and back, in files that others can map.

A file holds columns of equal length, sorted by where they go, and from which record on each place begins.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.core import FileError
from sfumato.data import writing

STARTS, ABOUT = b"starts", b"about"


@dataclass(frozen=True)
class Parcel:
    """Columns as views of a file; place p has the records from starts[p] to starts[p + 1]."""

    columns: Mapping[str, np.ndarray]
    starts: np.ndarray
    about: Any

    def between(self, first: int, last: int) -> dict[str, np.ndarray]:
        """The records of the places from `first` up to, but without, `last`."""
        here = slice(int(self.starts[first]), int(self.starts[last]))
        return {name: values[here] for name, values in self.columns.items()}


def write_parcel(
    path: Path, columns: Mapping[str, np.ndarray], starts: np.ndarray, about: Any = None
) -> None:
    """Write sorted columns, where places begin, and a few words of JSON about them."""
    batch = pa.record_batch([pa.array(values) for values in columns.values()], names=list(columns))
    words = {STARTS: np.asarray(starts, np.int64).tobytes(), ABOUT: json.dumps(about).encode()}
    batch = batch.replace_schema_metadata(words)
    with (
        writing(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, batch.schema) as writer,
    ):
        writer.write_batch(batch)


def read_parcel(path: Path) -> Parcel:
    try:
        batch = pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
    except (OSError, pa.ArrowException):
        raise FileError(f"{path} is missing or damaged; run the job again.") from None
    columns = {name: batch.column(i).to_numpy() for i, name in enumerate(batch.schema.names)}
    words = batch.schema.metadata
    return Parcel(columns, np.frombuffer(words[STARTS], np.int64), json.loads(words[ABOUT]))
