"""Classes of records that are alike in their key values, what a missing value is like, and a tracker of them."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.data import Table
from sfumato.kernels.distinct_records import Distinct, distinct
from sfumato.kernels.population_risk import weight_unit
from sfumato.measures._contract import StatisticBound
from sfumato.measures._tracking import Change, Tracker
from sfumato.measures.statistics.contract import MeanWeight, Part, Sought, Statistic
from sfumato.measures.statistics.database import Database, database, mapped_columns
from sfumato.measures.statistics.sources import Sources

TOGETHER = 1_000_000  # classes that are looked at at once


class Classes(NamedTuple):
    """Classes of equal key values, each by itself or those together that are alike.

    Each combination occurs in so many records, who stand for so many people: its own, and where a missing value
    matches any, all that are compatible with it. `records` and `weights` are those of the classes themselves.
    """

    occurs: np.ndarray
    people: np.ndarray
    records: np.ndarray
    weights: np.ndarray
    number: int

    def share(self, bad: np.ndarray) -> float:
        """Percent of the weight of all records that is in some of the classes."""
        return 100 * float(self.weights[bad].sum()) / float(self.weights.sum())

    def chunks(self) -> "Iterator[Classes]":
        """The same in pieces that fit into memory."""
        for start in range(0, len(self.occurs), TOGETHER):
            here = slice(start, start + TOGETHER)
            yield Classes(
                self.occurs[here], self.people[here], self.records[here], self.weights[here], self.number
            )


@dataclass(frozen=True)
class KeyClasses(Sought):
    """The classes of a masked file. With `people`, survey weights say how many people a record stands for."""

    names: tuple[str, ...]
    matches_any: bool = False
    weighted: bool = False
    people: bool = False

    @property
    def needs(self) -> tuple[Statistic, ...]:
        return (MeanWeight(),) if self.weighted or self.people else ()

    def take(self, original: Part, masked: Table) -> Classes:
        return self.labelled(original, masked)[0]

    def labelled(self, original: Part, masked: Table) -> tuple[Classes, np.ndarray]:
        """The classes of a table, and which of them each record is in."""
        columns = [masked[name] for name in self.names] if self.matches_any else masked.shown(self.names)
        found, weights = distinct(columns), original.weights(self.weighted)
        sizes = found.counts
        own = sizes if weights is None else np.bincount(found.labels, weights)
        people = np.bincount(found.labels, raw_weights(original)) if self.people else sizes
        occurs = sizes
        if self.matches_any:
            occurs, people = _compatible(masked, self.names, found, np.column_stack([sizes, people])).T
            occurs = np.rint(occurs).astype(np.int64)
        return Classes(occurs, people, sizes, own, len(sizes)), found.labels

    def seek(self, sources: Sources) -> Classes:
        """Group the records, then the classes that are alike."""
        people = "people" if self.people else "0"
        query = f"""
            SELECT occurs, {people}, CAST(sum(records) AS BIGINT), CAST(sum(weight) AS BIGINT), count(*)
            FROM {{}} GROUP BY ALL ORDER BY ALL"""
        folder = Path(tempfile.mkdtemp(prefix="classes-", dir=sources.folder))
        with database(sources.folder, memory=sources.memory) as db:
            unit = give_records(db, sources, self.names, weighted=self.weighted or self.people)
            keys = value_keys(self.names) if self.matches_any else shown_keys(sources, self.names)
            db.run(f"""
                CREATE TABLE classes AS
                SELECT {keys}, {self._pattern(sources)} AS pattern, row_number() OVER () AS id,
                count(*) AS records, CAST(sum(weight) AS BIGINT) AS weight
                FROM records GROUP BY {keys}""")
            table = self._matched(db) if self.matches_any else _ALONE
            occurs, stands, records, weights, count = mapped_columns(folder, db.ask(query.format(table)), 5)
        return Classes(occurs, stands * unit if self.people else occurs, records, weights, int(count.sum()))

    def _pattern(self, sources: Sources) -> str:
        """The part of a query that tells which cells are missing, as a number."""
        if not self.matches_any:
            return "0"
        numeric = [sources.files.masked.schema[name].is_numeric for name in self.names]
        holes = [f"isnan(k{j})" if number else f"k{j} < 0" for j, number in enumerate(numeric)]
        return " + ".join(f"CASE WHEN {hole} THEN {1 << j} ELSE 0 END" for j, hole in enumerate(holes))

    def _matched(self, db: Database) -> str:
        """Match all classes with those compatible with them; the name of the table that says with how many."""
        db.run("CREATE TABLE matched (occurs BIGINT, people BIGINT, records BIGINT, weight BIGINT)")
        batches = db.ask("SELECT DISTINCT pattern FROM classes ORDER BY pattern")
        patterns = [pattern for batch in batches for pattern in batch.column(0).to_pylist()]
        for here in patterns:
            compatible = " UNION ALL ".join(self._compatible(here, there) for there in patterns)
            db.run(f"""
                INSERT INTO matched
                SELECT CAST(sum(others) AS BIGINT), CAST(sum(people) AS BIGINT),
                any_value(records), any_value(weight)
                FROM ({compatible}) GROUP BY id""")
        return "matched"

    def _compatible(self, here: int, there: int) -> str:
        """Classes with some cells missing, beside those with others missing that equal them elsewhere."""
        shared = [f"k{j}" for j in range(len(self.names)) if not (here | there) >> j & 1]
        columns = ", ".join([*shared, "sum(records) AS others", "sum(weight) AS people"])
        grouped = f"GROUP BY {', '.join(shared)}" if shared else ""
        equal = " AND ".join(f"h.{key} = t.{key}" for key in shared) or "true"
        return f"""
            SELECT h.id, h.records, h.weight, t.others, t.people
            FROM (SELECT * FROM classes WHERE pattern = {here}) AS h
            JOIN (SELECT {columns} FROM classes WHERE pattern = {there} {grouped}) AS t ON {equal}"""


_ALONE = "(SELECT records AS occurs, weight AS people, records, weight FROM classes)"


def raw_weights(original: Part) -> np.ndarray:
    return original.table[original.table.schema.weight]


def value_keys(names: tuple[str, ...]) -> str:
    """The key columns of `records`, for a query to which missing values are all the same."""
    return ", ".join(f"k{j}" for j in range(len(names)))


def shown_keys(sources: Sources, names: tuple[str, ...]) -> str:
    """The key columns of `records`, and which codes stand for missing values in those that declare codes."""
    return ", ".join([value_keys(names), *(f"r{j}" for j in _with_codes(sources, names))])


def _with_codes(sources: Sources, names: tuple[str, ...]) -> list[int]:
    """The positions of columns whose missing values may be written as codes."""
    return [j for j, name in enumerate(names) if sources.files.masked.schema[name].missing]


def give_records(db: Database, sources: Sources, names: tuple[str, ...], *, weighted: bool) -> float:
    """Let queries read columns of the masked file and the weights as `records`, once; what a unit of weight is.

    Weights are given in whole units so small that nothing is lost, and so large that every sum is exact:
    the order in which threads add them cannot matter.
    """
    n, mean = sources.find(MeanWeight())[0] if weighted else (0, 0.0)
    unit = weight_unit(n * mean) if weighted else 1.0
    declared = [sources.files.masked.schema[name] for name in names]
    kinds = [pa.float64() if attribute.is_numeric else pa.int32() for attribute in declared]
    fields = [(f"k{j}", kind) for j, kind in enumerate(kinds)]
    fields += [(f"r{j}", pa.int32()) for j in _with_codes(sources, names)]
    schema = pa.schema([*fields, ("weight", pa.int64())])
    batches = _records(sources, names, sources.files.weight if weighted else "", unit)
    arrow = (pa.record_batch([pa.array(column) for column in batch], schema=schema) for batch in batches)
    db.give("records", pa.RecordBatchReader.from_batches(schema, arrow))
    return unit


def _records(
    sources: Sources, names: tuple[str, ...], weight: str, unit: float
) -> Iterator[list[np.ndarray]]:
    """Keys, codes of missing ones and weights, block by block; adding zero makes −0 the 0 that it is equal to."""
    for block, table in enumerate(sources.files.masked.tables(names)):
        numeric = [table.schema[name].is_numeric for name in names]
        columns = [
            table[name] + 0.0 if is_number else table[name].astype(np.int32)
            for name, is_number in zip(names, numeric, strict=True)
        ]
        reasons = [_reasons(table, names[j]) for j in _with_codes(sources, names)]
        amounts = np.ones(table.n, np.int64)
        if weight:
            people = sources.files.original.table(block, [weight])[weight]
            amounts = np.rint(people / unit).astype(np.int64)
        yield [*columns, *reasons, amounts]


def _reasons(table: Table, name: str) -> np.ndarray:
    """Which code each missing value of a column has, 0 for none and for values."""
    found = table.reasons(name)
    return np.zeros(table.n, np.int32) if found is None else found.astype(np.int32)


def _compatible(masked: Table, names: tuple[str, ...], classes: Distinct, amounts: np.ndarray) -> np.ndarray:
    """For each class, the amounts of those that equal it wherever neither has a missing value.

    Classes with the same cells missing are compared at once, on the attributes that both groups have.
    """
    values = [masked[name][classes.first] for name in names]
    holes = np.column_stack([masked.missing(name)[classes.first] for name in names])
    pattern = distinct([*holes.T])
    groups = [np.flatnonzero(pattern.labels == g) for g in range(len(pattern.first))]
    totals = np.zeros(amounts.shape)
    for here in groups:
        for there in groups:
            shared = np.flatnonzero(~holes[here[0]] & ~holes[there[0]])
            rows = np.concatenate([here, there])
            same = distinct([values[j][rows] for j in shared]).labels if len(shared) else np.zeros_like(rows)
            mine, theirs = same[: len(here)], same[len(here) :]
            for a in range(amounts.shape[1]):
                found = np.bincount(theirs, weights=amounts[there, a], minlength=same.max() + 1)
                totals[here, a] += found[mine]
    return totals


class ClassTracker(Tracker):
    """100 / n · Σ over classes of a function of the number of their records and of the sum of their weights.

    A class is known by the bytes of its key values, and of the codes of missing ones beside them; classes
    without records are forgotten.
    """

    def __init__(
        self,
        bound: StatisticBound,
        masked: Table,
        weights: np.ndarray,
        adds: Callable[[int, float], float],
    ) -> None:
        super().__init__(bound.score(masked).value)
        self.adds, self.weights, self.scale = adds, weights, 100 / masked.n
        self.position = {name: j for j, name in enumerate(bound.names)}
        self.numeric = [masked.schema[name].is_numeric for name in bound.names]
        values = [_comparable(masked[name]) for name in bound.names]
        self.keys = np.column_stack([*values, *(_reasons(masked, name) for name in bound.names)])
        self.classes: dict[bytes, tuple[int, float]] = {}
        for row, weight in zip(self.keys, weights.tolist(), strict=True):
            count, total = self.classes.get(row.tobytes(), (0, 0.0))
            self.classes[row.tobytes()] = count + 1, total + weight
        self.pending: tuple[np.ndarray, np.ndarray] | None = None

    def propose(self, change: Change) -> float:
        """Move the records to their new classes; `discard` moves them back."""
        columns = {self.position[name]: v for name, v in change.columns.items() if name in self.position}
        rows = np.asarray(change.rows)
        new = self.keys[rows]
        for j, values in columns.items():
            new[:, j] = _comparable(np.asarray(values))
            present = ~np.isnan(new[:, j]) & ((new[:, j] >= 0) | self.numeric[j])
            new[present, len(self.position) + j] = 0  # what is still missing keeps its code
        self.pending = rows, new
        return self.value + self.scale * self._move()

    def commit(self) -> None:
        """The records have moved already."""
        self.pending = None

    def discard(self) -> None:
        self._move()
        self.pending = None

    def _move(self) -> float:
        assert self.pending is not None
        rows, new = self.pending
        old, growth = self.keys[rows], 0.0
        for was, now, weight in zip(old, new, self.weights[rows].tolist(), strict=True):
            growth += self._enter(was.tobytes(), -1, -weight) + self._enter(now.tobytes(), 1, weight)
        self.keys[rows] = new
        self.pending = rows, old
        return growth

    def _enter(self, key: bytes, records: int, weight: float) -> float:
        """Add records to a class, or take them off; return by how much the sum grows."""
        count, total = self.classes.get(key, (0, 0.0))
        before = self.adds(count, total) if count else 0.0
        count, total = count + records, total + weight
        if not count:
            del self.classes[key]
            return -before
        self.classes[key] = count, total
        return self.adds(count, total) - before


def _comparable(values: np.ndarray) -> np.ndarray:
    """Numbers with one kind of zero and of NaN, so that equal keys have equal bytes."""
    values = values.astype(float)
    return np.where(np.isnan(values), np.nan, values + 0.0)
