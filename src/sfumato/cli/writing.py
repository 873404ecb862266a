"""Writing a masked table and its schema."""

from pathlib import Path

from sfumato.cli.stopping import stop_if_asked
from sfumato.data import CsvOptions, Table, write_table, writing_all
from sfumato.data import schema_beside as schema_beside
from sfumato.data.formats import writable_suffixes as writable_suffixes


def write_masked(released: Table, output: Path, options: CsvOptions) -> tuple[Path, ...]:
    """Write a table and its schema, both or neither."""
    stop_if_asked()
    paths = (output, schema_beside(output))
    with writing_all(paths) as (table_path, schema_path):
        write_table(released, table_path, options=options)
        schema_path.write_text(released.schema.to_toml(), encoding="utf-8")
    return paths
