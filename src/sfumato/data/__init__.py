"""Attributes, schemas, tables, hierarchies, and the files and frames they come from."""

from typing import TYPE_CHECKING

from sfumato.data import formats
from sfumato.data.attribute import ROLES, SCALES, Attribute, Role, Scale, Storage
from sfumato.data.csv_options import CsvOptions
from sfumato.data.edit_rules import EditRule, edit_rule
from sfumato.data.encoding import MISSING
from sfumato.data.files import (
    layout_of,
    propose_schema,
    read_arrow,
    read_table,
    write_table,
    writing,
    writing_all,
)
from sfumato.data.frames import arrow_from_frame, frame_like, table_from_frame
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.inference import Declared, Proposal, propose
from sfumato.data.linked_tables import parted
from sfumato.data.rule_counts import RuleCount, broken_rules, rules_kept
from sfumato.data.schema import Schema, private_beside, schema_beside
from sfumato.data.source import Source, linked, open
from sfumato.data.table import Table

__all__ = [
    "MISSING",
    "ROLES",
    "SCALES",
    "SUFFIXES",
    "WRITABLE",
    "Attribute",
    "CsvOptions",
    "Declared",
    "EditRule",
    "Hierarchy",
    "Proposal",
    "Role",
    "RuleCount",
    "Scale",
    "Schema",
    "Source",
    "Storage",
    "Table",
    "arrow_from_frame",
    "broken_rules",
    "edit_rule",
    "frame_like",
    "layout_of",
    "linked",
    "open",
    "parted",
    "private_beside",
    "propose",
    "propose_schema",
    "read_arrow",
    "read_table",
    "rules_kept",
    "schema_beside",
    "table_from_frame",
    "write_table",
    "writing",
    "writing_all",
]

if TYPE_CHECKING:
    SUFFIXES: tuple[str, ...]
    WRITABLE: tuple[str, ...]
else:

    def __getattr__(name):
        # the formats say their suffixes, and are loaded when these are first asked for
        if name == "SUFFIXES":
            return formats.suffixes()
        if name == "WRITABLE":
            return formats.writable_suffixes()
        raise AttributeError(f"module 'sfumato.data' has no attribute {name!r}")
