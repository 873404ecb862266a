"""A database for what does not fit into memory: sorting and grouping that spill to disk.

DuckDB reads blocks where they lie. It may use so much memory and no more, spills into a folder of its own
inside the work folder, loads no extension, and reaches nothing but the tables it was given. Queries order
their results, so that the number of threads cannot change what comes out.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sfumato.core import MissingExtraError, SfumatoError
from sfumato.core.private import private_folder
from sfumato.core.temporaries import temporary_folder
from sfumato.parallel.threads import thread_count

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ROWS = 1_000_000  # of a batch of results


class Database:
    """An open database; tables are given to it under a name, queries are answered in batches."""

    def __init__(self, connection: "DuckDBPyConnection") -> None:
        self._connection = connection

    def give(self, name: str, table: Any) -> None:
        """Let queries read an Arrow table, dataset or reader under this name."""
        self._connection.register(name, table)

    def run(self, statement: str) -> None:
        for _ in self.ask(statement):
            pass

    def ask(self, query: str) -> Iterator[pa.RecordBatch]:
        import duckdb

        try:
            relation: Any = self._connection.sql(query)
            if relation is None:  # a statement without an answer
                return
            # older versions have it under another name
            read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
            yield from read(ROWS)
        except (duckdb.OutOfMemoryException, OSError) as error:
            if "Out of Memory" not in str(error):  # Arrow readers pass errors on under another name
                raise
            raise SfumatoError(
                "Counting in the database ran out of memory, or of room on disk to spill to; give more of either "
                "(--memory, --work)."
            ) from None


@contextmanager
def database(folder: Path, *, memory: int) -> Iterator[Database]:
    """Open a database that uses so many bytes of memory at most, and spills into the folder.

    >>> with temporary_folder() as folder, database(folder, memory=2**26) as db:
    ...     db.give("people", pa.table({"age": [31, 45, 31]}))
    ...     [batch.to_pydict() for batch in db.ask("SELECT age, count(*) AS n FROM people GROUP BY age ORDER BY age")]
    [{'age': [31, 45], 'n': [2, 1]}]
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("A file larger than memory", "large") from None
    with temporary_folder(private_folder(folder)) as spill:
        connection = duckdb.connect(":memory:", config=_settings(spill, memory))
        try:
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            yield Database(connection)
        finally:
            connection.close()


def _settings(spill: Path, memory: int) -> dict[str, Any]:
    return {
        "memory_limit": f"{max(memory, 1) / 2**20:.0f}MiB",
        "temp_directory": str(spill),
        "threads": thread_count(),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "preserve_insertion_order": False,
        "python_enable_replacements": False,
    }


def mapped_columns(folder: Path, batches: Iterator[pa.RecordBatch], count: int) -> list[np.ndarray]:
    """The columns of an answer, all of whole numbers: written into the folder and mapped."""
    paths = [folder / f"column-{j}" for j in range(count)]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        for batch in batches:
            for j, file in enumerate(files):
                batch.column(j).to_numpy().astype(np.int64).tofile(file)
    return [mapped(path, np.int64) for path in paths]


def mapped(path: Path, kind: type) -> np.ndarray:
    """The numbers in a file, which take memory only while they are looked at."""
    # nothing cannot be mapped
    return np.asarray(np.memmap(path, kind, "r")) if path.stat().st_size else np.empty(0, kind)
