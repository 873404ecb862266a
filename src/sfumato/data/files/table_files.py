"""Files of tables, read and written; the suffix of a file says its format."""

from pathlib import Path

import pyarrow as pa

from sfumato.core import FileError
from sfumato.data.files.atomic import writing
from sfumato.data.files.delimited import CsvOptions, read_delimited, write_delimited
from sfumato.data.files.ipums import FIXED_WIDTH, is_fixed_width, read_ipums
from sfumato.data.files.parquet import read_parquet, stored_schema, write_parquet
from sfumato.data.files.stats_reader import PACKAGES, read_stats
from sfumato.data.files.stats_writer import write_stats
from sfumato.data.inference import Declared, Proposal, propose
from sfumato.data.schema import Schema
from sfumato.data.table import Table

DELIMITED = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")
SUFFIXES = (*DELIMITED, *PARQUET, *PACKAGES, *FIXED_WIDTH)


def read_table(path: str | Path, *, schema: Schema | None = None, options: CsvOptions | None = None) -> Table:
    """Read a file; without a schema, what the file declares and the proposal from its values are used.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = file.write_text("age,sex\\n31,f\\n,m\\n")
    >>> read_table(file).schema
    Schema(age: numeric key, sex: nominal key)
    """
    arrow, declared = read_declared(Path(path), options)
    if schema is None:
        schema = _proposal(arrow, declared, str(path)).schema
    return Table.from_arrow(arrow, schema, source=str(path))


def read_arrow(path: str | Path, *, options: CsvOptions | None = None) -> pa.Table:
    """Read a file as it is, before any schema: delimited files are all text, missing codes are values."""
    return read_declared(Path(path), options)[0]


def propose_schema(path: str | Path, *, options: CsvOptions | None = None) -> Proposal:
    """Propose a schema for a file, from what it declares itself and from its values."""
    arrow, declared = read_declared(Path(path), options)
    return _proposal(arrow, declared, str(path))


def write_table(table: Table, path: str | Path, *, options: CsvOptions | None = None) -> None:
    """Write a table in the format its suffix names; the file appears whole or not at all."""
    target = Path(path)
    suffix = _suffix(target)
    if suffix == ".sas7bdat":
        raise FileError(f"{target} cannot be written: only SAS itself writes .sas7bdat; use .xpt.")
    if suffix in FIXED_WIDTH:
        raise FileError(f"{target} cannot be written: extracts of fixed width are only read; use .csv.")
    with writing(target) as temporary:
        if suffix in DELIMITED:
            write_delimited(table, temporary, options or CsvOptions())
        elif suffix in PARQUET:
            write_parquet(table, temporary)
        else:
            write_stats(table, temporary)


def read_declared(path: Path, options: CsvOptions | None = None) -> tuple[pa.Table, dict[str, Declared]]:
    """A file as it is, and what it says itself about its columns."""
    suffix = _suffix(path)
    if path.is_dir():
        raise FileError(f"{path} is a folder: give the name of a file in it.")
    try:
        path.open("rb").close()
        if suffix in DELIMITED:
            return read_delimited(path, options or CsvOptions()), {}
        if suffix in FIXED_WIDTH:
            return read_ipums(path)
        return (read_parquet(path), {}) if suffix in PARQUET else read_stats(path)
    except FileNotFoundError:
        raise FileError(f"{path} does not exist.") from None
    except PermissionError:
        raise FileError(f"{path} cannot be read: permission is denied.") from None


def _proposal(arrow: pa.Table, declared: dict[str, Declared], source: str) -> Proposal:
    schema = stored_schema(arrow, source)
    if schema is None:
        return propose(arrow, declared)
    return Proposal(schema=schema, reasons=dict.fromkeys(schema.names, "the file holds this schema"))


def _suffix(path: Path) -> str:
    suffix = FIXED_WIDTH[0] if is_fixed_width(path) else path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FileError(
            f"{path}: its format cannot be told from its name; known suffixes are {', '.join(SUFFIXES)}."
        )
    return suffix
