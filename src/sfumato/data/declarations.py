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
    """An intruder: the columns whose values he knows of the people he looks for, and what he must not reach.

    In place of the columns that he knows all together, `sets` names several of which he may know any one; or he knows
    `any` so many of the columns at the most, whichever these are. `require` are requirements as `protect` takes them.

    >>> Scenario(knows=("age", "sex"), require=("k >= 3",)).knows
    ('age', 'sex')
    >>> Scenario(sets=(("age", "sex"), ("age", "job")), require=("k >= 3",)).columns
    ('age', 'sex', 'job')
    """

    knows: tuple[str, ...] = ()
    sets: tuple[tuple[str, ...], ...] = ()
    any: int = 0
    require: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.knows) == bool(self.sets) or not all(self.sets):
            raise DataError(
                'a scenario says knows = ["age", "sex"], the columns that the intruder knows, or sets of them, '
                'sets = [["age", "sex"], ["age", "job"]].'
            )
        if self.any < 0 or (self.any and not self.knows):
            raise DataError(
                "any is a number of the columns in knows, of which the intruder knows any so many."
            )
        if (self.any or self.sets) and not self.require:
            raise DataError('any and sets are for what is required, such as require = ["k >= 3"].')

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.knows, *(name for some in self.sets for name in some)]))


T = TypeVar("T", Analysis, Scenario)


def declared(kind: type[T], tables: Any, source: str, names: tuple[str, ...] | None = None) -> dict[str, T]:
    """The declarations of one kind from the tables of a schema, by name; columns must be there, if it is known which are."""
    word = "analyses" if kind is Analysis else "scenarios"
    if not isinstance(tables, dict):
        raise DataError(f"{source}: [{word}] holds one table [{word}.NAME] each.")
    found: dict[str, T] = {}
    for label, table in tables.items():
        try:
            one = msgspec.convert(_in_our_words(table), kind)
            for name in one.columns if names is not None else ():
                if name not in (names or ()):
                    raise UnknownNameError("column", name, names or ())
        except msgspec.ValidationError as error:
            rule = error.__cause__ if isinstance(error.__cause__, DataError) else f"{error}."
            raise DataError(f"{source}, [{word}.{label}]: {rule}") from None
        except (DataError, UnknownNameError) as error:
            raise DataError(f"{source}, [{word}.{label}]: {error}") from None
        found[label] = one
    return found


def _in_our_words(table: Any) -> Any:
    """`keys` is another word for what an intruder knows."""
    if isinstance(table, dict) and "keys" in table and "knows" not in table:
        return {"knows" if key == "keys" else key: value for key, value in table.items()}
    return table


def declared_scenarios(tables: Any, source: str) -> dict[str, Scenario]:
    """The scenarios of a policy, which is for files whose columns nobody knows yet."""
    return declared(Scenario, tables, source)


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
    return schema.scenarios[scenario].columns
