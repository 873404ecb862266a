"""A query on a database: a file of SQL whose first line says where the database is. Nothing is ever written there."""

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.core import DataError, FileError, MissingExtraError
from sfumato.core.quantities import Size
from sfumato.core.regular_files import check_regular, small_text
from sfumato.data.arrow_columns import check_usable
from sfumato.data.csv_options import CsvOptions
from sfumato.data.formats._format import Format
from sfumato.data.formats._loose_values import column_of
from sfumato.data.inference import Declared
from sfumato.data.machine_memory import check_fits

FIRST_LINE = re.compile(r"\s*--\s*from:?\s+(\S.*?)\s*(?:\r?\n|$)", re.IGNORECASE)
ASKS = re.compile(r"\s*(select|with|values|from|table)\b", re.IGNORECASE)
COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
POSTGRES = ("postgresql://", "postgres://")
SQLITE = b"SQLite format 3\0"


class Query(Format):
    """The records that a query gives. Its file begins with a line such as `-- from: survey.duckdb`.

    The database is a file of DuckDB or SQLite, found from the folder of the query, or an address of PostgreSQL,
    postgresql://host/database; passwords belong into the environment or ~/.pgpass, as for other programs.
    """

    suffixes = (".sql",)
    unwritable = "a query is only read; use .csv"

    def read(self, path: Path, options: CsvOptions, memory: Size) -> tuple[pa.Table, Mapping[str, Declared]]:
        place, query = _parts(path)
        if place.startswith(POSTGRES):
            arrow = _from_postgres(path, place, query)
        else:
            database = path.parent / place
            check_regular(database)
            with database.open("rb") as file:
                is_sqlite = file.read(len(SQLITE)) == SQLITE
            arrow = (_from_sqlite if is_sqlite else _from_duckdb)(path, database, query)
        check_fits(path, 2 * arrow.nbytes, memory)
        if len({*arrow.column_names}) < arrow.num_columns:
            raise DataError(f"{path}: two columns have the same name; give each its own with AS.")
        check_usable(arrow, str(path))
        return arrow, {}


def _parts(path: Path) -> tuple[str, str]:
    """Where the database is, and the query."""
    text = small_text(path, "Query")
    first = FIRST_LINE.match(text)
    if first is None:
        raise DataError(f"{path}: the first line must say where the database is: -- from: survey.duckdb")
    query = text[first.end() :].strip().rstrip(";")
    if not ASKS.match(COMMENT.sub(" ", query)):
        raise DataError(f"{path}: a query must be one SELECT; a database is never written to.")
    return first[1], query


def _from_sqlite(path: Path, database: Path, query: str) -> pa.Table:
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA query_only = ON")
            cursor = connection.execute(query)
            rows, names = cursor.fetchall(), [column[0] for column in cursor.description]
    except (sqlite3.Error, sqlite3.Warning):
        raise _refused(path, "SQLite") from None
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return pa.Table.from_arrays([column_of(values) for values in columns], names=names)


def _from_duckdb(path: Path, database: Path, query: str) -> pa.Table:
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("A database of DuckDB", "databases") from None
    only: dict[str, Any] = {"enable_external_access": "false", "autoinstall_known_extensions": "false"}
    try:
        with closing(duckdb.connect(str(database), read_only=True, config=only)) as connection:
            found: Any = connection.sql(query)
            if found is None:  # the last of several statements gave nothing
                raise _refused(path, "DuckDB")
            table: pa.Table = found.to_arrow_table()
            return table
    except duckdb.Error:
        raise _refused(path, "DuckDB") from None


def _from_postgres(path: Path, address: str, query: str) -> pa.Table:
    try:
        import adbc_driver_manager
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise MissingExtraError("A database of PostgreSQL", "databases") from None
    try:
        with dbapi.connect(address) as connection, connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(query)
            table: pa.Table = cursor.fetch_arrow_table()
            return table
    except adbc_driver_manager.Error:
        raise _refused(path, "PostgreSQL") from None


def _refused(path: Path, program: str) -> FileError:
    """What a database says may quote a value, or a password."""
    return FileError(
        f"{path}: {program} refuses the query; try it there, and check the database that it names."
    )
