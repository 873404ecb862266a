"""Methods that can mask a part of a file, if they are told what the whole file is like."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from sfumato.data import MISSING, Attribute, Schema, Table
from sfumato.data.blocks import joined
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._aggregates import ColumnScales, column_scales
from sfumato.masking._contract import Masking, by_stratum
from sfumato.masking._correlation import JointMoments, correlation, joint_moments, spreads, standardised
from sfumato.masking.matrices.markov_matrices import frequencies

Stratum = tuple[int, ...]  # the codes that the records of a stratum share; () where the file is not divided


class Tails(NamedTuple):
    """Below which value and above which a certain share lies, how many values do, and their means."""

    low: float
    high: float
    below: int
    above: int
    mean_below: np.ndarray  # a single number
    mean_above: np.ndarray


class DistinctRecords(NamedTuple):
    """The records of a file that differ in some columns, how many are like each, and the sums over these of a weight.

    >>> town = Attribute(name="town", scale="nominal", categories=("a", "b"))
    >>> people = Table(Schema([town]), {"town": [0, 1, 0, -1, 0]})
    >>> found = DistinctRecords.of(people, ("town",))
    >>> found.table["town"].tolist(), found.counts.tolist()
    ([-1, 0, 1], [1, 3, 1])
    """

    table: Table
    counts: np.ndarray
    weights: np.ndarray
    weight: str  # the name of the column, if any

    @classmethod
    def of(cls, table: Table, names: Sequence[str], weight: str = "") -> "DistinctRecords":
        """Those of a table, in an order that does not depend on that of its records; no sum has a negative weight."""
        weights = np.where(table[weight] < 0, np.nan, table[weight]) if weight else np.zeros(table.n)
        return cls(table.select(names), np.ones(table.n, np.int64), weights, weight).merged()

    @classmethod
    def joined(cls, parts: "Sequence[DistinctRecords]") -> "DistinctRecords":
        """Those of several parts of a file."""
        table = joined([part.table for part in parts], parts[0].table.schema)
        counts = np.concatenate([part.counts for part in parts])
        weights = np.concatenate([part.weights for part in parts])
        return cls(table, counts, weights, parts[0].weight).merged()

    def merged(self) -> "DistinctRecords":
        """Those that are alike as one."""
        found = distinct(self.table.shown(self.table.names))
        counts = np.bincount(found.labels, self.counts, len(found.first)).astype(np.int64)
        weights = np.bincount(found.labels, self.weights, len(found.first))
        return DistinctRecords(self.table.take(found.first), counts, weights, self.weight)


class Plan(Protocol):
    """What a method does to every record, once it knows the whole file."""

    def applied(self, part: Table) -> Table:
        """Mask a part of the file."""


class Whole(ABC):
    """Facts about a file, or about one stratum of it. A method that asks here can mask a part of the file alone.

    >>> from sfumato.datasets import business_survey
    >>> firms = business_survey(50)
    >>> Whole.of(firms).present("staff") == firms.n
    True
    """

    @staticmethod
    def of(table: Table, among: Table | None = None) -> "Whole":
        """A table in memory, one part `among` others of a file; nothing is calculated before it is asked for."""
        return _InMemory(table, among)

    @abstractmethod
    def present(self, name: str) -> int:
        """How many records have a value."""

    @abstractmethod
    def frequencies(self, name: str) -> np.ndarray:
        """How many records have each category."""

    @abstractmethod
    def moments(self, names: tuple[str, ...]) -> ColumnScales:
        """Means, spans and standard deviations (by n − 1) of numeric columns."""

    @abstractmethod
    def spreads(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Means and standard deviations (by n) of numeric columns; 0 where all values are equal."""

    @abstractmethod
    def ends(self, name: str) -> tuple[float, float]:
        """The smallest and the largest number; NaN where there is none."""

    @abstractmethod
    def correlation(self, names: tuple[str, ...]) -> np.ndarray:
        """The correlations of numeric columns, each from the records that have both values."""

    @abstractmethod
    def tails(self, name: str, percent: float) -> Tails:
        """Where the smallest and largest `percent` of the values present lie; there must be one at least."""

    def distribution(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The values of a column of all records in order, or the codes of its categories, and how many have each.

        A method that asks for it is not applied to a file in parts.
        """
        raise NotImplementedError

    @abstractmethod
    def plan(self, masking: "InParts", names: tuple[str, ...]) -> Plan:
        """What a method that plans has planned for some columns."""


class _InMemory(Whole):
    def __init__(self, table: Table, among: Table | None = None) -> None:
        self._table = table
        self._among = table if among is None else among
        self._found: dict[tuple[str, ...], JointMoments | None] = {}

    def present(self, name: str) -> int:
        return int(np.count_nonzero(~self._table.missing(name)))

    def frequencies(self, name: str) -> np.ndarray:
        return frequencies(self._table[name], self._table.schema[name].domain_size)

    def moments(self, names: tuple[str, ...]) -> ColumnScales:
        return column_scales(self._table.numbers(names))

    def spreads(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        found = self._joint(names)
        return spreads(self._table.numbers(names)) if found is None else (found.means, found.deviations)

    def ends(self, name: str) -> tuple[float, float]:
        values = self._table[name][~self._table.missing(name)]
        return (float(values.min()), float(values.max())) if len(values) else (np.nan, np.nan)

    def correlation(self, names: tuple[str, ...]) -> np.ndarray:
        found = self._joint(names)
        if found is None:
            return correlation(standardised(self._table.numbers(names))[0])
        return found.correlation

    def _joint(self, names: tuple[str, ...]) -> JointMoments | None:
        if names not in self._found:
            self._found[names] = joint_moments([self._table[name] for name in names])
        return self._found[names]

    def tails(self, name: str, percent: float) -> Tails:
        values = self._table[name]
        ordered = np.sort(values[~np.isnan(values)])
        c = tail_length(len(ordered), percent)
        low, high = ordered[c], ordered[len(ordered) - 1 - c]
        below, above = values[values < low], values[values > high]
        means = [np.asarray(tail.mean() if len(tail) else np.nan) for tail in (below, above)]
        return Tails(float(low), float(high), len(below), len(above), means[0], means[1])

    def distribution(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        attribute, values = self._among.schema[name], self._among[name]
        if not attribute.is_numeric:
            return np.arange(attribute.domain_size), frequencies(values, attribute.domain_size)
        return np.unique(values[~np.isnan(values)], return_counts=True)

    def plan(self, masking: "InParts", names: tuple[str, ...]) -> Plan:
        return masking.planned(
            DistinctRecords.of(self._table, *masking.counted(self._table.schema, names)), names
        )


def tail_length(n: int, percent: float) -> int:
    """How many of n values are so many percent; never past the middle, so that two tails cannot cross."""
    return min(int(percent * n / 100 + 1e-9), (n - 1) // 2)


class InParts(Masking):
    """A masking that is written against facts of the whole file, so that records can be masked part by part.

    `parted_by` says which records must be together: none in particular ("records"), those that are alike
    ("neighbours"), or those of neighbouring ranks in one attribute at a time ("ranks"). A subclass writes
    `mask_part`; a table in memory is one part, and the whole.
    """

    far_together: ClassVar[bool] = False  # whether records far from the average are a part of their own

    @abstractmethod
    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        """Mask some columns of a part that holds at least one record."""

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        return self.mask_part(table, names, rng, Whole.of(table))

    def mask_among(
        self, part: Table, among: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> Table:
        return self.mask_part(part, names, rng, Whole.of(part, among))

    def apply_part(
        self, part: Table, names: tuple[str, ...], rng: np.random.Generator, wholes: Mapping[Stratum, Whole]
    ) -> Table:
        """Mask a part of a file, stratum by stratum where the method is stratified."""
        masked = self._apply_part(part, names, rng, wholes)
        return masked if self.households == "own" or masked.n == 0 else self.with_rules(masked, names)

    def _apply_part(
        self, part: Table, names: tuple[str, ...], rng: np.random.Generator, wholes: Mapping[Stratum, Whole]
    ) -> Table:
        if part.n == 0:
            return part
        if not self.divides(part.schema):
            return self.mask_part(part, names, rng, wholes[()])
        return by_stratum(
            part, names, lambda piece, _: self.mask_part(piece, names, rng, wholes[stratum_of(piece)])
        )

    @property
    def needs_correlation(self) -> bool:
        """Whether it asks for the correlation of the columns it masks."""
        return False

    @property
    def needs_tails(self) -> float | None:
        """Of which percentage it asks for the tails of the columns it masks, if it does."""
        return None

    @property
    def needs_plan(self) -> bool:
        """Whether it plans what to do from the distinct records of the file, before it masks any."""
        return False

    def counted(self, schema: Schema, names: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
        """The columns whose distinct records it plans from, and the weight it needs the sums of, if any."""
        return tuple(dict.fromkeys([*names, *schema.with_role("stratum")])), ""

    def planned(self, records: DistinctRecords, names: tuple[str, ...]) -> Plan:
        """What is to be done to some columns; for methods that plan."""
        raise NotImplementedError

    def reach(self, n: int) -> int:
        """How many ranks apart records of n can be that have to do with each other; for parts by ranks."""
        return 1

    def divides(self, schema: Schema) -> bool:
        """Whether each stratum is a file of its own to the method."""
        return self.stratified and bool(schema.with_role("stratum"))

    def beside(self, schema: Schema) -> tuple[str, ...]:
        """The columns it looks at beside those it masks."""
        return schema.with_role("stratum")

    def linked(self, schema: Schema) -> tuple[str, ...]:
        """The columns by which records must be together that have to do with each other, and which change with them."""
        return ()

    def places(self, part: Table, names: tuple[str, ...], whole: Whole) -> np.ndarray:
        """Where records stand, one column per attribute, when neighbours are to be brought together."""
        return positions(part, names, whole)


def stratum_of(part: Table) -> Stratum:
    """The stratum of the first record."""
    return tuple(int(part[name][0]) for name in part.schema.with_role("stratum"))


def positions(part: Table, names: tuple[str, ...], whole: Whole) -> np.ndarray:
    """Records on a scale from 0 to 1 in each attribute: numbers by the ends of the file, categories by order.

    A missing number stands in the middle, a missing category before all others.
    """
    columns = [_place(part.schema[name], part[name], whole) for name in names]
    return np.column_stack(columns) if columns else np.empty((part.n, 0))


def _place(attribute: Attribute, values: np.ndarray, whole: Whole) -> np.ndarray:
    if not attribute.is_numeric:
        position = np.full(attribute.domain_size + 1, -1.0)
        position[category_order(attribute)] = np.arange(attribute.domain_size)
        place: np.ndarray = position[values] / max(attribute.domain_size - 1, 1)
        return place
    low, high = whole.ends(attribute.name)
    scaled = (values - low) / (high - low) if high > low else np.zeros(len(values))
    return np.nan_to_num(scaled, nan=0.5)


def category_order(attribute: Attribute) -> np.ndarray:
    """The codes of an attribute in the order in which it is cut.

    That is the order of the domain, or, for a nominal attribute with a hierarchy, the order of its leaves
    after all levels above, so that brothers stay together.

    >>> from sfumato.data import Hierarchy
    >>> tree = Hierarchy((("Soria", "Castile"), ("Lleida", "Catalonia"), ("Avila", "Castile")))
    >>> names = ("Lleida", "Soria", "Avila")
    >>> town = Attribute(name="town", scale="nominal", categories=names, hierarchy=tree)
    >>> category_order(town).tolist()
    [1, 2, 0]
    """
    codes = np.arange(attribute.domain_size)
    if attribute.scale != "nominal" or attribute.hierarchy is None:
        return codes
    attribute.hierarchy.check_covers(attribute.name, attribute.categories)
    first: dict[str, int] = {}
    for position, row in enumerate(attribute.hierarchy.rows):
        for level, node in enumerate(row):
            first.setdefault(f"{level} {node}", position)
    paths = {
        row[0]: [first[f"{level} {node}"] for level, node in reversed(list(enumerate(row)))]
        for row in attribute.hierarchy.rows
    }
    return np.array(sorted(codes.tolist(), key=lambda code: paths[attribute.categories[code]]), np.int64)


def ranks_and_positions(part: Table, name: str, whole: Whole) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each record in the part (0 for missing), and where each rank stands on a scale of length 1."""
    attribute, values = part.schema[name], part[name]
    if attribute.is_numeric:
        places, ranks = np.unique(values, return_inverse=True)  # all NaN are one, and the last
        ranks, places = np.where(np.isnan(values), 0, ranks.ravel() + 1), places[~np.isnan(places)]
        low, high = whole.ends(name)
    else:
        order = category_order(attribute)
        position = np.empty(attribute.domain_size + 1, np.int64)
        position[order] = np.arange(1, attribute.domain_size + 1)
        position[MISSING] = 0
        ranks, places = position[values], np.arange(attribute.domain_size, dtype=np.float64)
        used = np.flatnonzero(whole.frequencies(name)[order])
        low, high = (float(used[0]), float(used[-1])) if len(used) else (np.nan, np.nan)
    scaled = (places - low) / (high - low) if high > low else np.zeros(len(places))
    return ranks, np.concatenate([[0.0], scaled])
