"""What a schema declares beside its columns: analyses that matter to users, and what different intruders know."""

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from sfumato.core import DataError, UnknownNameError

if TYPE_CHECKING:
    from sfumato.data.schema import Schema


class Analysis(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something users do with the file, which must not change: a table, a mean by group, or a regression.

    >>> Analysis(mean="pay", by=("sex",)).columns
    ('pay', 'sex')
    """

    table: tuple[str, ...] = ()
    mean: str = ""
    by: tuple[str, ...] = ()
    regression: str = ""
    on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        asked = {"table": bool(self.table), "mean": bool(self.mean), "regression": bool(self.regression)}
        if sum(asked.values()) != 1:
            raise DataError(
                'an analysis is one of table = ["a", "b"], mean = "y" with by = ["a"], or regression = "y" '
                'with on = ["x"].'
            )
        if self.regression and not self.on:
            raise DataError('a regression says on = ["x"], the columns that explain it.')
        if (bool(self.by) and not self.mean) or (bool(self.on) and not self.regression):
            raise DataError("by belongs to a mean, and on to a regression.")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it needs, what is explained first."""
        named = (*self.table, self.mean, *self.by, self.regression, *self.on)
        return tuple(dict.fromkeys(name for name in named if name))


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An intruder: the columns whose values he knows of the people he looks for.

    >>> Scenario(knows=("age", "sex")).knows
    ('age', 'sex')
    """

    knows: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.knows:
            raise DataError('a scenario says knows = ["age", "sex"], the columns that the intruder knows.')

    @property
    def columns(self) -> tuple[str, ...]:
        return self.knows


T = TypeVar("T", Analysis, Scenario)


def declared(kind: type[T], tables: Any, source: str, names: tuple[str, ...]) -> dict[str, T]:
    """The declarations of one kind from the tables of a schema, by name; columns must be there."""
    word = "analyses" if kind is Analysis else "scenarios"
    if not isinstance(tables, dict):
        raise DataError(f"{source}: [{word}] holds one table [{word}.NAME] each.")
    found: dict[str, T] = {}
    for label, table in tables.items():
        try:
            one = msgspec.convert(table, kind)
            for name in one.columns:
                if name not in names:
                    raise UnknownNameError("column", name, names)
        except msgspec.ValidationError as error:
            rule = error.__cause__ if isinstance(error.__cause__, DataError) else f"{error}."
            raise DataError(f"{source}, [{word}.{label}]: {rule}") from None
        except (DataError, UnknownNameError) as error:
            raise DataError(f"{source}, [{word}.{label}]: {error}") from None
        found[label] = one
    return found


def plain(declarations: dict[str, Any]) -> dict[str, Any]:
    """As a schema file holds them."""
    return {
        label: {key: value for key, value in msgspec.to_builtins(one).items() if value}
        for label, one in declarations.items()
    }


def known_columns(schema: "Schema", scenario: str = "") -> tuple[str, ...]:
    """What an intruder knows: the key attributes, or what a scenario of the schema says."""
    if not scenario:
        return schema.with_role("key")
    if scenario not in schema.scenarios:
        raise UnknownNameError("scenario", scenario, schema.scenarios)
    return schema.scenarios[scenario].knows
