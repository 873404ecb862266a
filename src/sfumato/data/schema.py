"""Schemas: the attributes of a table, in order, and their form as a small TOML file."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from sfumato.core import DataError, UnknownNameError
from sfumato.core.regular_files import small_text
from sfumato.core.toml_text import parsed_toml
from sfumato.data.attribute import Attribute, Role, first_repeated
from sfumato.data.declarations import Analysis, Scenario, declared, plain
from sfumato.data.edit_rules import EditRule, declared_rules
from sfumato.data.hierarchy import Hierarchy

MOST_LISTED = 100  # values of an identifier
PRIVATE = ".private"  # the suffix of the folders of what stays with the owner
DEFAULTS = {field.name: field.default for field in msgspec.structs.fields(Attribute)}


class Schema:
    """The attributes of a table by name, the rules they obey, what users do with them and what intruders know of them.

    Immutable.

    >>> schema = Schema.from_toml('''
    ... [attributes.age]
    ... scale = "numeric"
    ... role = "key"
    ... decimals = 0
    ...
    ... [attributes.sex]
    ... scale = "nominal"
    ... categories = ["f", "m"]
    ... ''')
    >>> schema.names, schema["age"].role
    (('age', 'sex'), 'key')
    >>> Schema.from_toml(schema.to_toml()) == schema
    True
    """

    __slots__ = ("_attributes", "analyses", "rules", "scenarios")

    def __init__(
        self,
        attributes: Iterable[Attribute],
        *,
        analyses: Mapping[str, Analysis] | None = None,
        scenarios: Mapping[str, Scenario] | None = None,
        rules: Iterable[EditRule] = (),
    ) -> None:
        listed = list(attributes)
        repeated = first_repeated([a.name for a in listed])
        if repeated is not None:
            raise DataError(f"Two columns are called {repeated!r}: names must be unique.")
        self._attributes = {a.name: a for a in listed}
        self.analyses = dict(analyses or {})
        self.scenarios = dict(scenarios or {})
        self.rules = tuple(rules)

    def __getitem__(self, name: str) -> Attribute:
        try:
            return self._attributes[name]
        except KeyError:
            raise UnknownNameError("column", name, self._attributes) from None

    def __contains__(self, name: object) -> bool:
        return name in self._attributes

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self._attributes.values())

    def __len__(self) -> int:
        return len(self._attributes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema) or list(self) != list(other):
            return False
        mine, others = (
            (self.analyses, self.scenarios, self.rules),
            (other.analyses, other.scenarios, other.rules),
        )
        return mine == others

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        return f"Schema({', '.join(f'{a.name}: {a.scale} {a.role}' for a in self)})"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._attributes)

    def with_role(self, *roles: Role) -> tuple[str, ...]:
        return tuple(a.name for a in self if a.role in roles)

    @property
    def weight(self) -> str:
        """The column that says how many people a record stands for: the first of those with the role weight; empty where there is none.

        Further ones are those of households, or replicates.
        """
        return next(iter(self.with_role("weight")), "")

    def replace(self, attributes: Iterable[Attribute]) -> "Schema":
        """A schema in which these attributes take the place of those of the same name."""
        new = {a.name: a for a in attributes}
        for name in new:
            self[name]
        return self._with(new.get(a.name, a) for a in self)

    def with_roles(self, roles: dict[str, Role]) -> "Schema":
        return self.replace(self[name].evolve(role=role) for name, role in roles.items())

    def select(self, names: Iterable[str]) -> "Schema":
        """Some columns, with the declarations that can still be kept: those all of whose columns are there.

        A rule needs its categories too.
        """
        return self._with(self[name] for name in names)

    def _with(self, attributes: Iterable[Attribute]) -> "Schema":
        listed = list(attributes)
        names = {a.name for a in listed}
        found = Schema(
            listed,
            analyses={label: one for label, one in self.analyses.items() if names.issuperset(one.columns)},
            scenarios={label: one for label, one in self.scenarios.items() if names.issuperset(one.columns)},
        )
        return found.with_rules(rule for rule in self.rules if rule.fits(found))

    def without_lists(self) -> "Schema":
        """The same columns; the values of identifiers are left out where they are many, as a file for people should."""
        long = (one for one in self if one.role == "identifier" and one.domain_size > MOST_LISTED)
        return self.replace(
            one.evolve(scale="nominal", categories=(), hierarchy=None, covers={}) for one in long
        )

    def with_rules(self, rules: Iterable[EditRule]) -> "Schema":
        """The same columns, under these rules and no others."""
        return Schema(self, analyses=self.analyses, scenarios=self.scenarios, rules=rules)

    def with_scenarios(self, scenarios: Mapping[str, Scenario]) -> "Schema":
        """The same columns, with these intruders and no others."""
        return Schema(self, analyses=self.analyses, scenarios=scenarios, rules=self.rules)

    def to_toml(self) -> str:
        tables = {}
        for attribute in self:
            # with defaults that came out of a pickle, being other objects
            given = msgspec.to_builtins(attribute)
            table = {key: value for key, value in given.items() if value != DEFAULTS[key]}
            del table["name"]
            if attribute.hierarchy is not None:
                table["hierarchy"] = [list(row) for row in attribute.hierarchy.rows]
            tables[attribute.name] = table
        declarations = {"analyses": plain(self.analyses), "scenarios": plain(self.scenarios)}
        rules = {"rules": [rule.text for rule in self.rules]} if self.rules else {}
        return tomli_w.dumps(
            {**rules, "attributes": tables, **{key: one for key, one in declarations.items() if one}}
        )

    @classmethod
    def from_toml(cls, text: str, source: str = "schema", folder: Path | None = None) -> "Schema":
        """Read the text of a TOML schema; hierarchy files are looked for in the folder, if there is one."""
        tables = parsed_toml(text, source)
        attributes = tables.pop("attributes", None)
        analyses, scenarios = tables.pop("analyses", {}), tables.pop("scenarios", {})
        rules = tables.pop("rules", [])
        if tables or not isinstance(attributes, dict) or not attributes:
            raise DataError(
                f"{source}: a schema holds one table [attributes.NAME] per column, tables [analyses.NAME] and "
                "[scenarios.NAME] and a list of rules if need be, and nothing else; rules come before all tables."
            )
        names = tuple(attributes)
        schema = cls(
            [_attribute(source, name, table, folder) for name, table in attributes.items()],
            analyses=declared(Analysis, analyses, source, names),
            scenarios=declared(Scenario, scenarios, source, names),
        )
        return schema.with_rules(declared_rules(rules, source, schema)) if rules != [] else schema

    @classmethod
    def read(cls, path: str | Path) -> "Schema":
        path = Path(path)
        text = small_text(path, "Schema file")
        return cls.from_toml(text, source=str(path), folder=path.parent)


def _attribute(source: str, name: str, table: Any, folder: Path | None) -> Attribute:
    if not isinstance(table, dict):
        raise DataError(f"{source}: [attributes.{name}] must be a table.")
    table = {**table, "name": name}
    hierarchy = table.get("hierarchy")
    try:
        if isinstance(hierarchy, str):
            table["hierarchy"] = _hierarchy_file(folder, hierarchy)
        elif hierarchy is not None:
            table["hierarchy"] = Hierarchy(msgspec.convert(hierarchy, tuple[tuple[str, ...], ...]))
        attribute = msgspec.convert(table, Attribute, from_attributes=True)
        if attribute.hierarchy is not None and attribute.categories:
            attribute.hierarchy.check_covers(name, attribute.categories)
    except msgspec.ValidationError as error:
        rule = error.__cause__ if isinstance(error.__cause__, DataError) else f"{error}."
        raise DataError(f"{source}, [attributes.{name}]: {rule}") from None
    except DataError as error:
        raise DataError(f"{source}, [attributes.{name}]: {error}") from None
    return attribute


def _hierarchy_file(folder: Path | None, name: str) -> Hierarchy:
    """The hierarchy in a file; data that carry a schema must not make us open others."""
    if folder is None:
        raise DataError("hierarchy must list its rows here; only the file of a schema can name another file.")
    return Hierarchy.read(folder / name)


def private_beside(path: Path) -> Path:
    """The folder of what explains a released file to its owner, and must not leave with it.

    >>> private_beside(Path("out/masked.csv")).as_posix()
    'out/masked.private'
    """
    return path.with_name(f"{path.stem}{PRIVATE}")


def schema_beside(path: Path) -> Path:
    """Where the schema of a file is kept.

    >>> schema_beside(Path("out/masked.csv")).as_posix()
    'out/masked.schema.toml'
    """
    return path.with_name(f"{path.stem}.schema.toml")
