"""What goes out: which columns are released, and what may be said of those that are not."""

from collections.abc import Sequence

from sfumato.data import Schema, Table
from sfumato.data.blocks import Blocks


def released_names(table: Table | Blocks, keep: Sequence[str]) -> tuple[str, ...]:
    """The columns that go out: all but the identifiers that were not asked for by name."""
    for name in keep:
        table.schema[name]
    return tuple(a.name for a in table.schema if a.role != "identifier" or a.name in keep)


def without_identifier_values(schema: Schema) -> Schema:
    """The schema without the domains of identifiers: such a domain is a list of people."""
    return schema.replace(
        schema[name].evolve(categories=(), covers={}, labels={}, hierarchy=None)
        for name in schema.with_role("identifier")
    )
