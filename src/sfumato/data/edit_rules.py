"""Edit rules: what can never be true of a record or of a household, as texts that a schema declares.

    never age < 15 and marital in (married, widowed)
    never sex = male and pregnancies is not missing
    wage <= income
    total = wage + rent + other
    same region, tenure in household

A name or a category that holds one of the words or signs of the grammar is put into quotation marks.
"""

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sfumato.core import DataError, UnknownNameError
from sfumato.data.attribute import Attribute, as_number

if TYPE_CHECKING:
    from sfumato.data.schema import Schema

FORMS = (
    "never age < 15 and marital in (married, widowed)",
    "wage <= income",
    "total = wage + rent",
    "same region in household",
)
TOKEN = re.compile(r"""\s*("[^"]*"|'[^']*'|<=|>=|!=|[<>=(),]|[^\s<>=!(),"']+|.)""")
COMPARE: Mapping[str, Callable[..., np.ndarray]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
EXACT = 1e-9  # relative difference of sums that are taken to be equal
Values = Mapping[str, np.ndarray]  # columns as tables hold them: numbers with NaN, codes with −1


class _UnreadableError(Exception):
    """Why a text is no rule."""


@dataclass(frozen=True)
class EditRule(ABC):
    """A rule that records, or the members of a household, obey; its text is all that is kept of it in a file."""

    text: str

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns it is about, each once."""

    @property
    def subject(self) -> str:
        """What it is about, for messages: the numbers of a rule that was found in records may be values of these.

        >>> edit_rule("never age < 15 and marital = married").subject
        'the rule about age and marital'
        """
        return f"the rule about {' and '.join(self.columns)}"

    @abstractmethod
    def check(self, schema: "Schema") -> None:
        """Refuse columns and categories that there are not."""

    def fits(self, schema: "Schema") -> bool:
        """Whether it can be said of the columns of a schema."""
        try:
            self.check(schema)
        except (DataError, UnknownNameError):
            return False
        return True


@dataclass(frozen=True)
class RecordRule(EditRule):
    """A rule about each record by itself."""

    @abstractmethod
    def broken(self, values: Values, schema: "Schema") -> np.ndarray:
        """Which of some records break it."""


@dataclass(frozen=True)
class Condition:
    """What a value may be: beside a number or category by an order, one of several, or missing."""

    column: str
    sign: str  # of COMPARE, "in", "not in", "is missing", "is not missing"
    values: tuple[str, ...] = ()

    def check(self, attribute: Attribute) -> None:
        for text in self.values:
            _value(attribute, text)
        if attribute.scale == "nominal" and self.sign in ("<", "<=", ">", ">="):
            raise DataError(f"column {self.column} is nominal, and has no order; use = or in (…).")

    def holds(self, attribute: Attribute, values: np.ndarray) -> np.ndarray:
        """Of which values it is true; of a missing one, nothing is but that it is missing."""
        missing = np.isnan(values) if attribute.is_numeric else values < 0
        if self.sign.endswith("missing"):
            return missing if self.sign == "is missing" else ~missing
        wanted = [_value(attribute, text) for text in self.values]
        if self.sign.endswith("in"):
            found = np.isin(values, wanted) == (self.sign == "in")
        else:
            found = COMPARE[self.sign](values, wanted[0])
        return np.asarray(found & ~missing)


@dataclass(frozen=True)
class Never(RecordRule):
    """Conditions that are never all true of a record.

    >>> rule = edit_rule("never age < 15 and marital in (married, widowed)")
    >>> rule.columns
    ('age', 'marital')
    """

    conditions: tuple[Condition, ...] = field(repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.column for one in self.conditions))

    def check(self, schema: "Schema") -> None:
        for one in self.conditions:
            one.check(schema[one.column])

    def broken(self, values: Values, schema: "Schema") -> np.ndarray:
        return np.asarray(
            np.logical_and.reduce([self.of_column(name, values[name], schema) for name in self.columns])
        )

    def limits(self, name: str, schema: "Schema") -> list[float]:
        """The numbers or codes that its conditions on a column are about."""
        texts = [text for one in self.conditions if one.column == name for text in one.values]
        return [_value(schema[name], text) for text in texts]

    def of_column(self, name: str, values: np.ndarray, schema: "Schema") -> np.ndarray:
        """Of which values of a column all its conditions are true."""
        conditions = [one for one in self.conditions if one.column == name]
        return np.asarray(np.logical_and.reduce([one.holds(schema[name], values) for one in conditions]))


@dataclass(frozen=True)
class Sums(RecordRule):
    """Two sums of numbers in an order: Σ sign · value stands to 0 as it says. It is broken only where none is missing.

    >>> edit_rule("net = gross - tax").terms
    (('net', 1), ('gross', -1), ('tax', 1))
    """

    terms: tuple[tuple[str, int], ...] = field(repr=False)
    sign: str = field(repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self.terms))

    def check(self, schema: "Schema") -> None:
        for name in self.columns:
            if not schema[name].is_numeric:
                raise DataError(
                    f"column {name} is {schema[name].scale}, and sums are of numbers; say what is "
                    "impossible of it with never."
                )

    def broken(self, values: Values, schema: "Schema") -> np.ndarray:
        gap = np.sum([sign * values[name] for name, sign in self.terms], axis=0)
        size = np.sum([np.abs(values[name]) for name, _ in self.terms], axis=0)
        slack = EXACT * np.maximum(1.0, size)
        with np.errstate(invalid="ignore"):
            if self.sign == "=":
                found = np.abs(gap) > slack + self.rounding(schema)
            elif self.sign in ("<=", ">="):
                found = ~COMPARE[self.sign](gap, slack if self.sign == "<=" else -slack)
            else:
                found = ~COMPARE[self.sign](gap, 0.0)
        return np.asarray(found & ~np.isnan(gap))

    def rounding(self, schema: "Schema") -> float:
        """Half a unit of the coarsest column, by which a rounded total may be off."""
        decimals = [schema[name].decimals for name in self.columns]
        known = [one for one in decimals if one is not None]
        return 0.5000001 * 10.0 ** -min(known) if len(known) == len(decimals) else 0.0


@dataclass(frozen=True)
class Same(EditRule):
    """Columns in which the members of a household agree.

    >>> edit_rule("same region, tenure in household").columns
    ('region', 'tenure')
    """

    shared: tuple[str, ...] = field(repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.shared

    def check(self, schema: "Schema") -> None:
        for name in self.columns:
            schema[name]


def edit_rule(text: str) -> EditRule:
    """Read a rule, whatever the columns are.

    >>> edit_rule("wage =< income")
    Traceback (most recent call last):
    ...
    sfumato.core.errors.DataError: rule 'wage =< income': a sum has one sign among <, <=, =, >= and >; write it as in ...
    """
    tokens = [one for one in TOKEN.findall(text.strip()) if one.strip()]
    try:
        if tokens[:1] == ["never"]:
            return Never(text, tuple(_condition(part) for part in _split(tokens[1:], "and")))
        if tokens[:1] == ["same"]:
            return Same(text, _members(tokens[1:]))
        return Sums(text, *_sums(tokens))
    except _UnreadableError as error:
        raise DataError(f"rule {text!r}: {error}; write it as in {' | '.join(FORMS)}") from None


def declared_rules(texts: object, source: str, schema: "Schema") -> tuple[EditRule, ...]:
    """The rules that a schema file lists; each must be about columns and categories that it has."""
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise DataError(f'{source}: rules is a list of texts, such as ["{FORMS[0]}"].')
    return tuple(_checked(text, source, schema) for text in texts)


def _checked(text: str, source: str, schema: "Schema") -> EditRule:
    try:
        rule = edit_rule(text)
    except DataError as error:
        raise DataError(f"{source}, {error}") from None
    try:
        rule.check(schema)
    except (DataError, UnknownNameError) as error:
        raise DataError(f"{source}, rule {text!r}: {error}") from None
    return rule


def _value(attribute: Attribute, text: str) -> float:
    """The number or code that a text of a rule stands for: a category by its name or its label."""
    if attribute.is_numeric:
        number = as_number(text)
        if number is None:
            raise DataError(f"column {attribute.name} is numeric, and {text!r} is no number.")
        return number
    if text not in attribute.categories:
        text = next((code for code, label in attribute.labels.items() if label == text), text)
    if text not in attribute.categories:
        raise UnknownNameError(f"category of {attribute.name}", text, attribute.categories)
    return float(attribute.categories.index(text))


def _split(tokens: Sequence[str], word: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == word:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _name(tokens: Sequence[str]) -> str:
    """A name of one or several words."""
    if not tokens or any(token in COMPARE or token in "()," for token in tokens):
        raise _UnreadableError("a column or value is missing")
    return " ".join(token[1:-1] if token[0] in "\"'" and len(token) > 1 else token for token in tokens)


def _condition(tokens: list[str]) -> Condition:
    signs = [i for i, token in enumerate(tokens) if token in COMPARE or token in ("in", "not", "is")]
    if not signs:
        raise _UnreadableError("each condition is a column, a sign or the word in, and a value")
    at = signs[0]
    column, sign, rest = _name(tokens[:at]), tokens[at], tokens[at + 1 :]
    if sign == "is" and rest in (["missing"], ["not", "missing"]):
        return Condition(column, f"is {' '.join(rest)}")
    if sign == "not" and rest[:1] == ["in"]:
        sign, rest = "not in", rest[1:]
    if sign in ("in", "not in") and rest[:1] == ["("] and rest[-1:] == [")"]:
        return Condition(column, sign, tuple(_name(part) for part in _split(rest[1:-1], ",")))
    if sign not in COMPARE:
        raise _UnreadableError("in is followed by values in brackets, and is by missing or not missing")
    return Condition(column, sign, (_name(rest),))


def _members(tokens: list[str]) -> tuple[str, ...]:
    if tokens[-2:] != ["in", "household"]:
        raise _UnreadableError("what members share ends with the words in household")
    return tuple(_name(part) for part in _split(tokens[:-2], ","))


def _sums(tokens: list[str]) -> tuple[tuple[tuple[str, int], ...], str]:
    signs = [i for i, token in enumerate(tokens) if token in COMPARE and token != "!="]
    if len(signs) != 1:
        raise _UnreadableError("a sum has one sign among <, <=, =, >= and >")
    left, right = _terms(tokens[: signs[0]]), _terms(tokens[signs[0] + 1 :])
    return (*left, *((name, -sign) for name, sign in right)), tokens[signs[0]]


def _terms(tokens: list[str]) -> tuple[tuple[str, int], ...]:
    """Columns with + or − before them."""
    found: list[tuple[int, list[str]]] = [(1, [])]
    for place, token in enumerate(tokens):
        if token in ("+", "-"):
            if place == 0:
                raise _UnreadableError("a sum begins with a column")
            found.append((1 if token == "+" else -1, []))
        else:
            found[-1][1].append(token)
    return tuple((_name(words), sign) for sign, words in found)
