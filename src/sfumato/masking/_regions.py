"""Regions of Mondrian: cutting a table of any scales, and what the records of a region release."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.core import DataError, param
from sfumato.data import MISSING, Attribute, Table
from sfumato.kernels.mondrian import mondrian_regions
from sfumato.masking._contract import Masking, naming

LAST = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Regions:
    """Which region each record is in, and for each region and attribute the ends of the ranks present.

    `mixed` tells where some records of a region, but not all, miss the attribute; `low` is 0 where all do.
    """

    labels: np.ndarray
    low: np.ndarray
    high: np.ndarray
    mixed: np.ndarray


class Regional(Masking):
    """A masking whose records release what their Mondrian region is like; a subclass writes `released`.

    A missing value is a value of its own: where k records miss an attribute and k have it, they are parted
    first. Where fewer do, `missing` says what the region releases: with "category" all its records are made
    missing there, and the file is k-anonymous if missing is a value like others; with "keep" those that have
    a value keep the region's, and it is k-anonymous if a missing value matches any; with "impute" all of
    them take the region's.

    With strata, no region holds records of two.
    """

    k_anonymous: ClassVar[bool] = True
    stratified = False  # it looks at the strata itself: the new domains are those of the whole file

    k: int = param(default=5, low=1, help="smallest number of records in a region")
    relaxed: bool = param(default=False, help="cut in halves, even between records that have the same value")
    missing: str = param(
        default="category", choices=("category", "keep", "impute"), help="what missing values are like"
    )

    @abstractmethod
    def released(
        self, attribute: Attribute, values: np.ndarray, order: np.ndarray, regions: Regions, j: int
    ) -> tuple[Attribute, np.ndarray]:
        """The attribute as released, and its value for each record; rank r is the category order[r − 1]."""

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        """Cut the table into regions, and release what each is like."""
        orders = [category_order(table.schema[name]) for name in names]
        regions = self.regions(table, names)
        columns, attributes = {}, []
        for j, (name, order) in enumerate(zip(names, orders, strict=True)):
            attribute, values = self.released(table.schema[name], table[name], order, regions, j)
            hidden = table.missing(name)
            if self.missing == "impute":
                hidden = hidden & (regions.low[regions.labels, j] == 0)
            elif self.missing == "category":
                hidden = hidden | regions.mixed[regions.labels, j]
            columns[name] = np.where(hidden, np.nan if attribute.is_numeric else MISSING, values)
            attributes.append(attribute)
        return table.replace(columns, attributes)

    def regions(self, table: Table, names: tuple[str, ...]) -> Regions:
        """The regions of a table, stratum by stratum."""
        ranks, places, offsets = table_ranks(table, names)
        labels, count = np.empty(table.n, np.int64), 0
        for stratum, rows in table.strata():
            with naming(stratum):
                if len(rows) < self.k:
                    raise DataError(
                        f"{self.name}: k = {self.k} needs at least {self.k} records. Got {len(rows)}."
                    )
            part = ranks if len(rows) == table.n else ranks[rows]
            labels[rows] = count + mondrian_regions(part, places, offsets, self.k, self.relaxed)
            count = int(labels[rows].max()) + 1
        return _described(ranks, labels)


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


def table_ranks(table: Table, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranks of the records in each attribute, where ranks stand, and from where on in each attribute."""
    ranked = [_ranks(table.schema[name], table[name]) for name in names]
    ranks = np.column_stack([r for r, _ in ranked]).astype(np.int32)
    offsets = np.cumsum([0, *(len(p) for _, p in ranked)])[:-1]
    return ranks, np.concatenate([p for _, p in ranked]), offsets


def _ranks(attribute: Attribute, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each record (0 for missing), and where each rank stands on a scale of length 1."""
    if attribute.is_numeric:
        places, ranks = np.unique(values, return_inverse=True)  # all NaN are one, and the last
        missing = np.isnan(values)
        ranks, places = np.where(missing, 0, ranks.ravel() + 1), places[~np.isnan(places)]
    else:
        position = np.empty(attribute.domain_size + 1, np.int64)
        position[category_order(attribute)] = np.arange(1, attribute.domain_size + 1)
        position[MISSING] = 0
        ranks, places = position[values], np.arange(attribute.domain_size, dtype=np.float64)
    present = ranks[ranks > 0]
    if len(present) == 0:
        return ranks, np.zeros(len(places) + 1)
    low, high = places[present.min() - 1], places[present.max() - 1]
    scaled = (places - low) / (high - low) if high > low else np.zeros(len(places))
    return ranks, np.concatenate([[0.0], scaled])


def _described(ranks: np.ndarray, labels: np.ndarray) -> Regions:
    by_region = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[by_region], np.arange(labels.max() + 1))
    sorted_ranks = ranks[by_region]
    least = np.minimum.reduceat(sorted_ranks, starts)
    high = np.maximum.reduceat(sorted_ranks, starts)
    sorted_ranks[sorted_ranks == 0] = LAST
    low = np.minimum.reduceat(sorted_ranks, starts)
    low[low == LAST] = 0
    return Regions(labels, low, high, (least == 0) & (high > 0))
