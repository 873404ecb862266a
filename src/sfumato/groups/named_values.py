"""A name and what goes with it, as people write them: occupation=551010,551020 or sex=2."""

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

AND = " & "
BETWEEN = re.compile(AND + r'(?=(?:[^"]*"[^"]*")*[^"]*$)')  # in no quotes


@dataclass(frozen=True)
class Vital:
    """A column and the values that say who belongs to a group; with `beside`, a combination of several columns.

    >>> Vital.convert("rank=private,sergeant")
    Vital(name='rank', values=('private', 'sergeant'), beside=())
    >>> Vital.convert(("rank", ["private, first class"])).plain()
    'rank="private, first class"'
    >>> Vital.convert("rank=private & sex=2").table
    {'rank': ('private',), 'sex': ('2',)}
    """

    name: str
    values: tuple[str, ...]
    beside: tuple[tuple[str, tuple[str, ...]], ...] = ()

    noun: ClassVar[str] = "a column and its values, such as occupation=551010, or several with & between"
    word: ClassVar[str] = "NAME=VALUE,…"
    listed: ClassVar[bool] = False

    @classmethod
    def convert(cls, value: Any) -> Self:
        """From a text, a pair of a name and its values, or as it is."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, str):
            return cls(*_parted(value))
        (name, values), *beside = [_parted(piece) for piece in _combined(value)]
        return cls(name, values, tuple(beside))

    @property
    def table(self) -> dict[str, tuple[str, ...]]:
        """All its columns, each with its values."""
        return {self.name: self.values, **dict(self.beside)}

    def plain(self) -> str:
        """As a text that reads back as the same."""
        return AND.join(_joined(name, values) for name, values in self.table.items())


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


def known_names(given: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The names as they are known: what was cut at commas is put together again where that is a name.

    The longest one comes first; what is no name stays, for whoever refuses it.

    >>> known_names(["North", "East", "South"], ["North, East", "South", "East"])
    ('North, East', 'South')
    """
    given, known = tuple(given), tuple(known)
    written = set(known).intersection(given)  # what stands there to the letter is meant so
    whole = {_pieces(name): name for name in (*known, *written)}
    parts = [piece for name in given for piece in _pieces(name)]
    longest = max(map(len, whole), default=1)
    found: list[str] = []
    while parts:
        runs = (tuple(parts[:count]) for count in range(min(longest, len(parts)), 0, -1))
        run = next((run for run in runs if run in whole), tuple(parts[:1]))
        found.append(whole.get(run, run[0]))
        parts = parts[len(run) :]
    return tuple(found)


def _combined(text: str) -> list[str]:
    """The columns of a combination; a text in which one of them has no values is a single column."""
    found = BETWEEN.split(text)
    return found if all("=" in piece for piece in found) else [text]


def _pieces(name: str) -> tuple[str, ...]:
    return tuple(piece.strip() for piece in name.split(","))


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
    items = [*items]
    if any(AND in item for item in items):
        csv.writer(line, lineterminator="", quoting=csv.QUOTE_ALL).writerow(items)
    else:
        csv.writer(line, lineterminator="").writerow(items)
    return f"{name}={line.getvalue()}"
