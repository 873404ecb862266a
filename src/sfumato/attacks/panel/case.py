"""A case: a release, and the people whom attackers look for in it, in coordinates that can be compared."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from sfumato.attacks.linkage.record_space import Space
from sfumato.data import Table
from sfumato.data.coverage import Coverage

ENOUGH = 50  # people whose records must be known to learn anything from them

Found = TypeVar("Found")
Try = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""The success on people to be found, from the rows of people who are known and theirs."""


class Column(NamedTuple):
    """An attribute of the known records, and of the kinds of released ones."""

    known: np.ndarray  # numbers or codes, NaN where missing
    released: np.ndarray  # numbers or readings
    spread: float  # the standard deviation of a number in the same units
    reading: Coverage | None  # of a category
    known_ranks: np.ndarray  # from … to among all, from 0 to 1; none of a nominal category
    released_ranks: np.ndarray

    @property
    def ordered(self) -> bool:
        return self.reading is None or self.reading.ordinal


class Case:
    """Known records and a release of them; released records that are alike are one kind.

    The people in `people`, rows of the known file, are looked for. They are in two halves: an attacker who learns
    how records were masked learns it from the people of one half, and is tried on those of the other.
    """

    def __init__(
        self, known: Table, released: Table, names: tuple[str, ...], people: np.ndarray, seed: int
    ) -> None:
        self.known, self.released, self.people, self.seed = known, released, people, seed
        space = Space(known, names, weights=dict.fromkeys(names, 1.0))
        readings = space.read(released.schema)
        points = space.points(released, readings)
        _, self.first, self.own, self.counts = np.unique(
            record_keys([*points.T], released.n), return_index=True, return_inverse=True, return_counts=True
        )
        self.names = space.names
        self.columns = [
            _column(values, column, spread, readings.get(name), self.first)
            for name, values, column, spread in zip(
                space.names, space.points(known).T, points.T, space.spreads.values(), strict=True
            )
        ]
        self.halves = np.arange(len(people)) % 2
        self._kept: dict[Any, Any] = {}

    @property
    def n(self) -> int:
        return self.known.n

    @property
    def can_learn(self) -> bool:
        return len(self.people) >= 2 * ENOUGH and len(self.columns) > 0

    def once(self, function: "Callable[[Case], Found]") -> Found:
        """What a function makes of this case; made once, however many attackers ask."""
        if function not in self._kept:
            self._kept[function] = function(self)
        found: Found = self._kept[function]
        return found

    def cross_fitted(self, attempt: Try) -> np.ndarray:
        """The success on each of the people, by an attacker who knows the records of the other half."""
        found = np.zeros(len(self.people))
        for half in (0, 1):
            sought = self.halves == half
            found[sought] = attempt(self.people[~sought], self.people[sought])
        return found


def _column(
    known: np.ndarray, released: np.ndarray, spread: float, reading: Coverage | None, first: np.ndarray
) -> Column:
    if reading is not None and not reading.ordinal:
        return Column(
            known,
            released[first],
            1.0,
            reading,
            np.empty((len(known), 0)),
            np.empty((len(first), 0)),
        )
    ranks = _ranks(known)
    if reading is not None and reading.sets:
        return Column(
            known, released[first], 1.0, reading, ranks, _set_ranks(known, released[first], reading)
        )
    return Column(known, released[first], spread, reading, ranks, _ranks(released)[first])


def _ranks(values: np.ndarray) -> np.ndarray:
    """The first and last rank of each value, as shares of those present; equal values have all of their ranks."""
    found, labels, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.concatenate([[0], np.cumsum(counts[: np.count_nonzero(~np.isnan(found))])])
    # half as large as usual: millions of records are still told apart
    shares = np.stack([ends[:-1], ends[1:]], axis=1, dtype=np.float32) / np.float32(max(ends[-1], 1))
    missing = np.full((len(found) - len(shares), 2), np.nan, np.float32)
    ranks: np.ndarray = np.concatenate([shares, missing])[labels.ravel()]
    return ranks


def _set_ranks(known: np.ndarray, released: np.ndarray, reading: Coverage) -> np.ndarray:
    """The ranks of readings among the known categories; a set has those from its first to its last category."""
    present = known[~np.isnan(known)].astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(np.bincount(present, minlength=reading.size))]) / max(
        len(present), 1
    )
    spans = [(ends[code], ends[code + 1]) for code in range(reading.size)]
    spans += [(ends[members[0]], ends[members[-1] + 1]) for members in reading.sets]
    table = np.array([*spans, (np.nan, np.nan)], np.float32)
    ranks: np.ndarray = table[np.where(np.isnan(released), -1, released).astype(np.int64)]
    return ranks


def record_keys(columns: Iterable[np.ndarray], n: int) -> np.ndarray:
    """A number for each record that is the same for equal records, and in no order that means anything."""
    key = np.zeros(n, np.uint64)
    for column in columns:
        values = column.astype(float) + 0.0  # one kind of zero, and below one of NaN
        values[np.isnan(values)] = np.nan
        key = _stirred(key ^ values.view(np.uint64))
    return key


def _stirred(key: np.ndarray) -> np.ndarray:
    """Bits that depend on all bits of a key (the finaliser of splitmix64); overflow is meant."""
    key = key + np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    stirred: np.ndarray = key ^ (key >> np.uint64(31))
    return stirred
