"""What the class a record is in gives away about its sensitive values, and how these lie in the whole file."""

import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.attacks.linkage.intervals import interval_scale
from sfumato.data import Scale, Schema, Table
from sfumato.data.blocks import Blocks
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._contract import Files
from sfumato.measures.statistics.contract import Part, Sought
from sfumato.measures.statistics.database import Database, database, mapped_columns
from sfumato.measures.statistics.key_classes import TOGETHER, give_records, shown_keys
from sfumato.measures.statistics.ranks import rank
from sfumato.measures.statistics.sources import Sources


class ClassValues(NamedTuple):
    """Values that occur in each class, in the order of classes, and how often; missing values are left out.

    `starts` says how many values all classes before each have. Where a class began in an earlier batch of values,
    `seen` counts the values up to then, `last` is the last of them, and `first_count` counts the first of the class.
    """

    of: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    seen: int = 0
    last: float = 0.0
    first_count: int = 0

    @property
    def sizes(self) -> np.ndarray:
        """How many values the class of each has."""
        sizes: np.ndarray = self.starts[self.of + 1] - self.starts[self.of]
        return sizes

    @property
    def upto(self) -> np.ndarray:
        """How many values of its class come up to each, with its own."""
        upto: np.ndarray = self.seen + np.cumsum(self.counts) - self.starts[self.of]
        return upto

    @property
    def first(self) -> np.ndarray:
        first: np.ndarray = self.upto == self.counts
        return first

    @property
    def first_counts(self) -> np.ndarray:
        """How often the first value of each one's class occurs."""
        at = np.maximum.accumulate(np.where(self.first, np.arange(len(self.of)), -1))
        return np.where(at < 0, self.first_count, self.counts[at])


class Distribution(NamedTuple):
    """The values of a file in order, and how many lie below each; the number of all comes last.

    `running` are the running sums of these numbers. Arrays as long as the file has values are mapped.
    """

    scale: Scale
    values: np.ndarray
    below: np.ndarray
    running: np.ndarray

    def places(self, values: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.values, values)

    def distances(self, found: ClassValues) -> np.ndarray:
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


class ClassFigures(NamedTuple):
    """Figures of the classes of records, for each sensitive attribute; or of classes, with their weights."""

    weights: np.ndarray | None
    figures: list[np.ndarray]

    def shares(self, bad: Callable[[np.ndarray], np.ndarray]) -> tuple[list[float], float]:
        """Percent of records, or of their weight, whose figure is bad: in each attribute, and in any."""
        each, either, total = np.zeros(len(self.figures)), 0.0, 0.0
        for weights, figures in self._chunks():
            here = [bad(figure) for figure in figures]
            each += [_total(one, weights) for one in here]
            either += _total(np.any(here, axis=0), weights)
            total += len(here[0]) if weights is None else float(weights.sum())
        return [100 * (one / total) for one in each.tolist()], 100 * (either / total)

    def mean(self) -> float:
        """The mean over records and attributes."""
        found, total = 0.0, 0.0
        for weights, figures in self._chunks():
            found += _total(np.mean(figures, axis=0), weights)
            total += len(figures[0]) if weights is None else float(weights.sum())
        return found / total

    def _chunks(self) -> Iterator[tuple[np.ndarray | None, list[np.ndarray]]]:
        for start in range(0, len(self.figures[0]), TOGETHER):
            here = slice(start, start + TOGETHER)
            weights = None if self.weights is None else self.weights[here]
            yield weights, [figure[here] for figure in self.figures]


def _total(amounts: np.ndarray, weights: np.ndarray | None) -> float:
    return float(amounts.sum() if weights is None else (amounts * weights).sum())


