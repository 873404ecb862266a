"""Regions of Mondrian: cutting a table of any scales, and what the records of a region release."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from sfumato.core import param
from sfumato.data import Attribute, Table
from sfumato.kernels.mondrian import mondrian_regions
from sfumato.masking._contract import check_enough, naming
from sfumato.masking._missing_values import HELP, READINGS, released_by_groups
from sfumato.masking._parts import Whole, category_order, positions, ranks_and_positions
from sfumato.masking._secrecy import Secretive

LAST = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Regions:
    """Which region each record is in, and for each region and attribute the ends of the ranks present.

    `low` is 0 where all of a region miss the attribute.
    """

    labels: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Regional(Secretive):
    """A masking whose records release what their Mondrian region is like; a subclass writes `released`.

    A missing value is a value of its own: where k records miss an attribute and k have it, they are parted
    first. Where fewer do, `missing` says what the region releases: with "category" its values for all records
    if more than half have one, else missing for all; with "any" what is missing stays so, and the file is
    k-anonymous if a missing value matches any; with "impute" all records take the region's.

    With strata, no region holds records of two.
    """

    k_anonymous = True
    parted_by = "neighbours"
    stratified = False  # it looks at the strata itself: the new domains are those of the whole file

    k: int = param(default=5, low=1, help="smallest number of records in a region")
    relaxed: bool = param(default=False, help="cut in halves, even between records that have the same value")
    missing: str = param(default="category", choices=READINGS, help=HELP)

    @abstractmethod
    def released(
        self, attribute: Attribute, values: np.ndarray, order: np.ndarray, regions: Regions, j: int
    ) -> tuple[Attribute, np.ndarray]:
        """The attribute as released, and its value for each record; rank r is the category order[r − 1]."""

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        orders = [category_order(part.schema[name]) for name in names]
        regions = self.regions(part, names, whole)
        columns, attributes = {}, []
        for j, (name, order) in enumerate(zip(names, orders, strict=True)):
            attribute, columns[name] = self.released(part.schema[name], part[name], order, regions, j)
            attributes.append(attribute)
        return released_by_groups(part, columns, regions.labels, self.missing, attributes)

    def regions(self, part: Table, names: tuple[str, ...], whole: Whole) -> Regions:
        ranks, places, offsets = table_ranks(part, names, whole)
        labels, count = np.empty(part.n, np.int64), 0
        for stratum, rows in part.strata():
            with naming(stratum):
                check_enough(self.name, self.k, len(rows))
            here = ranks if len(rows) == part.n else ranks[rows]
            found = mondrian_regions(here, places, offsets, self.k, self.relaxed)
            labels[rows] = count + self._secret_regions(found, part.take(rows), names, whole)
            count = int(labels[rows].max()) + 1
        return _described(ranks, labels)

    def _secret_regions(
        self, labels: np.ndarray, part: Table, names: tuple[str, ...], whole: Whole
    ) -> np.ndarray:
        if not self.is_secretive:
            return labels
        return self.kept_secret(labels, positions(part, names, whole), part, names, whole)


def table_ranks(
    part: Table, names: tuple[str, ...], whole: Whole
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranks of the records in each attribute, where ranks stand, and from where on in each attribute."""
    ranked = [ranks_and_positions(part, name, whole) for name in names]
    ranks = np.column_stack([r for r, _ in ranked]).astype(np.int32)
    offsets = np.cumsum([0, *(len(p) for _, p in ranked)])[:-1]
    return ranks, np.concatenate([p for _, p in ranked]), offsets


def _described(ranks: np.ndarray, labels: np.ndarray) -> Regions:
    by_region = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[by_region], np.arange(labels.max() + 1))
    sorted_ranks = ranks[by_region]
    high = np.maximum.reduceat(sorted_ranks, starts)
    sorted_ranks[sorted_ranks == 0] = LAST
    low = np.minimum.reduceat(sorted_ranks, starts)
    low[low == LAST] = 0
    return Regions(labels, low, high)
