"""Subgroup means: how far means and shares by subgroup in the masked file lie from the original ones."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sfumato.core import param
from sfumato.data import Table
from sfumato.data.coverage import Coverage, coverage_of
from sfumato.measures._contract import Bound, Measure
from sfumato.measures.statistics.spreads import centre_and_spread

LEAST_SHARE = 1e-9  # of a record; less is rounding of survey weights


class SubgroupMeans(Measure):
    """100 · mean over pairs of attributes (x, y) of how far the means of y by groups of x have moved.

    A user of the release sees nothing else: in each file the groups are formed by the values of x in that
    file, the categories of x or, if it is numeric, `groups` groups of equal size by its quantiles (records tied
    across a border count in both, as if their order were drawn). Of a numeric y the means of a group are
    compared, min(1, |mean' − mean| / s) with s the standard deviation of y in the original; of a categorical y the
    shares of its categories, Σ|share' − share| / 2. Groups count by the number of records they have in the
    original. So a file with the right totals but the wrong people in its subgroups loses much; how much, depends
    on how much the subgroups differ: where x and y are unrelated there is nothing to lose.

    0 where nothing changed, never above 100. Records in which x or y is missing are left out; a group that is
    left without any loses 100 %, and what the original does not have is not asked for. A recoded category counts as a
    uniform draw from those it covers. A constant y is compared unscaled. A single attribute is compared in the
    file as a whole. Weights count records. The parts are the loss of each attribute y, over the groups of all x.

    It does not see breakdowns by two attributes at once, or who has which value.

    Source: ours; breakdowns by one other attribute, which is what most tables made from microdata are.

    >>> from sfumato.data import Attribute, Schema
    >>> pay = Attribute(name="pay", scale="numeric", role="key")
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> columns = {"pay": np.array([1.0, 2.0, 3.0, 4.0]), "sex": np.array([0, 0, 1, 1])}
    >>> original = Table(Schema([pay, sex]), columns)
    >>> masked = original.replace({"sex": np.array([0, 1, 0, 1])})  # the same mean, the same number of women
    >>> parts = SubgroupMeans(groups=2).bind(original).score(masked).parts
    >>> {name: round(part, 2) for name, part in parts.items()}
    {'pay': 44.72, 'sex': 50.0}
    """

    sense = "loss"
    joinable = False

    groups: int = param(default=4, low=2, high=100, help="groups by the quantiles of a numeric attribute")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return _BoundSubgroupMeans(self, original, names)


class _File(NamedTuple):
    """A file as groups (of x) and as what is averaged over them (of y)."""

    groups: list[csr_array]
    numbers: np.ndarray  # standardised, 0 where missing
    present: np.ndarray
    shares: list[csr_array]


class _BoundSubgroupMeans(Bound):
    def __init__(self, measure: SubgroupMeans, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.quantiles = measure.groups
        self.numeric = [name for name in names if original.schema[name].is_numeric]
        self.nominal = [name for name in names if name not in self.numeric]
        self.grouping = names if len(names) > 1 else ("",)
        units = [centre_and_spread(original[name], self.weights) for name in self.numeric]
        self.centre = np.array([centre for centre, _ in units])
        self.spread = np.array([spread or 1.0 for _, spread in units])
        self.file = self._file(original)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        file = self._file(masked)
        losses: dict[str, list[float]] = {name: [] for name in self.names}
        for x, before, after in zip(self.grouping, self.file.groups, file.groups, strict=True):
            for y, lost in zip(self.numeric, self._of_numbers(before, after, file), strict=True):
                losses[y] += [lost] * (y != x)
            for y, old, new in zip(self.nominal, self.file.shares, file.shares, strict=True):
                if y != x:
                    losses[y].append(_of_shares(before.T @ old, after.T @ new))
        parts = {name: 100 * float(np.mean(lost)) for name, lost in losses.items()}
        return sum(parts.values()) / len(parts), parts

    def _file(self, table: Table) -> _File:
        z = (table.numbers(self.numeric) - self.centre) / self.spread
        members = {
            name: categories_of(coverage_of(self.original.schema[name], table.schema[name]), table[name])
            for name in self.nominal
        }
        groups = [
            members[name] if name in members else quantile_groups(table[name], self.quantiles, self.weights)
            for name in self.names
        ]
        if self.grouping != self.names:
            groups = [csr_array(np.ones((table.n, 1)))]
        if self.weights is not None:
            groups = [csr_array(group.multiply(self.weights[:, None])) for group in groups]
        return _File(groups, np.nan_to_num(z), 1.0 - np.isnan(z), list(members.values()))

    def _of_numbers(self, before: csr_array, after: csr_array, file: _File) -> np.ndarray:
        """The mean loss over the groups, for each numeric attribute."""
        weight, left = before.T @ self.file.present, after.T @ file.present
        means = before.T @ self.file.numbers / np.where(weight > 0, weight, 1.0)
        found = after.T @ file.numbers / np.where(left > 0, left, 1.0)
        lost = np.where(left > 0, np.minimum(np.abs(found - means), 1.0), 1.0)
        averaged: np.ndarray = (weight * lost).sum(0) / np.where(weight.sum(0) > 0, weight.sum(0), 1.0)
        return averaged


def _of_shares(old: csr_array, new: csr_array) -> float:
    """The mean loss over the groups for a categorical attribute, from its counts by group."""
    weight, left = old.sum(axis=1), new.sum(axis=1)
    if not weight.any():
        return 0.0
    apart = abs(_scaled(old, weight) - _scaled(new, left)).sum(axis=1) / 2
    return float(weight @ np.where(left > 0, apart, 1.0) / weight.sum())


def _scaled(counts: csr_array, totals: np.ndarray) -> csr_array:
    return csr_array(counts.multiply((1 / np.where(totals > 0, totals, 1.0))[:, None]))


def categories_of(reading: Coverage, codes: np.ndarray) -> csr_array:
    """How much of each record is in each category: a recoded one is a uniform draw, a missing one in none."""
    readings = reading.of(codes)
    lengths = np.array([1] * reading.size + [len(members) for members in reading.sets] + [0])
    members = np.concatenate([np.arange(reading.size), *reading.sets]).astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    counts = lengths[readings]
    ends = np.cumsum(counts)
    within = np.arange(counts.sum()) - np.repeat(ends - counts, counts)
    columns = members[np.repeat(starts[readings], counts) + within]
    shares = np.repeat(1 / np.maximum(counts, 1), counts)
    return csr_array((shares, columns, np.append(0, ends)), shape=(len(codes), reading.size))


def quantile_groups(values: np.ndarray, groups: int, weights: np.ndarray | None) -> csr_array:
    """How much of each record is in each of so many equal groups by value; a missing value is in none.

    Records that are tied across a border count in both groups, as if their order were drawn: the groups are
    of equal size whatever ties there are, and do not depend on the order of the records.

    >>> quantile_groups(np.array([5.0, 1.0, 5.0, np.nan, 9.0]), 2, None).toarray().tolist()
    [[0.5, 0.5], [1.0, 0.0], [0.5, 0.5], [0.0, 0.0], [0.0, 1.0]]
    """
    present = np.flatnonzero(~np.isnan(values))
    weight = np.ones(len(present)) if weights is None else weights[present]
    distinct, labels = np.unique(values[present], return_inverse=True)
    mass = np.bincount(labels, weight, minlength=len(distinct))
    # in units of which a group is as long as all records: whole numbers where records count alike
    ends = groups * np.cumsum(mass)
    total = float(mass.sum())
    borders = np.arange(groups) * total
    low = np.maximum((ends - groups * mass)[:, None], borders)
    high = np.minimum(ends[:, None], borders + total)
    shares = np.maximum(high - low, 0.0) / np.where(mass > 0, groups * mass, 1.0)[:, None]
    shares[shares < LEAST_SHARE] = 0.0
    table = np.zeros((len(values), groups))
    table[present] = shares[labels]
    return csr_array(table)