@dataclass(frozen=True)
class SensitiveClasses(Sought):
    """A figure of each class of equal key values for some sensitive attributes, none of which is its own key.

    It is a sum over the values in the class. A subclass writes what each adds.
    """

    by_count: ClassVar[bool] = False  # values come in the order of value, or the most frequent first

    names: tuple[str, ...]
    sensitive: tuple[str, ...]
    weighted: bool

    @abstractmethod
    def added(self, values: ClassValues, whole: Distribution | None) -> np.ndarray:
        """What each value adds to the figure of its class."""

    def figure(self, sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The figures of classes with so many values, from what these add up to."""
        return sums

    def whole(self, source: Any, name: str, *where: Any) -> Distribution | None:
        """How an attribute is distributed in the whole file, if that matters."""
        return None

    def take(self, original: Part, masked: Table) -> ClassFigures:
        figures, labels = [], dict[tuple[str, ...], np.ndarray]()
        for name in self.sensitive:
            others = tuple(key for key in self.names if key != name)
            if others not in labels:
                columns = masked.shown(others) or [np.zeros(masked.n, np.int8)]
                labels[others] = distinct(columns).labels
            values = class_values(labels[others], masked, name, by_count=self.by_count)
            classes = len(values.starts) - 1
            sums = np.bincount(values.of, self.added(values, self.whole(masked, name)), minlength=classes)
            figures.append(self.figure(sums, np.diff(values.starts))[labels[others]])
        return ClassFigures(original.weights(self.weighted), figures)

    def seek(self, sources: Sources) -> ClassFigures:
        """Count the records of all classes, then their values, in the order of keys."""
        folder = Path(tempfile.mkdtemp(prefix="classes-", dir=sources.folder))
        with database(sources.folder, memory=sources.memory) as db:
            give_records(db, sources, self.names + self.sensitive, weighted=self.weighted)
            keys = shown_keys(sources, self.names)
            present = [self._present(sources, j) for j in range(len(self.sensitive))]
            sums = [
                "CAST(sum(weight) AS BIGINT)",
                *(f"count(*) FILTER (WHERE {condition})" for condition in present),
            ]
            query = f"""
                SELECT {", ".join(sums)} FROM records
                GROUP BY {keys} ORDER BY {keys}"""
            weights, *counts = mapped_columns(folder, db.ask(query), len(sums))
            figures = [self._figures(db, sources, j, folder, counts[j]) for j in range(len(self.sensitive))]
        return ClassFigures(weights, figures)

    def _figures(
        self, db: Database, sources: Sources, j: int, folder: Path, counts: np.ndarray
    ) -> np.ndarray:
        """The figures of all classes in one sensitive attribute, written into the folder."""
        inner = folder / f"sensitive-{j}"
        inner.mkdir()
        starts = np.memmap(inner / "starts", np.int64, "w+", shape=len(counts) + 1)
        np.cumsum(counts, out=starts[1:])
        whole = self.whole(sources.files.masked, self.sensitive[j], inner, db)
        give_records(db, sources, self.names + self.sensitive, weighted=False)
        column, keys = f"k{len(self.names) + j}", shown_keys(sources, self.names)
        order = "n DESC" if self.by_count else column
        query = f"""
            SELECT {column}, count(*) AS n FROM records WHERE {self._present(sources, j)}
            GROUP BY {keys}, {column} ORDER BY {keys}, {order}"""
        figures: np.ndarray = np.memmap(inner / "figures", np.float64, "w+", shape=len(counts))
        for values in _batches(db.ask(query), starts):
            # one after the other, so that it does not matter where a batch of the answer ends
            np.add.at(figures, values.of, self.added(values, whole))
        for start in range(0, len(counts), TOGETHER):
            here = slice(start, start + TOGETHER)
            figures[here] = self.figure(figures[here], counts[here])
        return figures

    def _present(self, sources: Sources, j: int) -> str:
        """The part of a query that says whether a sensitive attribute has a value."""
        column = f"k{len(self.names) + j}"
        numeric = sources.files.masked.schema[self.sensitive[j]].is_numeric
        return f"NOT isnan({column})" if numeric else f"{column} >= 0"


def class_values(labels: np.ndarray, masked: Table, name: str, *, by_count: bool) -> ClassValues:
    """The values of an attribute by class, from the class of each record."""
    rows = np.flatnonzero(~masked.missing(name))
    pairs = distinct([labels[rows], masked[name][rows]])
    first, counts = rows[pairs.first], pairs.counts
    of, classes = labels[first], int(labels.max()) + 1
    starts = np.append(0, np.cumsum(np.bincount(of, counts, minlength=classes).astype(np.int64)))
    if by_count:
        order = np.lexsort((-counts, of))
        first, counts, of = first[order], counts[order], of[order]
    return ClassValues(of, masked[name][first], counts, starts)


def _batches(batches: Iterator[pa.RecordBatch], starts: np.ndarray) -> Iterator[ClassValues]:
    """Values in the order of classes, with the number of the class of each."""
    seen, last, first_count = 0, 0.0, 0
    for batch in batches:
        value, count = (batch.column(i).to_numpy() for i in range(2))
        # of classes that start at the same value, all but the last have none
        labels = np.searchsorted(starts, seen + np.cumsum(count) - count, side="right") - 1
        values = ClassValues(labels, value, count, starts, seen, last, first_count)
        yield values
        seen, last, first_count = seen + int(count.sum()), value[-1].item(), int(values.first_counts[-1])


def sensitive_columns(schema: Schema, names: tuple[str, ...], named: tuple[str, ...]) -> tuple[str, ...]:
    """The attributes named, or those with the role confidential, or each key in turn."""
    declared = named or schema.with_role("confidential")
    for name in declared:
        schema[name]  # which raises where there is none
    return declared or names


def secret_keys(files: Files, named: tuple[str, ...]) -> str:
    """What is not for files from disk, where a sensitive attribute is also a key."""
    keys = set(sensitive_columns(files.original, files.names, named)) & set(files.names)
    return "a sensitive attribute that is also a key" if keys else ""
