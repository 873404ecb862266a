"""Routing: questions that only some people are asked, found in the answers and proposed as edit rules."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.core import progress
from sfumato.data.attribute import Attribute
from sfumato.data.edit_rules import EditRule, edit_rule
from sfumato.data.rule_counts import records_that_break
from sfumato.data.table import Table
from sfumato.kernels.distinct_records import distinct

LEAST = 30  # people on either side who would be expected there by chance
SHARE = 0.01  # of all records, that they must be too
SHARED = 10  # people with the very value where a side begins, so that a rule is about nobody's own
MOST_RECORDS = 100_000  # that are looked at; what is found is tried on all
MOST_CATEGORIES = 100  # of a column by which people may be routed, or whose answers are looked at
UNROUTED = ("identifier", "household", "weight")
WORDS = ("and", "in", "is", "missing", "never", "not", "same")  # of the grammar of rules


@dataclass(frozen=True)
class Side:
    """People on one side of a cut through a column, or in some of its categories."""

    condition: str
    members: np.ndarray


@dataclass(frozen=True)
class Route:
    """An answer that all people on one side give; `surprise` is how many of them should not, by chance.

    It is `exact` if none of the others gives it.
    """

    rules: tuple[str, ...]
    surprise: float
    exact: bool

    @property
    def rank(self) -> tuple[bool, float]:
        return self.exact, self.surprise


@dataclass(frozen=True)
class Answer:
    """One thing that may be said in a column: nothing, or a category; and who says it."""

    attribute: Attribute
    category: str
    given: np.ndarray

    @property
    def condition(self) -> str:
        name = _quoted(self.attribute.name)
        return f"{name} = {_quoted(self.category)}" if self.category else f"{name} is missing"

    @property
    def opposite(self) -> str:
        name = _quoted(self.attribute.name)
        return f"{name} != {_quoted(self.category)}" if self.category else f"{name} is not missing"


def routing_rules(table: Table) -> tuple[EditRule, ...]:
    """Rules that no record breaks, of which chance would break many: who is not asked a question has no answer to it.

    Proposed is that nobody on one side of another column has an answer, wherever else it is missing too; and a category
    that all people on one side give and nobody on the other. That an answer is not missing is never a rule, since
    suppression may empty any cell. For each answer the column is named of which this is the least by chance; one that
    settles another wholly routes nobody, and a cut is at a value that ten people have.

    >>> from sfumato.data import Attribute, Schema
    >>> age = Attribute(name="age", scale="numeric")
    >>> wage = Attribute(name="wage", scale="numeric")
    >>> ages = np.repeat(np.arange(100.0), 10)
    >>> wages = np.where(ages < 16, np.nan, np.arange(1000.0))
    >>> [rule.text for rule in routing_rules(Table(Schema([age, wage]), {"age": ages, "wage": wages}))]
    ['never age < 16 and wage is not missing']
    """
    part = table.take(np.arange(0, table.n, -(-table.n // MOST_RECORDS))) if table.n > MOST_RECORDS else table
    columns = [a for a in table.schema if a.role not in UNROUTED and _can_be_said(a)]
    routers = [_Router(part, one) for one in columns]
    found: list[str] = []
    for answer in _answers(part, columns):
        routes = [route for one in routers for route in _routes(one, answer)]
        if routes:
            found += max(routes, key=lambda route: route.rank).rules
    rules = map(edit_rule, found)
    return tuple(rule for rule in rules if not records_that_break(rule, table).any())


def found_rules(table: Table) -> tuple[EditRule, ...]:
    """Rules that hold in a table whose schema declares none."""
    return () if table.schema.rules else routing_rules(table)


def with_routing(table: Table) -> Table:
    """A table whose schema declares no rule, under those that are found in it; they are told by their columns."""
    rules = found_rules(table)
    if not rules:
        return table
    named = dict.fromkeys(" and ".join(rule.columns) for rule in rules)
    progress.note(
        f"kept as rules, since no record breaks them and chance would: who is asked what, by {', '.join(named)}. Declare "
        "rules in the schema to have others."
    )
    return table.with_schema(table.schema.with_rules(rules))


def _answers(table: Table, columns: Iterable[Attribute]) -> Iterator[Answer]:
    for attribute in columns:
        missing = table.missing(attribute.name)
        if missing.any() and not missing.all():
            yield Answer(attribute, "", missing)
        if attribute.is_numeric or not 2 < attribute.domain_size <= MOST_CATEGORIES:
            continue
        for code, category in enumerate(attribute.categories):
            given = table[attribute.name] == code
            if given.any():
                yield Answer(attribute, category, given)


@dataclass(frozen=True)
class _Router:
    """A column by which people may be routed."""

    table: Table
    attribute: Attribute

    @cached_property
    def values(self) -> np.ndarray:
        return self.table[self.attribute.name].astype(np.float64)

    @cached_property
    def present(self) -> np.ndarray:
        return ~self.table.missing(self.attribute.name)

    def settles(self, name: str) -> bool:
        """Whether each of its values goes with one of another column."""
        own, others = self.table.select([self.attribute.name]), (self.attribute.name, name)
        alone = distinct(own.shown(own.names))
        return len(alone.first) == len(distinct(self.table.shown(others)).first)

    def sides(self, given: np.ndarray) -> Iterator[tuple[Side, Side]]:
        """The people among whom all give an answer, beside those whose values only people have who do not."""
        if self.attribute.is_numeric or self.attribute.scale == "ordinal":
            yield from self._cuts(given)
        elif self.attribute.domain_size <= MOST_CATEGORIES:
            yield self._groups(given)

    def _cuts(self, given: np.ndarray) -> Iterator[tuple[Side, Side]]:
        others = self.values[self.present & ~given]
        if not len(others):
            return
        low, high = others.min(), others.max()
        for sign, against, limit in (("<", ">=", low), (">", "<=", high)):
            if np.count_nonzero(others == limit) < SHARED:
                continue
            inside = self.values < limit if sign == "<" else self.values > limit
            yield self._side(sign, limit, inside), self._side(against, limit, ~inside)

    def _side(self, sign: str, limit: float, members: np.ndarray) -> Side:
        text = f"{limit:.17g}" if self.attribute.is_numeric else self.attribute.categories[int(limit)]
        return Side(f"{_quoted(self.attribute.name)} {sign} {_quoted(text)}", members & self.present)

    def _groups(self, given: np.ndarray) -> tuple[Side, Side]:
        codes, size = self.values[self.present].astype(np.int64), self.attribute.domain_size
        all_of = np.bincount(codes, minlength=size)
        giving = np.bincount(codes, given[self.present], size)
        only, none = (all_of > 0) & (giving == all_of), (all_of > 0) & (giving == 0)
        return self._category_side(only), self._category_side(none)

    def _category_side(self, chosen: np.ndarray) -> Side:
        texts = ", ".join(_quoted(self.attribute.categories[code]) for code in np.flatnonzero(chosen))
        members = np.isin(self.values, np.flatnonzero(chosen)) & self.present
        return Side(f"{_quoted(self.attribute.name)} in ({texts})", members)


def _routes(router: _Router, answer: Answer) -> Iterator[Route]:
    share = float(answer.given.mean())
    needed = max(LEAST, SHARE * len(answer.given))
    if router.attribute.name == answer.attribute.name:
        return
    for only, rest in router.sides(answer.given):
        inside = only.members.sum() * (1 - share)
        if inside < needed or router.settles(answer.attribute.name):
            continue
        forced = f"never {only.condition} and {answer.opposite}"
        apart = not answer.given[router.present & ~only.members].any()
        if not answer.category:
            yield Route((forced,), float(inside), exact=apart)
        elif apart and rest.members.sum() * share >= needed:
            yield Route((forced, f"never {rest.condition} and {answer.condition}"), float(inside), exact=True)


def _quoted(text: str) -> str:
    """A name or category as rules have it."""
    if re.fullmatch(r"[\w.]+", text) and text not in WORDS:
        return text
    return f'"{text}"' if '"' not in text else f"'{text}'"


def _can_be_said(attribute: Attribute) -> bool:
    """Whether rules can quote its name and categories, in which there are not both kinds of quotation marks."""
    return not any('"' in text and "'" in text for text in (attribute.name, *attribute.categories))
