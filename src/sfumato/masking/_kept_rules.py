"""Edit rules after a masking: records that it made impossible get the least change by which they are not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.core import progress
from sfumato.data import MISSING, Attribute, Table
from sfumato.data.edit_rules import EditRule, Never, RecordRule, Sums
from sfumato.data.rule_counts import records_that_break
from sfumato.kernels.distinct_records import distinct

MOST_CATEGORIES = 64  # that are tried in a column, the most frequent first
BLANK = 100.0  # what an empty cell costs, in standard deviations of a number: it is the last thing to do
RARE = 0.1  # what the rarest category costs more than the most frequent one


@dataclass(frozen=True)
class Alike:
    """How many records a masking made alike at the least, and which are apart whatever they show.

    What made records alike must not be undone. So those of a class of which some break a rule change all, unless `least`
    of them break the same rules and as many of the others stay. With `least` 1, each record is a class of its own;
    without a number a class is never cut.
    """

    least: int | None = 1
    within: np.ndarray | None = None

    def classes(self, table: Table, names: Sequence[str], broken: Sequence[np.ndarray]) -> np.ndarray:
        if self.least == 1:
            return np.arange(table.n)
        apart = [] if self.within is None else [self.within]
        strata = [name for name in table.schema.with_role("stratum") if name not in names]
        whole = distinct([*table.shown((*names, *strata)), *apart])
        if self.least is None:
            return whole.labels
        parts = distinct([whole.labels, *(one.astype(np.int8) for one in broken)])
        smallest = np.full(len(whole.first), table.n)
        np.minimum.at(smallest, whole.labels[parts.first], parts.counts)
        cut = smallest[whole.labels] >= self.least
        return distinct([whole.labels, np.where(cut, parts.labels, -1)]).labels


@dataclass(frozen=True)
class Change:
    """A new value of a column for each class, and what it costs; NaN or MISSING where the cell is to be empty."""

    column: str
    values: np.ndarray
    cost: np.ndarray


@dataclass(frozen=True)
class Broken:
    """Records that break a rule, in classes that change alike, and the rules that are about a column to change.

    `rows` are the records of these classes, `labels` the class of each.
    """

    table: Table
    names: tuple[str, ...]
    rules: tuple[RecordRule, ...]
    rows: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(
        cls, table: Table, names: Sequence[str], rules: Sequence[EditRule], alike: "Alike"
    ) -> "Broken | None":
        """None if no record breaks a rule that can be mended."""
        about = tuple(r for r in rules if isinstance(r, RecordRule) and set(r.columns) & set(names))
        broken = [rule.broken({n: table[n] for n in rule.columns}, table.schema) for rule in about]
        found = np.logical_or.reduce(broken) if broken else np.zeros(table.n, bool)
        if not found.any():
            return None
        classes = alike.classes(table, names, broken)
        rows = np.flatnonzero(np.isin(classes, classes[found]))
        labels = np.unique(classes[rows], return_inverse=True)[1].ravel()
        return cls(table, tuple(names), about, rows, labels)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rules that may change."""
        return tuple(n for n in self.names if any(n in rule.columns for rule in self.rules))

    @cached_property
    def first(self) -> np.ndarray:
        """A record of each class, among the rows."""
        return np.unique(self.labels, return_index=True)[1]

    @property
    def classes(self) -> int:
        return len(self.first)

    def values(self) -> dict[str, np.ndarray]:
        return {name: self.table[name][self.rows].copy() for rule in self.rules for name in rule.columns}

    def counted(self, values: dict[str, np.ndarray], rules: Sequence[RecordRule]) -> np.ndarray:
        """How many of some rules a record of each class breaks."""
        found = np.zeros(self.classes, np.int64)
        for rule in rules:
            broken = rule.broken({name: values[name] for name in rule.columns}, self.table.schema)
            found += np.bincount(self.labels, broken, self.classes) > 0
        return found

    def about(self, name: str) -> list[RecordRule]:
        return [rule for rule in self.rules if name in rule.columns]


