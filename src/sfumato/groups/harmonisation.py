"""Harmonisation rules: how each common attribute is made from the columns of two files, with a TOML form."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from sfumato.core import DataError
from sfumato.core.regular_files import small_text
from sfumato.core.toml_text import parsed_toml
from sfumato.data import Scale

SIDES = ("microfile", "auxiliary file")


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"columns": "from"}):
    """How one harmonised attribute is made.

    `columns` (in the file: `from`) are the columns it comes from, its own name if none is given; several are
    joined with `separator`. `auxiliary` names them in the auxiliary file where they are called otherwise.
    `values` puts old values together under new ones; what it does not list becomes `otherwise`, or is not
    acceptable. `range` is what numbers must lie in. An `optional` attribute is left out of a file that has
    not got its columns, as a released file has no vital attribute.
    """

    columns: tuple[str, ...] | str = ()
    auxiliary: tuple[str, ...] | str = ()
    separator: str = "-"
    values: dict[str, tuple[str, ...]] = {}
    otherwise: str | None = None
    range: tuple[float, float] | None = None
    scale: Scale | None = None
    optional: bool = False

    def columns_of(self, name: str, side: str) -> tuple[str, ...]:
        given = (self.auxiliary if side == SIDES[1] else ()) or self.columns or name
        return (given,) if isinstance(given, str) else given


@dataclass(frozen=True)
class Harmonisation:
    """The rules for all harmonised attributes, with a TOML form.

    >>> spec = Harmonisation.from_toml('''
    ... [attributes.workplace]
    ... from = ["state", "puma"]
    ...
    ... [attributes.military]
    ... from = "occupation"
    ... values = { yes = ["551010", "552010"] }
    ... otherwise = "no"
    ... optional = true
    ...
    ... [attributes.age]
    ... range = [18, 45]
    ... ''')
    >>> list(spec.rules)
    ['workplace', 'military', 'age']
    """

    rules: Mapping[str, Rule]

    @classmethod
    def from_toml(cls, text: str, source: str = "harmonisation") -> "Harmonisation":
        tables = parsed_toml(text, source)
        given = tables.pop("attributes", None)
        if tables or not isinstance(given, dict) or not given:
            raise DataError(f"{source}: it holds one table [attributes.NAME] per attribute and nothing else.")
        return cls({name: _rule(source, name, table) for name, table in given.items()})

    @classmethod
    def read(cls, path: str | Path) -> "Harmonisation":
        return cls.from_toml(small_text(Path(path), "Harmonisation file"), source=str(path))


def _rule(source: str, name: str, table: Any) -> Rule:
    try:
        rule = msgspec.convert(table, Rule)
    except msgspec.ValidationError as error:
        raise DataError(f"{source}, [attributes.{name}]: {error}.") from None
    where = f"{source}, [attributes.{name}]"
    if rule.range is not None and not rule.range[0] <= rule.range[1]:
        raise DataError(f"{where}: range must go from low to high.")
    listed = [old for olds in rule.values.values() for old in olds]
    if len(set(listed)) < len(listed):
        twice = next(old for old in listed if listed.count(old) > 1)
        raise DataError(f"{where}: values lists {twice!r} twice; an old value has one new one.")
    if rule.otherwise is not None and not rule.values:
        raise DataError(f"{where}: otherwise needs values.")
    if rule.values and rule.range is not None:
        raise DataError(f"{where}: give values or a range, not both; values not listed are outside anyway.")
    if rule.values and rule.scale == "numeric":
        raise DataError(f"{where}: an attribute whose values are merged cannot be numeric.")
    return rule
