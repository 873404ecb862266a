"""The best partitions found of the classic files, in `docs/records`: anybody can compute their loss anew.

Of each file there is a table with a row for each record, in the order of the file, and a column for each k, which holds
the number of the record's group. `records.toml` says what each loses and how long it took.
"""

import csv
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import tomli_w

from sfumato.data import Table
from sfumato.masking import Mdav
from sfumato.masking._aggregates import squares
from sfumato.masking._microaggregation import standardised

FOLDER = Path(__file__).parents[1] / "docs" / "records"
DIGITS = 4


@dataclass(frozen=True)
class Record:
    """What the partition of a file into groups of at least k loses, in percent, and the processor seconds it took."""

    file: str
    k: int
    loss: float
    seconds: float

    def beats(self, other: "Record | None") -> bool:
        return other is None or round(self.loss, DIGITS) < round(other.loss, DIGITS)


def read(folder: Path = FOLDER) -> dict[tuple[str, int], Record]:
    """All records by file and k."""
    path = folder / "records.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8"))["records"] if path.exists() else []
    return {(one["file"], one["k"]): Record(**one) for one in found}


def partitions(file: str, folder: Path = FOLDER) -> dict[int, np.ndarray]:
    """The groups of all records of a file, by k."""
    path = folder / f"{file}.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        names, *rows = csv.reader(lines)
    groups = np.array(rows, np.int64)
    return {int(name.removeprefix("k")): groups[:, j] for j, name in enumerate(names)}


def loss(table: Table, labels: np.ndarray) -> float:
    """100·SSE/SST of the numbers of a table in these groups, on z-scores."""
    X = standardised(table.numbers(Mdav().targets(table)), "zscore")
    return 100 * squares(X, labels) / squares(X, np.zeros(table.n, np.int64))


def keep(record: Record, labels: np.ndarray, folder: Path = FOLDER) -> bool:
    """Write a partition down if it loses less than the one that is there."""
    known = read(folder)
    if not record.beats(known.get((record.file, record.k))):
        return False
    known[record.file, record.k] = record
    groups = partitions(record.file, folder) | {record.k: np.unique(labels, return_inverse=True)[1]}
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{record.file}.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow([f"k{k}" for k in sorted(groups)])
        writer.writerows(zip(*(groups[k].tolist() for k in sorted(groups)), strict=True))
    told = tomli_w.dumps({"records": [asdict(known[key]) for key in sorted(known)]})
    (folder / "records.toml").write_text(told, encoding="utf-8")
    return True