def with_rules_kept(
    table: Table, names: Sequence[str], rules: Sequence[EditRule], *, invents: bool, alike: Alike
) -> Table:
    """The table in which records that break a rule have other values in some of the named columns, where that helps.

    Of the values by which the fewest rules are broken the nearest is taken: numbers by standard deviations, ordinal
    categories by steps, of others the most frequent; one column after the other as long as it helps. What `invents` no value
    empties a cell instead.
    """
    broken = Broken.of(table, names, rules, alike)
    if broken is None:
        return table
    values = broken.values()
    emptied = {name: np.zeros(len(broken.rows), bool) for name in broken.columns}
    for _ in range(2 * len(broken.columns)):
        if not _changed(broken, values, emptied, invents):
            break
    return _put(broken, values, emptied)


def _changed(
    broken: Broken, values: dict[str, np.ndarray], emptied: dict[str, np.ndarray], invents: bool
) -> bool:
    """Make the best change of each class that mends something; whether there was any."""
    before = broken.counted(values, broken.rules)
    best = np.full(broken.classes, np.inf)
    chosen: list[Change] = []
    pick = np.full(broken.classes, -1)
    for change in _changes(broken, values, invents):
        after = _after(broken, values, before, change)
        rank = np.where((after < before) & (change.cost < np.inf), after + np.arctan(change.cost) / 2, np.inf)
        better = rank < best
        if better.any():
            pick[better], best[better] = len(chosen), rank[better]
            chosen.append(change)
    for number, change in enumerate(chosen):
        at = pick[broken.labels] == number
        new = change.values[broken.labels]
        values[change.column][at] = new[at]
        emptied[change.column][at] = _is_missing(broken.table.schema[change.column], new)[at]
    return bool((pick >= 0).any())


def _after(broken: Broken, values: dict[str, np.ndarray], before: np.ndarray, change: Change) -> np.ndarray:
    """How many rules each class would break."""
    about = broken.about(change.column)
    tried = {**values, change.column: change.values[broken.labels]}
    after: np.ndarray = before - broken.counted(values, about) + broken.counted(tried, about)
    return after


def _changes(broken: Broken, values: dict[str, np.ndarray], invents: bool) -> Iterator[Change]:
    """What may be tried: values of each column in each class, and that it is empty."""
    for name in broken.columns:
        attribute, old = broken.table.schema[name], values[name][broken.first]
        empty = np.nan if attribute.is_numeric else MISSING
        kept = np.where(_is_missing(attribute, old), np.inf, BLANK)
        yield Change(name, np.full(broken.classes, empty, old.dtype), kept)
        if not invents:
            continue
        tried = _numbers if attribute.is_numeric else _categories
        yield from tried(broken, name, values)


def _categories(broken: Broken, name: str, values: dict[str, np.ndarray]) -> Iterator[Change]:
    """The categories that the column has, each for all classes."""
    attribute, old = broken.table.schema[name], values[name][broken.first]
    counts = np.bincount(broken.table[name][broken.table[name] >= 0], minlength=attribute.domain_size)
    for code in np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]:
        if counts[code] == 0:
            return
        rare = RARE * (1 - counts[code] / counts.max())
        steps = np.abs(old - code) / attribute.domain_size if attribute.scale == "ordinal" else 1.0
        cost = np.where(old < 0, 1.0, steps) + rare
        yield Change(name, np.full(broken.classes, code, old.dtype), np.where(old == code, np.inf, cost))


