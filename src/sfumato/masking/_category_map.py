"""Which categories become which: written as `{alone = [divorced, widowed], together = married}`, or kept in a file."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from sfumato.core import DataError, FileError, UnknownNameError, notation
from sfumato.core.regular_files import small_text
from sfumato.core.toml_text import parsed_toml
from sfumato.data import Attribute

SUFFIX = ".toml"
RANGE = ".."  # between the first and the last of a run of ordinal categories


@dataclass(frozen=True, repr=False)
class CategoryMap:
    """New categories, each with the old ones that it stands for.

    What was read from a file is kept here as it was then, so that whoever has the map needs the file no more.

    >>> found = CategoryMap.convert("{alone = [divorced, widowed], together = married}")
    >>> found
    {'alone': ('divorced', 'widowed'), 'together': ('married',)}
    >>> CategoryMap.convert(str(found)) == found
    True
    """

    entries: tuple[tuple[str, tuple[str, ...]], ...]

    noun: ClassVar[str] = (
        "new categories and the old ones they stand for, such as {alone = [divorced, widowed]}, or a file "
        f"of them ({SUFFIX})"
    )
    word: ClassVar[str] = "MAP"

    @classmethod
    def convert(cls, value: Any) -> Self:
        """A map from its text, from a dictionary, or from a TOML file that holds one."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str | Path) and str(value).lower().endswith(SUFFIX):
            return cls._read(Path(value))
        if isinstance(value, str):
            value = _parsed(value)
        if not isinstance(value, Mapping) or not value:
            raise ValueError("no map of categories")
        return cls(tuple((_name(new), _names(old)) for new, old in value.items()))

    @classmethod
    def _read(cls, path: Path) -> Self:
        found = parsed_toml(small_text(path, "Map of categories"), str(path))
        try:
            return cls.convert(found)
        except (TypeError, ValueError):
            raise FileError(
                f'{path}: a map of categories holds lines such as alone = ["divorced", "widowed"], and nothing else.'
            ) from None

    def __repr__(self) -> str:
        return repr(dict(self.entries))

    def __str__(self) -> str:
        return "{" + ", ".join(f"{notation.quoted(new)} = {_written(old)}" for new, old in self.entries) + "}"

    def plain(self) -> str:
        return str(self)

    def targets(self, attribute: Attribute) -> dict[int, str]:
        """What the codes of an attribute become; those that nobody names are not in it."""
        found: dict[int, str] = {}
        for new, names in self.entries:
            for code in self._codes(attribute, names):
                if found.setdefault(code, new) != new:
                    raise DataError(
                        f"column {attribute.name}: category {attribute.categories[code]!r} cannot become both "
                        f"{found[code]!r} and {new!r}."
                    )
        return found

    def _codes(self, attribute: Attribute, names: Iterable[str]) -> Iterator[int]:
        for name in names:
            yield from codes_of(attribute, name)

    def check_known(self, attributes: Iterable[Attribute]) -> None:
        """Refuse a category that none of some columns has."""
        known = list(attributes)
        for name in (name for _, names in self.entries for name in names):
            if not any(codes_of(attribute, name) for attribute in known):
                columns = ", ".join(attribute.name for attribute in known)
                raise UnknownNameError(f"category of {columns}", name, known[0].categories)


def codes_of(attribute: Attribute, name: str) -> list[int]:
    """The codes that a name stands for: a category, its label, or of ordinal ones a run such as first..last.

    >>> size = Attribute(name="size", scale="ordinal", categories=("S", "M", "L"), labels={"S": "small"})
    >>> codes_of(size, "small"), codes_of(size, "M..L"), codes_of(size, "XL")
    ([0], [1, 2], [])
    """
    if name in attribute.categories:
        return [attribute.categories.index(name)]
    labelled = [code for code, label in attribute.labels.items() if label == name]
    if labelled:
        return [attribute.categories.index(labelled[0])]
    first, dots, last = name.partition(RANGE)
    if attribute.scale != "ordinal" or not dots or not first or not last:
        return []
    ends = [codes_of(attribute, end.strip()) for end in (first, last)]
    return list(range(ends[0][0], ends[1][-1] + 1)) if all(ends) else []


def _parsed(text: str) -> dict[str, list[str]]:
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        raise ValueError("no braces")
    found: dict[str, list[str]] = {}
    for piece in notation.pieces(text[1:-1]):
        sides = notation.pieces(piece, "=")
        if len(sides) != 2:
            raise ValueError("no equals sign")
        new = notation.unquoted(sides[0])
        if new in found:
            raise ValueError("a new category is named twice")
        found[new] = notation.items(sides[1])
    return found


def _written(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(map(notation.quoted, names)) + "]"


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a category is a text")
    return value


def _names(value: Any) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    if not names:
        raise ValueError("a new category stands for none")
    return tuple(map(_name, names))
