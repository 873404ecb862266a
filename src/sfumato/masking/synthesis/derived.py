"""Columns that others determine: a density by its area, a decile by its income, a total by its parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy

from sfumato.data import Table
from sfumato.data.households import SURE
from sfumato.kernels.distinct_records import distinct
from sfumato.masking.synthesis.groups import value_ranks

GLANCE = 1000  # records that are looked at before all are
MOST_ADDENDS = 3


@dataclass(frozen=True)
class Derived:
    """A column that is made again from others: looked up by one of them, or as the sum of several."""

    name: str
    sources: tuple[str, ...]

    def made(self, original: Table, released: Table) -> tuple[np.ndarray, np.ndarray | None]:
        """The column of released records, and its codes for missing values, from what they have in its sources."""
        if len(self.sources) > 1:
            total = sum(released[name] for name in self.sources)
            return original.schema[self.name].conform(np.asarray(total)), None
        rows = _looked_up(original, released, self.sources[0])
        reasons, values = original.reasons(self.name), original[self.name][rows]
        if all(original.schema[name].is_numeric for name in (self.name, *self.sources)):
            values = _interpolated(original, released, self.sources[0], self.name, rows)
        return values, None if reasons is None else reasons[rows]


def derived_columns(table: Table, names: Sequence[str]) -> tuple[Derived, ...]:
    """The columns that are determined by others, as far as the file shows; each after those it is made from.

    >>> from sfumato.datasets import business_survey
    >>> firms = business_survey(200, seed=1)
    >>> derived_columns(firms, firms.names)
    ()
    """
    ranks = {name: value_ranks(table, name) for name in names}
    found: dict[str, Derived] = {}
    for name in names:
        for other in names:
            if other == name or other in found or _is_label(table, ranks, other, name):
                continue
            if _determined(table, ranks, other, name):
                found[name] = Derived(name, (other,))
                break
    free = [name for name in names if name not in found]
    for one in _sums(table, free):
        if not {one.name, *one.sources} & found.keys() and not _is_source(one.name, found):
            found[one.name] = one
    return tuple(
        reversed(found.values())
    )  # what a column is made from was found to be made itself only later


def _is_label(table: Table, ranks: dict[str, tuple[np.ndarray, np.ndarray]], number: str, name: str) -> bool:
    """Whether a number only labels the categories of a column, each its own, as the density of its area does.

    The categories are then what is dealt out, and the number is made from them: tables are kept within areas.
    """
    if table.schema[name].is_numeric or not table.schema[number].is_numeric:
        return False
    (given, given_counts), (told, told_counts) = ranks[number], ranks[name]
    return len(given_counts) == len(told_counts) == len(distinct([given, told]).counts)


def _is_source(name: str, found: dict[str, Derived]) -> bool:
    return any(name in one.sources for one in found.values())


def _determined(table: Table, ranks: dict[str, tuple[np.ndarray, np.ndarray]], by: str, name: str) -> bool:
    """Whether a column is a function of another, and too surely so for it to be chance.

    It is if all records with the same value there agree here. How surely is judged without the most frequent value and
    without missing ones: that both columns are 0, or not asked for, of the same people makes neither a function of the
    other, and a person's two values must not stay together for it.
    """
    (given, given_counts), (told, told_counts) = ranks[by], ranks[name]
    if len(told_counts) < 2 or _parts_equals(given[:GLANCE], told[:GLANCE]) or _parts_equals(given, told):
        return False
    rest = (given != np.argmax(given_counts)) & ~table.missing(by)
    values, first, counts = np.unique(given[rest], return_index=True, return_counts=True)
    evidence = _of_order(told[rest][first]) if table.schema[by].is_numeric else 0.0
    if 2 * len(values) <= counts.sum():  # most values are of several people, who agree
        chance = float(np.sum((told_counts / len(told)) ** 2))
        evidence = max(evidence, -(counts.sum() - len(values)) * np.log(chance))
    return bool(evidence >= SURE)


def _parts_equals(given: np.ndarray, told: np.ndarray) -> bool:
    """Whether two records agree in the first and not in the second."""
    return len(distinct([given, told]).counts) > len(np.unique(given))


def _of_order(along: np.ndarray) -> float:
    """How surely values hang on the order they stand in: how few of their arrangements are as orderly, as a logarithm.

    They are if they only rise or only fall, or if each is that of all places between two.
    """
    steps, counts = np.diff(along), np.unique(along, return_counts=True)[1]
    ways = float(scipy.special.gammaln(len(along) + 1) - scipy.special.gammaln(counts + 1).sum())
    if (steps >= 0).all() or (steps <= 0).all():
        return ways
    parted = np.count_nonzero(steps) == len(counts) - 1
    return ways - float(scipy.special.gammaln(len(counts) + 1)) if parted else 0.0


def _looked_up(original: Table, released: Table, by: str) -> np.ndarray:
    """For each released record the original one with the same content, or the nearest number, in a column."""
    if not original.schema[by].is_numeric:
        return _first_like(original, released, by)
    values, new = original[by], released[by]
    order = np.argsort(values, kind="stable")  # NaN last
    present = values[order][: np.count_nonzero(~np.isnan(values))]
    at = np.clip(np.searchsorted(present, new), 0, max(len(present) - 1, 0))
    below = np.maximum(at - 1, 0)
    nearer = (
        np.abs(new - present[below]) < np.abs(present[at] - new) if len(present) else np.zeros(len(at), bool)
    )
    rows: np.ndarray = order[np.where(nearer, below, at)]
    missing = np.isnan(new)
    if missing.any():
        rows[missing] = _first_like(original, released, by)[missing]
    return rows


def _interpolated(original: Table, released: Table, by: str, name: str, rows: np.ndarray) -> np.ndarray:
    """Numbers looked up in some rows; one that a single person has is drawn along if its source is a new number.

    It would else be released as it is, however it was kept that its source is not.
    """
    given, told = original[by], original[name]
    ranks, counts = value_ranks(original, name)
    new = ~np.isnan(released[by]) & ~np.isin(released[by], given)
    alone = new & ((counts[ranks] == 1) & ~np.isnan(told))[rows]
    known = ~np.isnan(given) & ~np.isnan(told)
    values: np.ndarray = told[rows]
    if alone.any():
        numbers, first = np.unique(given[known], return_index=True)
        between = np.interp(released[by][alone], numbers, told[known][first])
        values[alone] = original.schema[name].conform(between)
    return values


def _first_like(original: Table, released: Table, by: str) -> np.ndarray:
    """For each released record the first original one with the same content in a column; −1 where there is none."""
    together = _stacked(original, released, by)
    first = np.full(int(together.max()) + 1, -1)
    first[together[: original.n][::-1]] = np.arange(original.n)[::-1]
    found: np.ndarray = first[together[original.n :]]
    return found


def _stacked(original: Table, released: Table, name: str) -> np.ndarray:
    """Contents of a column of both tables, numbered together."""
    columns = [np.concatenate([original[name], released[name]])]
    reasons = [table.reasons(name) for table in (original, released)]
    if any(one is not None for one in reasons):
        columns.append(
            np.concatenate(
                [
                    np.zeros(t.n, np.int64) if r is None else r.astype(np.int64)
                    for t, r in zip((original, released), reasons, strict=True)
                ]
            )
        )
    return distinct(columns).labels


def _sums(table: Table, names: Sequence[str]) -> Iterator[Derived]:
    """Numbers that are the sum of two or three others in every record, too surely so for it to be chance."""
    numeric = [n for n in names if table.schema[n].is_numeric and len(np.unique(table[n])) > 2]
    glance = {name: table[name][:GLANCE] for name in numeric}
    for addends in range(2, MOST_ADDENDS + 1):
        for sources in combinations(numeric, addends):
            rough = np.sum([glance[name] for name in sources], axis=0)
            for name in numeric:
                if name not in sources and _same(rough, glance[name]) and _is_sum(table, name, sources):
                    yield Derived(name, sources)


def _is_sum(table: Table, name: str, sources: Sequence[str]) -> bool:
    if table.reasons(name) is not None or not _same(np.sum([table[s] for s in sources], axis=0), table[name]):
        return False
    _, counts = np.unique(table[name][~table.missing(name)], return_counts=True)
    return bool(-counts.sum() * np.log(np.sum((counts / counts.sum()) ** 2)) >= SURE)


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True))
