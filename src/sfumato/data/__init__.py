"""Attributes, schemas, tables, hierarchies, and the files and frames they come from."""

from sfumato.data.attribute import ROLES, SCALES, Attribute, Role, Scale, Storage
from sfumato.data.encoding import MISSING
from sfumato.data.files import (
    SUFFIXES,
    CsvOptions,
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
from sfumato.data.schema import Schema
from sfumato.data.table import Table

__all__ = [
    "MISSING",
    "ROLES",
    "SCALES",
    "SUFFIXES",
    "Attribute",
    "CsvOptions",
    "Declared",
    "Hierarchy",
    "Proposal",
    "Role",
    "Scale",
    "Schema",
    "Storage",
    "Table",
    "arrow_from_frame",
    "frame_like",
    "propose",
    "propose_schema",
    "read_arrow",
    "read_table",
    "table_from_frame",
    "write_table",
    "writing",
    "writing_all",
]