def _numbers(broken: Broken, name: str, values: dict[str, np.ndarray]) -> Iterator[Change]:
    """Numbers on either side of where a rule begins to hold, and what makes a sum right."""
    attribute, old = broken.table.schema[name], values[name][broken.first]
    spread = float(np.nanstd(broken.table[name])) if (~broken.table.missing(name)).any() else 1.0
    unit = _unit(attribute, spread)
    for wanted in _wanted(broken, name, values, unit):
        new = attribute.conform(wanted)
        moved = np.abs(new - old) / (spread or 1.0)
        cost = np.where(np.isnan(old), 1.0, moved)
        yield Change(name, new, np.where(np.isnan(new) | (new == old), np.inf, cost))


def _wanted(broken: Broken, name: str, values: dict[str, np.ndarray], unit: float) -> Iterator[np.ndarray]:
    for rule in broken.about(name):
        if isinstance(rule, Never):
            for limit in rule.limits(name, broken.table.schema):
                for step in (-unit, 0.0, unit):
                    yield np.full(broken.classes, limit + step)
        elif isinstance(rule, Sums):
            yield _solved(broken, rule, name, values, unit)


def _solved(broken: Broken, rule: Sums, name: str, values: dict[str, np.ndarray], unit: float) -> np.ndarray:
    """The number by which a sum stands as it should for all records of a class; NaN where there is none."""
    factor = sum(sign for column, sign in rule.terms if column == name)
    if factor == 0:
        return np.full(broken.classes, np.nan)
    rest = np.zeros(len(broken.rows))
    for column, sign in rule.terms:
        if column != name:
            rest = rest + sign * values[column]
    exact = -rest / factor
    low = _extreme(np.fmin, exact, broken)
    high = _extreme(np.fmax, exact, broken)
    if rule.sign == "=":
        return np.where(high - low <= unit / 2, low, np.nan)
    below = (rule.sign in ("<", "<=")) == (factor > 0)
    edge = low if below else high
    strict = unit if rule.sign in ("<", ">") else 0.0
    return _onto_grid(broken.table.schema[name], edge - strict if below else edge + strict, below)


def _extreme(of_two: Callable[..., np.ndarray], numbers: np.ndarray, broken: Broken) -> np.ndarray:
    found = np.full(broken.classes, np.nan)
    of_two.at(found, broken.labels, numbers)  # type: ignore[attr-defined]
    return found


def _onto_grid(attribute: Attribute, numbers: np.ndarray, below: bool) -> np.ndarray:
    """The nearest numbers with the declared decimals that are not beyond an edge."""
    if attribute.decimals is None:
        return numbers
    scale = 10.0**attribute.decimals
    found: np.ndarray = np.floor(numbers * scale + 1e-6) if below else np.ceil(numbers * scale - 1e-6)
    return found / scale


def _unit(attribute: Attribute, spread: float) -> float:
    """The smallest step of a column."""
    return 10.0**-attribute.decimals if attribute.decimals is not None else 1e-6 * (spread or 1.0)


def _is_missing(attribute: Attribute, values: np.ndarray) -> np.ndarray:
    return np.isnan(values) if attribute.is_numeric else values < 0


def _put(broken: Broken, values: dict[str, np.ndarray], emptied: dict[str, np.ndarray]) -> Table:
    columns, reasons = {}, {}
    for name in broken.columns:
        columns[name] = broken.table[name].copy()
        columns[name][broken.rows] = values[name]
        codes = broken.table.reasons(name)
        if codes is not None and emptied[name].any():
            reasons[name] = codes.copy()
            reasons[name][broken.rows[emptied[name]]] = 0
    return broken.table.replace(columns, reasons=reasons)


def tell_of_rules(owner: str, original: Table, masked: Table, names: Sequence[str]) -> None:
    """Say how many records still break a rule about a masked column, and how many did."""
    for rule in masked.schema.rules:
        count = int(records_that_break(rule, masked).sum()) if set(rule.columns) & set(names) else 0
        if count:
            before = int(records_that_break(rule, original).sum())
            progress.note(
                f"{owner}: {count:,} of {masked.n:,} records break {rule.subject} ({before:,} of the original); it cannot be "
                "kept by changing the masked columns of all records that are alike."
            )
