"""Several files with key columns as one table of records, such as persons and their households; and that table in its files again.

The first file holds the records. Each further one has a row for each value of its key, columns that a file before it
has too. Every column of the one table says in `Attribute.tables` which files it belongs to; a key belongs to those that refer
to it, and last to the file whose rows it numbers.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import tomli_w

from sfumato.core import DataError, progress
from sfumato.core.regular_files import small_text
from sfumato.core.toml_text import parsed_toml
from sfumato.data.arrow_columns import as_text, check_usable
from sfumato.data.attribute import Role
from sfumato.data.inference import Declared
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.distinct_records import distinct

FORM = (
    'it has a table ["FILE"] for each file, that of the records first, and in each further one its key: '
    'key = "COLUMN", or key = {"ITS COLUMN" = "COLUMN BEFORE"}'
)


@dataclass(frozen=True)
class Part:
    """One of several linked files: its columns, what it says of them, and its key, which the files before call `known_as`."""

    name: str
    columns: pa.Table
    key: str = ""
    known_as: str = ""
    declared: Mapping[str, Declared] = field(default_factory=dict)


def linking(path: Path) -> dict[str, tuple[str, str]]:
    """The files that a TOML file links, in order, each with its key and what the files before call it."""
    found: dict[str, tuple[str, str]] = {}
    for name, table in parsed_toml(small_text(path, "File of linked tables"), str(path)).items():
        key: Any = table.get("key", {}) if isinstance(table, dict) and {*table} <= {"key"} else None
        key = {key: key} if isinstance(key, str) else key
        is_key = isinstance(key, dict) and len(key) == bool(found) and all(map(_is_text, key.values()))
        if not is_key or Path(name).name != name or name in (".", ".."):
            raise DataError(f"{path}: {FORM}; files lie beside it.")
        found[name] = next(iter(key.items()), ("", ""))
    if len(found) < 2:
        raise DataError(f"{path} links no files: {FORM}.")
    return found


def joined(parts: Sequence[Part]) -> tuple[pa.Table, dict[str, Declared]]:
    """One row for each of the first part, with what the others say of it; and what is declared of the columns.

    >>> persons = Part("persons", pa.table({"home": ["1", "1", "2"], "age": ["31", "2", "70"]}))
    >>> homes = Part("homes", pa.table({"home": ["2", "1"], "rent": ["500", "900"]}), key="home", known_as="home")
    >>> table, told = joined([persons, homes])
    >>> table["rent"].to_pylist(), told["home"].tables, told["home"].role
    (['900', '900', '500'], ('persons', 'homes'), 'household')
    """
    first = parts[0]
    check_usable(first.columns, first.name)
    columns = {name: first.columns.column(name) for name in first.columns.column_names}
    told = {name: replace(first.declared.get(name, Declared()), tables=(first.name,)) for name in columns}
    inner = ""
    for part in parts[1:]:
        check_usable(part.columns, part.name)
        rows = _rows_of(part, columns)
        link = told[part.known_as]
        is_nested = not inner or _determines(columns[inner], columns[part.known_as])
        role: Role = "household" if is_nested else "identifier"
        told[part.known_as] = replace(link, tables=(*link.tables, part.name), role=role)
        inner = part.known_as if is_nested else inner
        for name in part.columns.column_names:
            if name == part.key:
                continue
            values = part.columns.column(name).take(rows)
            new = f"{Path(part.name).stem}.{name}" if name in columns else name
            if name in columns and as_text(columns[name]).to_pylist() == as_text(values).to_pylist():
                progress.note(f"column {name} of {told[name].tables[0]} is that of {part.name}.")
                new = name
            columns[new] = values
            told[new] = replace(part.declared.get(name, Declared()), tables=(part.name,))
    return pa.table(columns), told


def keys_of(schema: Schema) -> dict[str, str]:
    """The linked tables in the order in which they refer to each other, that of the records first, each with its key.

    Tables whose key is no longer there are not listed.
    """
    keys = {one.tables[-1]: one.name for one in schema if len(one.tables) > 1}
    order = {next((one.tables[0] for one in schema if one.tables and one.tables[0] not in keys), ""): ""}
    for _ in keys:  # a table comes after all that refer to it
        order |= {
            name: key
            for name, key in keys.items()
            if name not in order and {*schema[key].tables[:-1]} <= {*order}
        }
    return order


def columns_of_units(schema: Schema) -> frozenset[str]:
    """The columns that are not of the records but of what several of them belong to, which therefore agree."""
    keys = keys_of(schema)
    first = next(iter(keys))
    return frozenset(one.name for one in schema if len(one.tables) == 1 and one.tables[0] != first)


def parted(table: Table) -> dict[str, Table]:
    """A table of linked files as the tables of these files, each row of a further one once.

    Records whose key was emptied stand alone: they have a number below zero, and a row of their own. Where the rows that
    a key joins do not agree, the cell is empty, which a note tells. A table whose key is not there stays with the records.

    >>> from sfumato.data import Attribute
    >>> schema = Schema([
    ...     Attribute(name="home", scale="numeric", role="household", storage="integer", tables=("persons", "homes")),
    ...     Attribute(name="age", scale="numeric", tables=("persons",)),
    ...     Attribute(name="rent", scale="numeric", tables=("homes",)),
    ... ])
    >>> people = Table(schema, {"home": [7, 7, np.nan], "age": [31, 2, 70], "rent": [900, 900, 500]})
    >>> files = parted(people)
    >>> files["persons"]["home"].tolist(), files["homes"]["home"].tolist(), files["homes"]["rent"].tolist()
    ([7.0, 7.0, -1.0], [-1.0, 7.0], [500.0, 900.0])
    """
    keys = keys_of(table.schema)
    first, *others = keys
    found = {}
    for name in reversed(others):
        table = _with_numbers(table, keys[name])
        own = _own(table.schema, name)
        found[name] = _units(table, name, keys[name], own)
    homeless = {one for one in table.names if not {*table.schema[one].tables} & {*others}}
    mine = [one for one in table.names if one in homeless or first in table.schema[one].tables]
    return {first: _named(table.select(mine), first), **{name: found[name] for name in others}}


def linking_text(files: Mapping[str, str], schema: Schema) -> str:
    """The TOML file that links the tables of a schema, in files called so."""
    keys = keys_of(schema)
    return tomli_w.dumps({files[name]: {"key": key} if key else {} for name, key in keys.items()})


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _rows_of(part: Part, columns: Mapping[str, Any]) -> pa.Array:
    """For each record the row of the part that its key names."""
    if part.key not in part.columns.column_names:
        raise DataError(f"{part.name} has no column {part.key}, which is to be its key.")
    if part.known_as not in columns:
        raise DataError(
            f"{part.name}: no file before it has the column {part.known_as}, which is to be its key."
        )
    keys, asked = _texts(part.columns.column(part.key)), _texts(columns[part.known_as])
    again = len(keys) - len(keys.drop_null().unique())
    if again:
        raise DataError(
            f"{part.name}: {again} of its rows have no {part.key} of their own; a linked file has one row for each "
            "value of its key."
        )
    rows = pc.index_in(asked, value_set=keys)
    lost = rows.null_count - asked.null_count
    if lost:
        raise DataError(
            f"{part.name}: {lost} records have a {part.known_as} that is not in its column {part.key}."
        )
    progress.counted(
        f"{part.name}: {{}} rows belong to no record and are left out.",
        len(keys) - len(rows.drop_null().unique()),
    )
    return rows


def _texts(column: Any) -> pa.Array:
    found = pc.utf8_trim_whitespace(as_text(column))
    found = found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
    return pc.if_else(pc.equal(found, ""), None, found)


def _determines(inner: Any, outer: Any) -> bool:
    """Whether records that are alike in one column are alike in another."""
    one, other = (
        pc.dictionary_encode(_texts(column)).indices.fill_null(-1).to_numpy() for column in (inner, outer)
    )
    units = distinct([one])
    return bool((other == other[units.first][units.labels]).all())


def _own(schema: Schema, name: str) -> list[str]:
    return [one.name for one in schema if name in one.tables]


def _with_numbers(table: Table, name: str) -> Table:
    """The table in which whoever has no key has one of her own, below zero."""
    alone, attribute = table.missing(name), table.schema[name]
    numbers = -np.cumsum(alone)[alone]
    if not len(numbers):
        return table
    values = table[name].astype(np.float64 if attribute.is_numeric else np.int64)
    if attribute.is_numeric:
        values[alone] = numbers
        return table.replace({name: values}, [attribute.evolve(low=None)])
    values[alone] = attribute.domain_size + np.arange(len(numbers))
    categories = (*attribute.categories, *map(str, numbers))
    return table.replace({name: values}, [attribute.evolve(categories=categories, hierarchy=None)])


def _units(table: Table, name: str, key: str, own: Sequence[str]) -> Table:
    """One row for each value of the key; empty where its records do not agree."""
    found = distinct([table[key]])
    units = table.take(found.first).select(own)
    columns, torn = {}, Counter[str]()
    for one in own:
        shown = distinct(table.shown([one])).labels
        differ = np.bincount(found.labels, shown != shown[found.first][found.labels]) > 0
        if differ.any():
            torn[one] = int(differ.sum())
            empty = np.nan if table.schema[one].is_numeric else -1
            columns[one] = np.where(differ, empty, units[one])
    for one, count in torn.items():
        progress.note(f"{name}: {one} is empty in {count} of {units.n} rows, whose records do not agree.")
    return _named(
        units.replace(columns, reasons={one: _without(units, one, columns) for one in columns}), name
    )


def _without(units: Table, name: str, columns: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """The codes of missing values that stay where cells were emptied."""
    reasons = units.reasons(name)
    return None if reasons is None else np.where(units.missing(name), reasons, 0)


def _named(table: Table, name: str) -> Table:
    """The columns under the names they had in their file."""
    before = f"{Path(name).stem}."
    names = {one: one.removeprefix(before) for one in table.names}
    if any(count > 1 for count in Counter(names.values()).values()):
        return table
    reasons = {new: table.reasons(one) for one, new in names.items()}
    return Table(
        Schema(table.schema[one].evolve(name=new) for one, new in names.items()),
        {new: table[one] for one, new in names.items()},
        reasons={new: codes for new, codes in reasons.items() if codes is not None},
    )
