"""Data swapping: pairs of records trade their categories."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, param
from sfumato.data import Schema, Table
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._parts import InParts, Whole


class DataSwapping(InParts):
    """Elementary swaps: two records, chosen at random, interchange their values of an attribute.

    Records that agree in all `matching` attributes (all records, where none is named) are paired at random,
    and round(p·n / 200) pairs are drawn, as far as there are so many, so that p percent of the n records with
    a value trade it. Each attribute is swapped by itself, with pairs of its own, unless `together`: then a
    pair trades all masked attributes at once.

    Every attribute keeps its frequencies exactly, and so does every table of it (together: of them) with
    matching attributes. Relations with all other attributes blur as p grows. A pair may hold equal
    categories; the swap is counted and changes nothing.

    Missing values stay where they are: only records with a value are paired, or, `together`, those that have
    values in the same attributes. A missing value of a matching attribute matches another one. With strata,
    no value leaves its stratum. A file larger than memory is swapped block by block, of 500,000 records each.

    Source: Dalenius & Reiss (1982), as in Fayyoumi, *thesis*, §2.5.1.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> regions = ["north", "south", "south", "east", "south", "north"]
    >>> people = table_from_frame(pa.table({"sex": list("ffmmfm"), "region": regions}))
    >>> swapping = DataSwapping(p=100, matching=("sex",), attributes=("region",))
    >>> swapping.apply(people, np.random.default_rng(1)).to_arrow()["region"].to_pylist()
    ['south', 'south', 'north', 'east', 'north', 'south']
    """

    scales = ("ordinal", "nominal")
    parted_by = "records"
    grid: ClassVar = {"p": (10.0, 20.0, 40.0, 60.0, 80.0)}
    for_users: ClassVar[Advice] = Advice(
        done="Values were exchanged between records chosen at random.",
        effect="The distribution of each variable is exact; its relations with other variables are "
        "weaker than they were.",
        remedy="Use counts of single variables as they are; take associations, and differences between "
        "small groups, as understated.",
    )

    p: float = param(default=20.0, low=0, high=100, help="share of the records to swap, in percent")
    matching: tuple[str, ...] = param(default=(), help="columns in which swapped records must agree")
    together: bool = param(default=False, help="swap all columns of a pair at once")

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        for name in self.matching:
            if name in names:
                raise DataError(f"{self.name}: column {name} must not be both masked and matching.")
        columns = {}
        for swapped in [names] if self.together else [(name,) for name in names]:
            a, b = self._pairs(part, swapped, rng)
            for name in swapped:
                values = part[name].copy()
                values[a], values[b] = part[name][b], part[name][a]
                columns[name] = values
        return part.replace(columns)

    def beside(self, schema: Schema) -> tuple[str, ...]:
        return (*super().beside(schema), *self.matching)

    def _pairs(
        self, table: Table, names: Sequence[str], rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        absent = [table.missing(name) for name in names]
        rows = np.flatnonzero(~np.logical_and.reduce(absent))
        alike = [absent[j][rows].astype(np.int8) for j in range(len(names))]
        labels = distinct([*alike, *(table[name][rows] for name in self.matching)]).labels
        a, b = random_pairs(labels, rng)
        chosen = rng.permutation(len(a))[: round(self.p * len(rows) / 200)]
        return rows[a[chosen]], rows[b[chosen]]


def random_pairs(labels: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pair positions of equal label at random; of an odd number one is left over.

    >>> a, b = random_pairs(np.array([0, 1, 0, 2, 2, 2]), np.random.default_rng(3))
    >>> a.tolist(), b.tolist()
    ([2, 5], [0, 4])
    """
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    counts = np.diff(np.append(starts, len(order)))
    place = np.arange(len(order)) - np.repeat(starts, counts)
    first = np.flatnonzero((place % 2 == 0) & (place + 1 < np.repeat(counts, counts)))
    return order[first], order[first + 1]
