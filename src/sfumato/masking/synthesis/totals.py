"""Totals that rules declare: made again from their parts in the release."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.core import DataError
from sfumato.data import Table
from sfumato.data.edit_rules import Sums
from sfumato.masking.synthesis.derived import Derived


@dataclass(frozen=True)
class Total:
    """A column that a rule makes the sum of others, each with its sign.

    It is `whole` if it is missing exactly where one of its parts is; else it is dealt out like others, stays missing where
    it was dealt out so, and where a part is missing keeps the value that was dealt out.
    """

    name: str
    terms: tuple[tuple[str, int], ...]
    whole: bool

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.terms)

    def made(self, original: Table, released: Table) -> tuple[np.ndarray, np.ndarray | None]:
        """The column of released records, and its codes for missing values."""
        parts = {name: released[name] for name in self.sources}
        values = self.value(original, parts, None if self.whole else released[self.name])
        return values, None if self.whole else released.reasons(self.name)

    def value(self, table: Table, parts: dict[str, np.ndarray], dealt: np.ndarray | None) -> np.ndarray:
        total = np.sum([sign * parts[name] for name, sign in self.terms], axis=0)
        found = table.schema[self.name].conform(total)
        if dealt is None:
            return found
        return np.where(np.isnan(total) | np.isnan(dealt), dealt, found)


Made = Derived | Total


def totals_of(table: Table, names: Sequence[str], beside: Sequence[str] = ()) -> tuple[Total, ...]:
    """The totals that rules declare among some columns, and with parts beside them, each after those it is made from.

    Of each rule it is the column to the left; if that is made by another rule already, or is beside, the last one to the
    right that no other is made from.
    """
    found: list[Total] = []
    for rule in table.schema.rules:
        columns = set(rule.columns)
        at_hand = columns <= {*names, *beside} and columns & set(names)
        if isinstance(rule, Sums) and rule.sign == "=" and at_hand:
            found.append(_total(table, rule, found, names))
    return _ordered(found)


def _total(table: Table, rule: Sums, before: Sequence[Total], names: Sequence[str]) -> Total:
    barred = {one.name for one in before} | (set(rule.columns) - set(names))
    needed = {name for one in before for name in one.sources}
    signs: dict[str, int] = {}
    for name, sign in rule.terms:
        signs[name] = signs.get(name, 0) + sign
    first, *rest = rule.columns
    for name in (first, *reversed(rest)):
        if abs(signs[name]) == 1 and name not in barred and (name == first or name not in needed):
            terms = tuple((n, -signs[name] * s) for n, s in signs.items() if n != name and s != 0)
            if not _needs(terms, name, before):
                return Total(name, terms, _is_whole(table, name, terms))
    raise DataError(
        f"rule {rule.text!r} says of no column what it is that other rules do not say already; drop it."
    )


def _needs(terms: Sequence[tuple[str, int]], name: str, before: Sequence[Total]) -> bool:
    """Whether one of the terms is itself made from a column."""
    sources = {one.name: one.sources for one in before}
    todo, seen = [n for n, _ in terms], set[str]()
    while todo:
        one = todo.pop()
        if one == name:
            return True
        if one not in seen:
            seen.add(one)
            todo.extend(sources.get(one, ()))
    return False


def _is_whole(table: Table, name: str, terms: Sequence[tuple[str, int]]) -> bool:
    parts = np.logical_or.reduce([table.missing(part) for part, _ in terms])
    return table.reasons(name) is None and bool((table.missing(name) == parts).all())


def _ordered(made: Sequence[Total]) -> tuple[Total, ...]:
    """Each after those it is made from."""
    left, found = list(made), list[Total]()
    while left:
        pending = {one.name for one in left}
        ready = [one for one in left if not pending & set(one.sources)]
        found.extend(ready)
        left = [one for one in left if one not in ready]
    return tuple(found)


def all_made(table: Table, derived: Sequence[Derived], totals: Sequence[Total]) -> tuple[Made, ...]:
    """Columns that others determine and declared totals together, in an order in which they can be made.

    What would be told by a total is dealt out instead if a rule is about it; and so is what would tell a part of one.
    """
    in_rules = {name for rule in table.schema.rules for name in rule.columns}
    summed = {one.name for one in totals}
    parts = {name for one in totals for name in one.sources}
    kept = [
        one
        for one in derived
        if one.name not in summed
        and not (set(one.sources) & summed and (one.name in in_rules or one.name in parts))
    ]
    made: list[Made] = [*kept, *totals]
    found: list[Made] = []
    while made:
        pending = {one.name for one in made}
        ready = [one for one in made if not pending & set(one.sources)] or made[:1]
        found.extend(ready)
        made = [one for one in made if one not in ready]
    return tuple(found)


def dealt_names(names: Sequence[str], made: Sequence[Made]) -> tuple[str, ...]:
    """The columns that are dealt out: all but those that are wholly made from others."""
    away = {one.name for one in made if not isinstance(one, Total) or one.whole}
    return tuple(name for name in names if name not in away)


def with_made(original: Table, new: Table, made: Sequence[Made]) -> Table:
    """Released records with the columns that are made from others."""
    for one in made:
        values, reasons = one.made(original, new)
        new = new.replace({one.name: values}, reasons={one.name: reasons})
    return new
