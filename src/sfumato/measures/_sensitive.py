"""Which attributes are sensitive, beside the keys."""

from sfumato.data import Schema
from sfumato.measures._contract import Files


def sensitive_columns(schema: Schema, names: tuple[str, ...], named: tuple[str, ...]) -> tuple[str, ...]:
    """The attributes named, or those with the role confidential, or each key in turn."""
    declared = named or schema.with_role("confidential")
    for name in declared:
        schema[name]  # which raises where there is none
    return declared or names


def secret_keys(files: Files, named: tuple[str, ...]) -> str:
    """What is not for files from disk, where a sensitive attribute is also a key."""
    keys = set(sensitive_columns(files.original, files.names, named)) & set(files.names)
    return "a sensitive attribute that is also a key" if keys else ""
