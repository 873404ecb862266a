"""Parquet files, which carry the schema of the table they hold."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from sfumato.core import DataError, SfumatoError
from sfumato.core.quantities import Size
from sfumato.data.arrow_columns import check_usable
from sfumato.data.csv_options import CsvOptions
from sfumato.data.encoding import decode
from sfumato.data.formats._format import Format
from sfumato.data.inference import Declared
from sfumato.data.machine_memory import check_fits
from sfumato.data.parquet_footer import bytes_in_memory, damaged, read_footer
from sfumato.data.schema import Schema
from sfumato.data.table import Table

KEY = b"sfumato.schema"


class Parquet(Format):
    """Columns keep the types they came with; only where a missing number has a code that is no number, such as NA or
    .a, is the column written as text, so that nothing is lost.
    """

    suffixes = (".parquet", ".pq")

    def read(self, path: Path, options: CsvOptions, memory: Size) -> tuple[pa.Table, Mapping[str, Declared]]:
        """The columns; the key-value metadata of the file stay with the Arrow table."""
        import pyarrow.parquet

        footer = read_footer(path)
        needed = bytes_in_memory(sum(footer.groups), footer.arrow, footer.texts)
        check_fits(path, needed, memory, "let a command work on it from disk, or take fewer columns")
        try:
            with path.open("rb") as file:
                arrow = pyarrow.parquet.ParquetFile(file).read()
            arrow.validate(full=True)
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise damaged(path) from None
        if len(set(arrow.column_names)) < arrow.num_columns:
            raise DataError(f"{path}: two columns have the same name; names must be unique.")
        check_usable(arrow, str(path))
        return arrow, {}

    def write(self, table: Table, target: Path, options: CsvOptions) -> None:
        import pyarrow.parquet

        arrays = [decode(table[a.name], table.reasons(a.name), a, text=a.is_numeric) for a in table.schema]
        arrow = pa.Table.from_arrays(arrays, names=list(table.names))
        arrow = arrow.replace_schema_metadata({KEY: table.schema.to_toml().encode()})
        pyarrow.parquet.write_table(arrow, target)


def stored_schema(arrow: pa.Table, source: str) -> Schema | None:
    """The schema that was written with a table, if it still describes these columns."""
    text = (arrow.schema.metadata or {}).get(KEY)
    if text is None:
        return None
    try:
        schema = Schema.from_toml(text.decode())
    except (SfumatoError, UnicodeDecodeError):  # whose words could hold a value
        raise DataError(
            f"{source}: the schema stored in the file is damaged; say what the columns are with --schema."
        ) from None
    return schema if set(schema.names) == set(arrow.column_names) else None
