"""Swaps: records of the group trade places with records outside it, so that every place keeps its size."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core import DataError
from sfumato.core.regular_files import small_text
from sfumato.data import Table
from sfumato.groups.signals import places_of
from sfumato.groups.submicrofiles import Submicrofiles

GIVER, RECORD, TAKER, PARTNER = range(4)
COLUMNS = ("from_place", "record", "to_place", "partner")


@dataclass(frozen=True, eq=False)
class SwapList:
    """The matrix U: in each row the place that gives, its record, the place that takes, and its record.

    The first record belongs to the group, the second does not; the two trade places, and nothing else about
    them changes. Places and records are numbered from 0. Two rules hold for every list: a place gives no more
    records of the group than it has, and no record is in it twice. So the order of the swaps does not matter,
    and making them twice undoes them.

    >>> from sfumato.groups.signals import RecordPlaces
    >>> places = RecordPlaces(("Drum", "Ulster"), np.array([0, 0, 1, 1]))
    >>> files = Submicrofiles(places, np.array([True, True, False, False]))
    >>> swaps = SwapList.of([[0, 1, 1, 2]])
    >>> swaps.check(files)
    >>> swaps.quantity(files).tolist(), swaps.moved(files.place).tolist()
    ([1, 1], [0, 1, 0, 1])
    """

    rows: np.ndarray

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]] | np.ndarray) -> "SwapList":
        """A list of these rows, which are copied."""
        matrix = np.array(rows if isinstance(rows, np.ndarray) else [*rows], np.int64).reshape(-1, 4)
        matrix.flags.writeable = False
        return cls(matrix)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def key(self) -> bytes:
        """The same for lists of the same swaps, in whatever order."""
        return self.rows[np.argsort(self.rows[:, RECORD])].tobytes()

    def check(self, files: Submicrofiles) -> None:
        """Refuse a list that breaks a rule, and name the swap (counted from 1)."""
        self._check_range(files.n)
        records, places = self.rows[:, [RECORD, PARTNER]], self.rows[:, [GIVER, TAKER]]
        self._refuse(places != files.place[records], "a record is not in the place that the list says")
        self._refuse(places[:, :1] == places[:, 1:], "both records are in the same place")
        self._refuse(~files.member[records[:, :1]], "the record to move does not belong to the group")
        self._refuse(files.member[records[:, 1:]], "the partner belongs to the group as well")
        given = np.bincount(places[:, 0], minlength=len(files.names))
        self._refuse((given > files.quantity)[places[:, :1]], "its place gives more than it has")
        repeated = np.ones(records.size, bool)
        repeated[np.unique(records, return_index=True)[1]] = False
        self._refuse(repeated.reshape(records.shape), "a record is in the list twice")

    def quantity(self, files: Submicrofiles) -> np.ndarray:
        """The quantity signal after the swaps, from the list alone."""
        given = np.bincount(self.rows[:, GIVER], minlength=len(files.names))
        taken = np.bincount(self.rows[:, TAKER], minlength=len(files.names))
        return files.quantity - given + taken

    def moved(self, values: np.ndarray) -> np.ndarray:
        """A column in which the two records of each swap have traded their values."""
        a, b = self.rows[:, RECORD], self.rows[:, PARTNER]
        traded = values.copy()
        traded[a], traded[b] = values[b], values[a]
        return traded

    def applied(self, table: Table, columns: Sequence[str]) -> Table:
        """The table after the swaps. `columns` are the parameter, and what else tells the place."""
        self._check_range(table.n)
        values = {name: self.moved(table[name]) if name in columns else table[name] for name in table.names}
        reasons = {name: found for name in table.names if (found := table.reasons(name)) is not None}
        traded = {name: self.moved(found) if name in columns else found for name, found in reasons.items()}
        return Table(table.schema, values, reasons=traded)

    def carried(self, rows: np.ndarray) -> "SwapList":
        """The same swaps in a file of which some records were left out here; `rows` says where each of these is."""
        matrix = self.rows.copy()
        matrix[:, [RECORD, PARTNER]] = rows[matrix[:, [RECORD, PARTNER]]]
        return SwapList.of(matrix)

    def undone(self, table: Table, columns: Sequence[str]) -> Table:
        """The table before the swaps, from the protected one. The first column is the parameter."""
        self._check_range(table.n)
        place = places_of(table, columns[0]).codes
        elsewhere = self.rows[:, [TAKER, GIVER]] != place[self.rows[:, [RECORD, PARTNER]]]
        self._refuse(elsewhere, "a record is not where the swap put it; give the protected file as it was")
        return self.applied(table, columns)

    def listed(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """The swaps for the owner's audit: names of places, and records counted from 1."""
        return [
            dict(zip(COLUMNS, (names[giver], record + 1, names[taker], partner + 1), strict=True))
            for giver, record, taker, partner in self.rows.tolist()
        ]

    def write_csv(self, path: Path, names: Sequence[str]) -> None:
        """Write the list; whoever holds it can undo the protection, so it stays with the owner."""
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.listed(names))

    @classmethod
    def read_csv(cls, path: Path, names: Sequence[str]) -> "SwapList":
        """Read a list that `write_csv` wrote; `names` are those of the places."""
        text = small_text(path, "Swap list")
        reader = csv.DictReader(io.StringIO(text, newline=""))
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise DataError(f"{path} is no swap list: its columns must be {', '.join(COLUMNS)}.")
        numbers = {name: number for number, name in enumerate(names)}
        return cls.of(_numbered(line, numbers, f"{path}, swap {at}") for at, line in enumerate(reader, 1))

    def _check_range(self, n: int) -> None:
        records = self.rows[:, [RECORD, PARTNER]]
        self._refuse((records < 0) | (records >= n), f"it names a record that the file of {n} does not have")

    def _refuse(self, broken: np.ndarray, rule: str) -> None:
        wrong = np.flatnonzero(broken.any(axis=1))
        if len(wrong):
            raise DataError(f"Swap {wrong[0] + 1} of {len(self)}: {rule}.")


def _numbered(line: dict[str, str], numbers: dict[str, int], where: str) -> list[int]:
    for column in ("from_place", "to_place"):
        if line[column] not in numbers:
            raise DataError(f"{where}: {column} is not a place of the file.")
    try:
        record, partner = int(line["record"]) - 1, int(line["partner"]) - 1
    except (TypeError, ValueError):
        raise DataError(f"{where}: record and partner must be the numbers of two records.") from None
    return [numbers[line["from_place"]], record, numbers[line["to_place"]], partner]
