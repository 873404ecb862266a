"""MDAV-generic: microaggregation of numbers and categories together."""

from typing import ClassVar, NamedTuple

import numpy as np

from sfumato.core import Advice, param
from sfumato.data import MISSING, Attribute, Table
from sfumato.kernels.mdav_generic import mdav_generic_groups
from sfumato.kernels.mondrian import mondrian_regions
from sfumato.masking._aggregates import group_means
from sfumato.masking._contract import check_enough
from sfumato.masking._missing_values import HELP, READINGS, released_by_groups
from sfumato.masking._parts import Whole, positions
from sfumato.masking._regions import table_ranks
from sfumato.masking._secrecy import Secretive
from sfumato.parallel.threads import in_blocks


class MdavGeneric(Secretive):
    """Groups of k records around the extremes of the file, in attributes of any scale.

    The groups are made as `mdav` makes them; the average record and the distance are those of each scale:

    - numeric: the mean; the difference of the standardised values,
    - ordinal: the median (the lower of two); |a − b| / number of categories,
    - nominal: the mode (of equally frequent ones the first in the domain); 0 if equal, 1 if not.

    The distance of two records is the root of the sum of squares. With `standardise="range"` every attribute
    counts from 0 to 1. Each group releases its average record, rounded to the declared decimals, so every
    group shares one combination of all masked attributes: the released file is k-anonymous over mixed keys.

    Missing values are at distance 1 from any value and 0 from each other, and play no part in averages. In each
    attribute a group releases its average for all records if more than half have a value, else missing for all
    (`missing="category"`). With `"any"` they stay missing, and the file is k-anonymous if a missing value matches
    any; with `"impute"` they take the average.

    The time grows as the square of the records. So files of more than twice `block` records are first cut
    into blocks of that many by relaxed `mondrian` cuts, and each is grouped by itself.

    Source: Domingo-Ferrer & Torra (2005), as Algorithm 4 and eqs. 2.6 and 2.7 of Marés, *thesis*, §2.3.2.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = pa.table({"town": ["a", "a", "b", "c", "c"], "age": [20.0, 30.0, 25.0, 60.0, 64.0]})
    >>> masked = MdavGeneric(k=2).apply(table_from_frame(people), np.random.default_rng(1))
    >>> masked.to_arrow().to_pydict()
    {'town': ['a', 'a', 'a', 'c', 'c'], 'age': [25.0, 25.0, 25.0, 62.0, 62.0]}
    """

    k_anonymous = True
    parted_by = "neighbours"
    grid: ClassVar = {"k": (2, 3, 5, 10, 20, 50)}
    for_users: ClassVar[Advice] = Advice(
        done="Records with similar values were put into small groups, and each takes the mean, the "
        "middle category or the most frequent category of its group.",
        effect="Means of numbers are nearly those collected, while variances and extremes are smaller; "
        "frequent categories become more frequent, and rare ones rarer or absent.",
        remedy="Rely on means and on frequent categories of many records; take no absence of a rare "
        "category for a fact, and standard errors as somewhat too small.",
    )

    k: int = param(default=5, low=1, help="smallest number of records in a group")
    standardise: str = param(
        default="range", choices=("range", "zscore", "none"), help="scaling of numbers before distances"
    )
    missing: str = param(default="category", choices=READINGS, help=HELP)
    block: int = param(default=2_000, low=1, help="how many records are grouped by themselves in large files")

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        labels = self.group(part, names, whole)
        if self.is_secretive:
            labels = self.kept_secret(labels, positions(part, names, whole), part, names, whole)
        columns = {name: group_release(part.schema[name], part[name], labels)[labels] for name in names}
        return released_by_groups(part, columns, labels, self.missing)

    def group(self, part: Table, names: tuple[str, ...], whole: Whole) -> np.ndarray:
        check_enough(self.name, self.k, part.n)
        if self.k == 1:
            return np.arange(part.n)
        records = mixed_records(part, names, self.standardise, whole)
        size = max(self.block, self.k)
        if part.n < 2 * size:
            return mdav_generic_groups(*records, self.k)
        return self._in_blocks(records, mondrian_regions(*table_ranks(part, names, whole), size, True))

    def _in_blocks(self, records: "MixedRecords", blocks: np.ndarray) -> np.ndarray:
        by_block = np.argsort(blocks, kind="stable")
        ends = np.cumsum(np.bincount(blocks))
        starts = ends - np.bincount(blocks)

        def grouped(first: int, _: int) -> np.ndarray:
            rows = by_block[starts[first] : ends[first]]
            part = records._replace(Z=records.Z[rows], C=records.C[rows])
            return mdav_generic_groups(*part, self.k)

        found = in_blocks(grouped, len(ends), 1)
        groups = np.maximum.reduceat(found, starts) + 1
        labels = np.empty(len(blocks), np.int64)
        labels[by_block] = found + np.repeat(np.cumsum(groups) - groups, ends - starts)
        return labels


class MixedRecords(NamedTuple):
    """Numbers, codes, and what a step between codes is worth; see `kernels.mdav_generic`."""

    Z: np.ndarray
    C: np.ndarray
    steps: np.ndarray
    sizes: np.ndarray


def mixed_records(part: Table, names: tuple[str, ...], standardise: str, whole: Whole) -> MixedRecords:
    """The records with standardised numbers, and the steps of `data.coverage`: 1 / size of an ordinal domain."""
    numeric = tuple(name for name in names if part.schema[name].is_numeric)
    others = [part.schema[name] for name in names if name not in numeric]
    return MixedRecords(
        np.ascontiguousarray(whole.moments(numeric).scaled(part.numbers(numeric), standardise)),
        np.ascontiguousarray(part.codes(a.name for a in others)),
        np.array([1 / max(a.domain_size, 1) if a.scale == "ordinal" else 0.0 for a in others]),
        np.array([a.domain_size for a in others], np.int64),
    )


def group_release(attribute: Attribute, values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """What each group releases: the mean (made legal), the lower median or the mode of the values present.

    Missing where no value is present. Of two modes the one that comes first in the domain.

    >>> size = Attribute(name="size", scale="ordinal", categories=("S", "M", "L"))
    >>> labels = np.array([0, 0, 0, 1, 1, 2])
    >>> group_release(size, np.array([2, 0, 1, 2, 0, -1]), labels).tolist()
    [1, 0, -1]
    >>> group_release(size.evolve(scale="nominal"), np.array([2, 0, 2, 2, 0, -1]), labels).tolist()
    [2, 0, -1]
    """
    if attribute.is_numeric:
        return attribute.conform(group_means(values[:, None], labels)[:, 0])
    groups = int(labels.max(initial=-1)) + 1
    released = np.full(groups, MISSING)
    at = np.flatnonzero(values >= 0)
    cells = labels[at] * attribute.domain_size + values[at].astype(np.int64)
    if attribute.scale == "ordinal":
        cells = np.sort(cells)
        counts = np.bincount(labels[at], minlength=groups)
        ends = np.cumsum(counts)
        middles = (ends - counts + (counts - 1) // 2)[counts > 0]
        released[counts > 0] = cells[middles] % attribute.domain_size
        return released
    cells, counts = np.unique(cells, return_counts=True)
    by_count = np.lexsort((-cells, counts))  # the last one written is the most frequent, then the first
    released[cells[by_count] // max(attribute.domain_size, 1)] = cells[by_count] % max(
        attribute.domain_size, 1
    )
    return released
