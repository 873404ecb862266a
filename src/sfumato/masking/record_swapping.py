"""Record swapping: whole households trade regions with similar ones nearby."""

import itertools
from typing import ClassVar, NamedTuple

import numpy as np

from sfumato.core import Advice, DataError, param, progress
from sfumato.data import Attribute, Table
from sfumato.data.households import compositions, first_members, together
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._contract import Agreement, Masking


class RecordSwapping(Masking):
    """Pairs of households of different regions trade places; everything else about them stays.

    The masked column is the region. Two households may trade if they are of equal size and their members,
    in whatever order, have the same values in the `similar` attributes. Pairs are made at random: first
    among regions with the same parent in the hierarchy of the column, then, of those left over, with the
    same grandparent, and so on; with `level` 0 at last in the whole file, otherwise within the ancestor at
    that level and never beyond. Of all pairs, round(p·H / 200) are drawn, as far as there are so many, so
    that p percent of the H households with a region move.

    With `risk` "keys" the swaps are aimed where they protect most: a household is at risk if the values of a
    member in the other key attributes occur once in its region. These find their partners, at risk or not,
    before all others; their pairs are drawn first, and a note says how many of them stay where they are.
    Keys of many values, such as exact income, put everybody at risk: recode them, or give another role.

    Each region keeps its numbers of households and of records, and its table of the similar attributes;
    with a `level`, the regions of that level keep all their records. `swaps` lists the pairs for the owner's
    audit, given a generator of the same seed. Numbers such as income seldom agree: name as similar what has
    few values. Other columns that tell the place of a household must be masked or left out.

    The role household says who lives together; without it, or where it is missing, each record is a
    household. Missing values of the region stay where they are, with their households; a missing similar
    value is like another one. Strata count as similar attributes.

    Source: Dalenius & Reiss (1982); Shlomo, Tudor & Groom (2010), with households drawn at random or, as
    they target them, by uniqueness.

    >>> import pyarrow as pa
    >>> from sfumato.data import Hierarchy, table_from_frame
    >>> towns = ["Soria", "Soria", "Avila", "Avila", "Avila", "Porto"]
    >>> people = table_from_frame(pa.table({"home": [1, 1, 2, 3, 3, 4], "town": towns}))
    >>> paths = (("Soria", "Castile"), ("Avila", "Castile"), ("Porto", "Norte"))
    >>> town = people.schema["town"].evolve(hierarchy=Hierarchy(paths))
    >>> home = people.schema["home"].evolve(role="household")
    >>> people = people.with_schema(people.schema.replace([town, home]))
    >>> swapping = RecordSwapping(p=100, level=1)
    >>> swapping.apply(people, np.random.default_rng(1)).to_arrow()["town"].to_pylist()
    ['Avila', 'Avila', 'Avila', 'Soria', 'Soria', 'Porto']
    >>> swapping.swaps(people, np.random.default_rng(1)).tolist()
    [[0, 3]]
    """

    scales = ("nominal",)
    stratified = False
    for_users: ClassVar[Advice] = Advice(
        done="Some households, or records, traded regions with similar ones elsewhere; all else about "
        "them is as collected.",
        effect="Numbers of households and records in each region are exact; relations between the region "
        "and other variables are slightly weaker.",
        remedy="Use figures of large regions as they are, and do not interpret small groups in small "
        "regions: some of their members come from elsewhere.",
    )

    p: float = param(default=10.0, low=0, high=100, help="share of the households to swap, in percent")
    similar: tuple[str, ...] = param(default=(), help="columns in which swapped households must agree")
    level: int = param(default=0, low=0, help="level of the hierarchy to stay within (0: the whole file)")
    risk: str = param(
        default="none",
        choices=("none", "keys"),
        help="swap those first who are unique in their region by these",
    )

    @property
    def households(self) -> Agreement:
        return "own"

    def targets(self, table: Table) -> tuple[str, ...]:
        """The column of regions: the one named, or the only nominal key with a hierarchy."""
        names = super().targets(table)
        if not self.attributes:
            names = tuple(name for name in names if table.schema[name].hierarchy is not None)
        if len(names) != 1:
            what = "columns" if self.attributes else "nominal keys with a hierarchy"
            raise DataError(f"{self.name}: one column of regions must be named. Got {len(names)} {what}.")
        return names

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        households = self._households(table, names[0])
        a, b = self._pairs(households, table.schema[names[0]], rng)
        regions = households.regions.copy()
        regions[a], regions[b] = households.regions[b], households.regions[a]
        staying = np.count_nonzero(households.at_risk & (regions == households.regions) & (regions >= 0))
        if staying:
            progress.note(
                f"{self.name}: {staying} of {np.count_nonzero(households.at_risk)} households at risk stay in "
                f"their region; raise p, or name fewer similar columns."
            )
        return table.replace({names[0]: regions[households.labels]})

    def swaps(self, table: Table, rng: np.random.Generator) -> np.ndarray:
        """The pairs of households that `apply` swaps, each by the row of its first record."""
        (name,) = self.targets(table)
        households = self._households(table, name)
        pairs = np.column_stack(self._pairs(households, table.schema[name], rng))
        rows: np.ndarray = households.first[pairs]
        return rows

    def _households(self, table: Table, region: str) -> "Households":
        if region in self.similar:
            raise DataError(f"{self.name}: column {region} must not be both masked and similar.")
        labels = together(table)
        alike = [
            table[name] for name in (*self.similar, *table.schema.with_role("stratum")) if name != region
        ]
        kinds = distinct(alike).labels if alike else np.zeros(table.n, np.int64)
        first = first_members(labels)
        regions = table[region][first]
        torn = np.count_nonzero(np.bincount(labels, table[region] != regions[labels]))
        if torn:
            raise DataError(
                f"{self.name}: column {region} must be the same for all members of a household. "
                f"Got {torn} households with several regions."
            )
        at_risk = np.bincount(labels, self._unique(table, region)) > 0
        return Households(labels, first, regions, compositions(labels, kinds), at_risk)

    def _unique(self, table: Table, region: str) -> np.ndarray:
        """Which records are alone in their region with their values of the keys."""
        if self.risk == "none":
            return np.zeros(table.n, bool)
        keys = [name for name in table.schema.with_role("key") if name != region]
        if not keys:
            raise DataError(f"{self.name}: risk = keys needs a key attribute beside column {region}.")
        found = distinct([table[name] for name in (*keys, region)])
        unique: np.ndarray = found.counts[found.labels] == 1
        unique &= ~table.missing(region)
        return unique

    def _pairs(
        self, households: "Households", attribute: Attribute, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        left = np.flatnonzero(households.regions >= 0)
        count = round(self.p * len(left) / 200)
        areas = self._areas(attribute)
        aims = (True, False) if households.at_risk.any() else (False,)
        found = [np.empty((2, 0), np.int64)]
        for aimed, area in itertools.product(aims, areas):
            pairs = _pairs_within(area, households, left, rng, aimed=aimed)
            found.append(left[pairs])
            left = np.delete(left, pairs.ravel())
        a, b = np.hstack(found)
        chosen = rng.permutation(len(a))
        urgent = (households.at_risk[a] | households.at_risk[b])[chosen]
        chosen = chosen[np.argsort(~urgent, kind="stable")][:count]
        return a[chosen], b[chosen]

    def _areas(self, attribute: Attribute) -> list[np.ndarray]:
        """For each step of the search, the area that a region belongs to."""
        hierarchy = attribute.hierarchy
        depth = hierarchy.depth if hierarchy is not None else 0
        if self.level > depth:
            raise DataError(
                f"{self.name}: level must be at most {depth}, the depth of the hierarchy of column "
                f"{attribute.name}. Got {self.level}."
            )
        areas = []
        if hierarchy is not None:
            hierarchy.check_covers(attribute.name, attribute.categories)
            for level in range(1, (self.level or depth) + 1):
                ancestors = hierarchy.ancestors(level)
                names = [ancestors[category] for category in attribute.categories]
                areas.append(np.unique(names, return_inverse=True)[1].ravel())
        return areas if self.level else [*areas, np.zeros(attribute.domain_size, np.int64)]


class Households(NamedTuple):
    """Who lives together, and where."""

    labels: np.ndarray  # the household of each record
    first: np.ndarray  # for each household, its first record,
    regions: np.ndarray  # its region,
    profiles: np.ndarray  # what those it may trade with have in common,
    at_risk: np.ndarray  # and whether it should trade before others


def _pairs_within(
    area: np.ndarray, households: Households, left: np.ndarray, rng: np.random.Generator, *, aimed: bool
) -> np.ndarray:
    """Pairs among those who are left, of the same area; `aimed` at risk, only pairs that hold one who is."""
    regions = households.regions[left]
    cells = distinct([households.profiles[left], area[regions]]).labels
    if not aimed:
        return pairs_between(cells, regions, rng)
    at_risk = households.at_risk[left]
    able = np.delete(np.arange(len(left)), without_partner(cells, regions, at_risk, rng))
    pairs: np.ndarray = able[pairs_between(cells[able], regions[able], rng)]
    return pairs[:, at_risk[pairs].any(axis=0)]


def pairs_between(cells: np.ndarray, regions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Pair positions of the same cell and different regions at random, as many as can be; two rows.

    In a cell ordered by region, positions half a cell apart are of the same region only if it holds more
    than half of the cell; and then all others have a partner in it.

    >>> pairs_between(np.array([0, 0, 0, 1, 1]), np.array([5, 5, 6, 5, 5]), np.random.default_rng(1)).tolist()
    [[0], [2]]
    """
    order = rng.permutation(len(cells))
    turn = rng.permutation(int(regions.max(initial=-1)) + 1)  # no region is always beside the same one
    order = order[np.lexsort((turn[regions[order]], cells[order]))]
    starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
    counts = np.diff(np.append(starts, len(order)))
    half = np.repeat((counts + 1) // 2, counts)
    place = np.arange(len(order)) - np.repeat(starts, counts)
    at = np.flatnonzero(place + half < np.repeat(counts, counts))
    pairs = np.stack([order[at], order[at + half[at]]])
    return pairs[:, regions[pairs[0]] != regions[pairs[1]]]


def without_partner(
    cells: np.ndarray, regions: np.ndarray, urgent: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Positions to leave out so that `pairs_between` pairs all others, and as many urgent ones as can be.

    Where one region holds more than half of a cell, what it holds beyond the number of all others is left
    out; of any other cell, one if its number is odd. The urgent are left out last, the rest at random.

    >>> cells, regions = np.array([0, 0, 0, 1]), np.array([5, 5, 6, 5])
    >>> without_partner(cells, regions, np.array([1, 0, 0, 1], bool), np.random.default_rng(1)).tolist()
    [1, 3]
    """
    groups, totals = distinct([cells, regions]), np.bincount(cells)
    most = np.zeros(len(totals), np.int64)
    np.maximum.at(most, cells[groups.first], groups.counts)
    ruled = 2 * most > totals
    may_go = ~ruled[cells] | (2 * groups.counts[groups.labels] > totals[cells])
    surplus = np.where(ruled, 2 * most - totals, totals % 2)
    order = rng.permutation(len(cells))
    order = order[np.lexsort((urgent[order], ~may_go[order], cells[order]))]
    place = np.arange(len(order)) - np.repeat(np.cumsum(totals) - totals, totals)
    return np.sort(order[place < np.repeat(surplus, totals)])
