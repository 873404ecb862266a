"""Linguistic variables: attributes whose values are words, each a fuzzy set of the values of the file."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core import DataError, UnknownNameError
from sfumato.core.regular_files import small_text
from sfumato.core.toml_text import parsed_toml
from sfumato.data import Attribute, Table
from sfumato.groups.fuzzy_sets import SHAPES, FuzzySet

BARE = re.compile("[A-Za-z0-9_-]+")  # keys that need no quotes
ANY = 0  # the value that every record has


@dataclass(frozen=True, kw_only=True)
class Word:
    """A value of a linguistic variable: its name, its meaning, and how it reads in a sentence."""

    name: str
    meaning: FuzzySet
    phrase: str = ""


@dataclass(frozen=True)
class LinguisticVariable:
    """An attribute and its words. Value 0 is "any"; value v is the v-th word."""

    attribute: str
    words: tuple[Word, ...]

    def phrase(self, value: int) -> str:
        """How a value other than `ANY` reads in a sentence.

        >>> young = Word(name="young", meaning=FuzzySet("triangle", (18, 20, 30)))
        >>> LinguisticVariable("age", (young,)).phrase(1)
        'young age'
        """
        word = self.words[value - 1]
        return word.phrase or f"{word.name} {self.attribute}"

    def memberships(self, attribute: Attribute, values: np.ndarray) -> np.ndarray:
        """One row per value given, one column per value of the variable; a missing value is only "any"."""
        columns = [word.meaning.membership(attribute, values) for word in self.words]
        return np.column_stack([np.ones(len(values)), *columns])


@dataclass(frozen=True)
class Vocabulary:
    """The linguistic variables of a model, in the order in which rules speak of them.

    The TOML form has one table per attribute, and in it one line per word:

    >>> words = Vocabulary.from_toml('''
    ... [age]
    ... young = { trapezoid = [18, 18, 22, 27] }
    ... old = { trapezoid = [35, 40, 90, 90] }
    ...
    ... [transport]
    ... walked = { set = ["50"], phrase = "walks to work" }
    ... ''')
    >>> words.names, words.sizes
    (('age', 'transport'), (3, 2))
    >>> words.sentence((1, 1))
    'young age, walks to work → group'
    """

    variables: tuple[LinguisticVariable, ...]

    def __post_init__(self) -> None:
        if not self.variables:
            raise DataError("vocabulary: at least one linguistic variable is needed.")

    def __iter__(self) -> Iterator[LinguisticVariable]:
        return iter(self.variables)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(variable.attribute for variable in self.variables)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each variable has, "any" among them."""
        return tuple(len(variable.words) + 1 for variable in self.variables)

    def sentence(self, rule: Sequence[int]) -> str:
        pairs = zip(self.variables, rule, strict=True)
        said = [variable.phrase(value) for variable, value in pairs if value != ANY]
        return f"{', '.join(said) or 'anybody'} → group"

    def to_dict(self) -> dict[str, dict[str, dict[str, Any]]]:
        return {
            variable.attribute: {word.name: _table(word) for word in variable.words}
            for variable in self.variables
        }

    def to_toml(self) -> str:
        """The file as an expert would write it, one line per word; `from_toml` reads the same from it."""
        return "\n".join(
            f"[{_key(variable.attribute)}]\n" + "".join(f"{_line(word)}\n" for word in variable.words)
            for variable in self.variables
        )

    @classmethod
    def from_toml(cls, text: str, source: str = "vocabulary") -> "Vocabulary":
        tables = parsed_toml(text, source)
        return cls.from_dict(tables, source)

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any], source: str = "vocabulary") -> "Vocabulary":
        return cls(tuple(_variable(source, name, words) for name, words in tables.items()))

    @classmethod
    def read(cls, path: str | Path) -> "Vocabulary":
        return cls.from_toml(small_text(Path(path), "Vocabulary file"), source=str(path))

    def check_fits(self, table: Table, what: str) -> None:
        """Refuse a table that lacks an attribute, or whose values cannot be read as the words need them."""
        for variable in self.variables:
            if variable.attribute not in table:
                raise DataError(
                    f"vocabulary: the {what} has no column {variable.attribute}; harmonise the files first."
                )
            for word in variable.words:
                word.meaning.check_fits(table.schema[variable.attribute], word.name)

    def check_known(self, table: Table) -> None:
        """Refuse words of which the table knows no value at all: they are misspelt."""
        for variable in self.variables:
            for word in variable.words:
                word.meaning.check_known(table.schema[variable.attribute], word.name)


def _variable(source: str, name: str, words: Any) -> LinguisticVariable:
    where = f"{source}, [{name}]"
    if not isinstance(words, Mapping) or not words:
        raise DataError(f"{where}: give one line per word, such as young = {{ triangle = [18, 20, 30] }}.")
    return LinguisticVariable(name, tuple(_word(where, word, table) for word, table in words.items()))


def _word(where: str, name: str, table: Any) -> Word:
    if not isinstance(table, Mapping):
        raise DataError(f"{where}, {name}: a word is a table such as {{ triangle = [18, 20, 30] }}.")
    given = dict(table)
    phrase = given.pop("phrase", "")
    if len(given) != 1:
        raise DataError(f"{where}, {name}: give exactly one of {', '.join(SHAPES)}.")
    ((shape, points),) = given.items()
    if shape not in SHAPES:
        raise UnknownNameError("shape of a fuzzy set", shape, SHAPES)
    if not isinstance(points, list):
        raise DataError(f"{where}, {name}: {shape} takes a list.")
    try:
        meaning = FuzzySet(shape, tuple(map(str, points)) if shape == "set" else tuple(points))
    except DataError as error:
        raise DataError(f"{where}, {name}: {error}") from None
    return Word(name=name, meaning=meaning, phrase=str(phrase))


def _line(word: Word) -> str:
    held = ", ".join(f"{key} = {_text(value)}" for key, value in _table(word).items())
    return f"{_key(word.name)} = {{ {held} }}"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _text(name)


def _text(value: Any) -> str:
    """A value as TOML: texts as JSON has them, but for one character that it leaves as it is."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _table(word: Word) -> dict[str, Any]:
    table: dict[str, Any] = {word.meaning.shape: list(word.meaning.points)}
    return {**table, "phrase": word.phrase} if word.phrase else table
