"""The schema of a file: the saved or proposed one, with changes if there are any, checked against the file.

Changes come by column: `scale`, `role`, `missing` (codes), `categories` (in order), `hierarchy` (rows). Instead of
changes there may be the whole text of a schema.
"""

import csv
import tomllib
from typing import Any

import pyarrow as pa

from sfumato.core import DataError, SfumatoError
from sfumato.data import Attribute, Declared, Hierarchy, Schema, Table, propose
from sfumato.web.questions.process.project_data import ProjectData

SCALED = ("scale", "missing")  # what decides which values are numbers and which are categories


def schema(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    """The text of the schema, or a complaint for each column whose changes break a rule."""
    complaints: dict[str, str] = {}
    if arguments.get("toml"):
        changed = _declared(str(arguments["toml"]))
    else:
        changed, complaints = _changed(held, arguments.get("changes", {}))
    if complaints:
        return {"complaints": complaints}
    Table.from_arrow(held.arrow, changed, source=held.subject.name)
    return {"toml": changed.to_toml(), "keys": list(changed.with_role("key"))}


def _declared(text: str) -> Schema:
    """A schema that is all in its text: here, no hierarchy is read from a file that it names."""
    try:
        attributes = tomllib.loads(text).get("attributes", {})
    except tomllib.TOMLDecodeError:
        attributes = {}  # said in full below
    for name, table in attributes.items() if isinstance(attributes, dict) else ():
        if isinstance(table, dict) and isinstance(table.get("hierarchy"), str):
            raise DataError(f"Column {name}: give the rows of the hierarchy, not the name of a file.")
    return Schema.from_toml(text, source="the schema")


def _changed(held: ProjectData, changes: Any) -> tuple[Schema, dict[str, str]]:
    if not isinstance(changes, dict) or not all(isinstance(wanted, dict) for wanted in changes.values()):
        raise DataError("The changes must be an object by column: what is new about each.")
    found, complaints = held.schema, {}
    for name, wanted in changes.items():
        try:
            attribute = _evolved(found[name], wanted, held.arrow)
            Table.from_arrow(held.arrow.select([name]), Schema([attribute]), source=held.subject.name)
            found = found.replace([attribute])
        except SfumatoError as error:
            complaints[name] = str(error)
    return found, complaints


def _evolved(attribute: Attribute, wanted: dict[str, Any], arrow: pa.Table) -> Attribute:
    if any(part in wanted for part in SCALED):
        attribute = _read_anew(attribute, wanted, arrow)
    if "categories" in wanted:
        attribute = _in_order(attribute, tuple(wanted["categories"]))
    if "hierarchy" in wanted:
        attribute = attribute.evolve(hierarchy=_hierarchy(attribute, wanted["hierarchy"]))
    return attribute.evolve(role=wanted.get("role", attribute.role))


def _read_anew(attribute: Attribute, wanted: dict[str, Any], arrow: pa.Table) -> Attribute:
    """The attribute as it would be proposed if the file itself declared its scale and missing codes."""
    scale = wanted.get("scale", attribute.scale)
    codes = tuple(wanted.get("missing", attribute.missing))
    known = Declared(scale=scale, missing=codes, label=attribute.label, labels=attribute.labels)
    read = propose(arrow.select([attribute.name]), {attribute.name: known}).schema[attribute.name]
    if read.missing != codes:  # words such as NA are taken as missing unless something else is said
        raise DataError(
            f"Column {attribute.name} holds words for missing values: list {', '.join(read.missing)} as its codes."
        )
    if read.scale != scale:
        raise DataError(
            f"Column {attribute.name} cannot be {scale}: some values are no numbers; list codes that mean missing."
        )
    return read.evolve(hierarchy=None if read.is_numeric else attribute.hierarchy)


def _in_order(attribute: Attribute, categories: tuple[str, ...]) -> Attribute:
    left_out = [category for category in attribute.categories if category not in set(categories)]
    if left_out:
        raise DataError(
            f"Column {attribute.name}: {len(left_out)} of its categories are left out of the list."
        )
    return attribute.evolve(categories=categories)


def _hierarchy(attribute: Attribute, text: str) -> Hierarchy | None:
    rows = [tuple(cell.strip() for cell in row) for row in csv.reader(text.splitlines()) if row]
    if not rows:
        return None
    if attribute.is_numeric:
        raise DataError(f"Column {attribute.name} is numeric: only categories have a hierarchy.")
    hierarchy = Hierarchy(tuple(rows))
    hierarchy.check_covers(attribute.name, attribute.categories)
    return hierarchy
