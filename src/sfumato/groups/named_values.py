"""A name and what goes with it, as people write them: occupation=551010,551020 or sex=2."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self


@dataclass(frozen=True)
class Vital:
    """A column and the values that say who belongs to a group.

    >>> Vital.convert("rank=private,sergeant")
    Vital(name='rank', values=('private', 'sergeant'))
    >>> Vital.convert(("rank", ["private, first class"])).plain()
    'rank="private, first class"'
    """

    name: str
    values: tuple[str, ...]

    noun: ClassVar[str] = "a column and its values, such as occupation=551010"
    word: ClassVar[str] = "NAME=VALUE,…"
    listed: ClassVar[bool] = False

    @classmethod
    def convert(cls, value: Any) -> Self:
        """From a text, a pair of a name and its values, or as it is."""
        return value if isinstance(value, cls) else cls(*_parted(value))

    def plain(self) -> str:
        """As a text that reads back as the same."""
        return _joined(self.name, self.values)


@dataclass(frozen=True)
class NamedNumbers:
    """A name and its numbers: the weight of a column, the corners of what a place may hold.

    >>> NamedNumbers.convert("Drum=0,2,4,9.5").plain()
    'Drum=0,2,4,9.5'
    """

    name: str
    numbers: tuple[float, ...]

    noun: ClassVar[str] = "a name and its numbers, such as sex=2"
    word: ClassVar[str] = "NAME=NUMBER,…"
    listed: ClassVar[bool] = False

    @classmethod
    def convert(cls, value: Any) -> Self:
        """From a text, a pair of a name and its numbers, or as it is."""
        if isinstance(value, cls):
            return value
        name, values = _parted(value)
        return cls(name, tuple(map(float, values)))

    def plain(self) -> str:
        return _joined(self.name, [f"{number:.15g}" for number in self.numbers])


def _parted(value: Any) -> tuple[str, tuple[str, ...]]:
    """A name and what stands after it; a value with a comma stands in double quotes."""
    if isinstance(value, str):
        name, _, text = value.partition("=")
        items: Iterable[Any] = next(csv.reader([text], skipinitialspace=True), [])
    else:
        name, given = value
        items = [given] if isinstance(given, str | float | int) else given
    texts = tuple(str(item).strip() for item in items)
    if not name.strip() or not any(texts):
        raise ValueError("no name, or nothing that goes with it")
    return name.strip(), texts


def _joined(name: str, items: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(items)
    return f"{name}={line.getvalue()}"
