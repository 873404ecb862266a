"""Files of tables, read and written; the suffix of a file says its format."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from sfumato.core import FileError
from sfumato.core.regular_files import check_regular
from sfumato.data.csv_options import CsvOptions
from sfumato.data.delimited_layout import Layout, found_layout
from sfumato.data.files.atomic import writing
from sfumato.data.formats import format_of
from sfumato.data.formats._format import Format
from sfumato.data.formats.delimited import Delimited
from sfumato.data.formats.parquet import Parquet, stored_schema
from sfumato.data.inference import Declared, Proposal, propose, read_by
from sfumato.data.machine_memory import check_fits, memory_limit
from sfumato.data.schema import Schema
from sfumato.data.table import Table

GROWTH = 2  # bytes in memory for each byte of a file, at least


def read_table(path: str | Path, *, schema: Schema | None = None, options: CsvOptions | None = None) -> Table:
    """Read a file; without a schema, what the file declares and the proposal from its values are used.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = file.write_text("age,sex\\n31,f\\n,m\\n")
    >>> read_table(file).schema
    Schema(age: numeric key, sex: nominal key)
    """
    options = replace(options or CsvOptions(), names=schema.names if schema else ())
    arrow, declared = read_declared(Path(path), options)
    if schema is None:
        schema = _proposal(arrow, declared, str(path)).schema
    schema = read_by(schema, declared)
    return Table.from_arrow(arrow, schema, source=str(path))


def read_arrow(path: str | Path, *, options: CsvOptions | None = None) -> pa.Table:
    """Read a file as it is, before any schema: delimited files are all text, missing codes are values."""
    return read_declared(Path(path), options)[0]


def propose_schema(path: str | Path, *, options: CsvOptions | None = None) -> Proposal:
    """Propose a schema for a file, from what it declares itself and from its values."""
    arrow, declared = read_declared(Path(path), options)
    return _proposal(arrow, declared, str(path))


def write_table(table: Table, path: str | Path, *, options: CsvOptions | None = None) -> None:
    """Write a table in the format its suffix names; the file appears whole or not at all.

    >>> import tempfile
    >>> import pandas as pd
    >>> from sfumato.data import table_from_frame
    >>> file = Path(tempfile.mkdtemp()) / "people.parquet"
    >>> write_table(table_from_frame(pd.DataFrame({"age": [31, 45], "sex": ["f", "m"]})), file)
    >>> read_table(file).to_arrow().to_pandas()["sex"].tolist()
    ['f', 'm']
    """
    target = Path(path)
    form: Format = format_of(target)
    if form.unwritable:
        raise FileError(f"{target} cannot be written: {form.unwritable}.")
    with writing(target) as temporary:
        form.write(table, temporary, options or CsvOptions())


def layout_of(path: str | Path, options: CsvOptions | None = None) -> Layout | None:
    """How a file of delimited text is laid out, as far as nothing is said of it; None for a file of another format."""
    path = Path(path)
    is_delimited = isinstance(format_of(path), Delimited)
    return found_layout(path, options or CsvOptions()) if is_delimited else None


def read_declared(
    path: Path, options: CsvOptions | None = None, memory: int | None = None
) -> tuple[pa.Table, Mapping[str, Declared]]:
    """A file as it is and what it says of itself; refused if it needs more bytes of `memory`."""
    if path.is_dir():
        check_regular(path)  # which says so
    form: Format = format_of(path)
    check_regular(path)
    limit = memory_limit(memory)
    if not isinstance(form, Parquet):  # which says itself what it needs
        check_fits(path, GROWTH * path.stat().st_size, limit)
    return form.read(path, options or CsvOptions(), limit)


def _proposal(arrow: pa.Table, declared: Mapping[str, Declared], source: str) -> Proposal:
    schema = stored_schema(arrow, source)
    if schema is None:
        return propose(arrow, declared)
    return Proposal(schema=schema, reasons=dict.fromkeys(schema.names, "the file holds this schema"))
