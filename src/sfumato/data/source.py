"""Where records come from: a file, a folder of Parquet files, a table or any data frame; and how they are read.

Whether a file is read into memory or worked on from disk is decided here, once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from sfumato.core import DataError, FileError, ParameterError, progress
from sfumato.core.quantities import Size
from sfumato.data.arrow_columns import as_text
from sfumato.data.attribute import Attribute, Role
from sfumato.data.block_spool import spool
from sfumato.data.blocks import Blocks
from sfumato.data.csv_options import CsvOptions
from sfumato.data.files.table_files import read_declared
from sfumato.data.frames import arrow_from_frame
from sfumato.data.inference import Proposal, laid_out, propose, read_by
from sfumato.data.linked_tables import Part, joined
from sfumato.data.machine_memory import memory_limit
from sfumato.data.parquet_proposal import TOO_MANY, propose_from_disk, surveyed
from sfumato.data.parquet_source import ParquetSource, is_parquet, parquet_source
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.data.workplace import Workplace

LEAST_FOR_BLOCK = Size(4 * 10**9)

Texts = Callable[[Sequence[str]], Mapping[str, Sequence[str | None]]]


@dataclass(frozen=True)
class Source:
    """Where records come from, and the schema they are read by.

    `proposed` says that the schema is only a guess, `borrowed` that it is that of another file, `reasons` why each
    column is read as it is, and `doubts` why some should not be released before they are declared. `stated` says that
    whoever opened it gave the schema; else it may be the one that the file holds. `table` is a `Table` in memory, or
    `Blocks` where the file stays on disk.
    """

    schema: Schema
    names: tuple[str, ...]
    load: Callable[[Sequence[str], Schema], Table | Blocks] = field(repr=False)
    texts: Texts = field(repr=False)
    path: Path = Path()
    proposed: bool = False
    borrowed: bool = False
    stated: bool = False
    reasons: Mapping[str, str] = field(default_factory=dict, repr=False)
    doubts: Mapping[str, str] = field(default_factory=dict, repr=False)
    on_disk: bool = False

    @property
    def table(self) -> Table | Blocks:
        return self.load(self.names, self.schema)

    def in_memory(self, what: str) -> Table:
        """The table, for work that needs all records at hand."""
        table = self.table
        if isinstance(table, Blocks):
            raise FileError(
                f"{self.path} is too large for memory, in which {what} works: take a random sample of the records, "
                "or give more --memory."
            )
        return table

    def with_schema(self, schema: Schema) -> Self:
        return replace(self, schema=schema)

    def keyed_by(self, names: Sequence[str]) -> Self:
        """These attributes are the keys and no others; as they are if none is named."""
        if not names:
            return self
        roles: dict[str, Role] = dict.fromkeys(self.schema.with_role("key"), "other")
        return self.with_schema(self.schema.with_roles(roles | dict.fromkeys(names, "key")))

    def widened(self, original: Schema) -> Self:
        """The records of a masked file, read as the original is, with room for what masking made of its values."""
        names = [name for name in self.names if name in original]
        strangers = [name for name in self.names if name not in original]
        if not names:
            raise DataError(f"{self.path} has no column of the original; check its header and delimiter.")
        if strangers:
            progress.note(f"{self.path}: the original has no column {', '.join(strangers)}; not compared.")
        texts = self.texts([name for name in names if not original[name].is_numeric])
        attributes = [self._widened(original[name], texts.get(name, ())) for name in names]
        return replace(self, schema=Schema(attributes), names=tuple(names), borrowed=True)

    def _widened(self, attribute: Attribute, texts: Sequence[str | None]) -> Attribute:
        if attribute.is_numeric:
            return attribute.evolve(low=None, high=None, decimals=None)
        known = {*attribute.categories, *attribute.missing, "", None}
        new = [text for text in texts if text is not None and text not in known]
        if not new:
            return attribute
        if attribute.role == "key":
            progress.note(
                f"{self.path}, column {attribute.name}: {len(new)} categories are unknown to the original; "
                "each could be any (give --masked-schema to say what they cover)."
            )
        return attribute.evolve(categories=(*attribute.categories, *new), hierarchy=None)


def open(
    data: Any,
    *,
    schema: Path | str | Schema | None = None,
    like: Schema | None = None,
    options: CsvOptions | None = None,
    memory: int | None = None,
    workplace: Callable[[], Workplace] | None = None,
) -> Source:
    """A source from the path of a file or of a folder of Parquet files, a table, or any data frame.

    Without a schema it is read by the one it holds, else by that of the file it is `like`, else by a proposal. What
    would need more bytes of `memory` stays on disk, at the `workplace`, or is refused if it is not Parquet; unless
    told, the limit is half of the machine's memory, and the work is done here, in a folder for temporary files.

    >>> source = open(pa.table({"age": [31, 45], "sex": ["f", "m"]}))
    >>> source.schema, source.table
    (Schema(age: numeric key, sex: nominal key), Table(2 records × 2 attributes))
    """
    declared = Schema.read(schema) if isinstance(schema, Path | str) else schema
    found = _opened(data, declared, like, options, memory, workplace)
    return found if declared is None else replace(found, stated=True)


def linked(tables: Mapping[str, Any], *, keys: Mapping[str, str], schema: Schema | None = None) -> Source:
    """Several data frames as one source: the first holds the records, each other one a row for each value of its key.

    What is made of it can be parted again: see `parted`.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"home": [1, 1, 2], "age": [31, 2, 70]})
    >>> homes = pd.DataFrame({"home": [1, 2], "rent": [900, 500]})
    >>> linked({"people": people, "homes": homes}, keys={"homes": "home"}).table
    Table(3 records × 3 attributes)
    """
    others = [*tables][1:]
    if not others or {*others} != {*keys}:
        raise ParameterError("linked: give two tables or more, and the key of each but the first.")
    parts = [
        Part(name, arrow_from_frame(frame), keys.get(name, ""), keys.get(name, ""))
        for name, frame in tables.items()
    ]
    arrow, told = joined(parts)
    found = _of_arrow(arrow, Path("the linked tables"), schema, None, told)
    return found if schema is None else replace(found, stated=True)


def _opened(
    data: Any,
    declared: Schema | None,
    like: Schema | None,
    options: CsvOptions | None,
    memory: int | None,
    workplace: Callable[[], Workplace] | None,
) -> Source:
    if isinstance(data, Source):
        return data if declared is None else data.with_schema(declared)
    if isinstance(data, Table):
        return _of_table(data, declared)
    if not isinstance(data, Path | str):
        return _of_arrow(arrow_from_frame(data), Path("the frame"), declared, like)
    path, limit = Path(data), memory_limit(memory)
    if path.exists() and is_parquet(path):
        found = parquet_source(path)
        declared = declared or found.stored_schema()
        if found.bytes_in_memory > limit:
            progress.note(
                f"{path} would need about {Size(found.bytes_in_memory)} of memory, more than {limit}: "
                "working from disk."
            )
            place = workplace() if workplace else Workplace.here(limit)
            _check_block(found, place, limit)
            return _from_disk(found, place, declared, like)
        return _of_arrow(found.whole(), path, declared, like)
    columns = declared or like
    options = replace(options or CsvOptions(), names=columns.names if columns else ())
    arrow, told = read_declared(path, options, limit)
    return _of_arrow(arrow, path, declared, like, told)


def _of_table(table: Table, declared: Schema | None) -> Source:
    def load(names: Sequence[str], schema: Schema) -> Table:
        return table.select(names).with_schema(schema.select(names))

    def texts(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return {name: table.schema[name].categories for name in names}

    return Source(declared or table.schema, table.names, load, texts, Path("the table"))


def _of_arrow(
    arrow: pa.Table,
    path: Path,
    declared: Schema | None,
    like: Schema | None,
    told: Mapping[str, Any] | None = None,
) -> Source:
    def load(names: Sequence[str], schema: Schema) -> Table:
        schema = read_by(schema, told or {})
        return Table.from_arrow(arrow.select(names), schema, source=str(path))

    def texts(names: Sequence[str]) -> dict[str, list[str | None]]:
        return {name: as_text(arrow.column(name)).unique().to_pylist() for name in names}

    declared = None if declared is None else laid_out(declared, told or {})
    found = Source(Schema([]), tuple(arrow.column_names), load, texts, path)
    return _read_by(found, declared, like, lambda: propose(arrow, told))


def _from_disk(
    found: ParquetSource, place: Workplace, declared: Schema | None, like: Schema | None
) -> Source:
    def load(names: Sequence[str], schema: Schema) -> Blocks:
        return spool(found.select(names), place.folder, schema=schema, crew=place.crew, records=place.records)

    def texts(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        known = surveyed(found.select(names), place.crew, records=place.records) if names else {}
        return {name: survey.facts().values for name, survey in known.items()}

    source = Source(Schema([]), found.names, load, texts, found.path, on_disk=True)
    proposal = partial(propose_from_disk, found, place.crew, records=place.records)
    return _all_listed(_read_by(source, declared, like, proposal))


def _all_listed(source: Source) -> Source:
    """Without identifiers whose values nobody lists: each block of records would number them in its own way."""
    left_out = [attribute.name for attribute in source.schema if attribute.is_open]
    if not left_out:
        return source
    progress.note(f"left out {', '.join(left_out)}: {TOO_MANY}.")
    names = tuple(name for name in source.names if name not in left_out)
    schema = source.schema.select(one for one in source.schema.names if one not in left_out)
    return replace(source, names=names, schema=schema)


def _check_block(found: ParquetSource, place: Workplace, limit: Size) -> None:
    """Refuse texts so long that not even the records that are read at a time fit into memory."""
    needed = Size(found.bytes_in_memory * min(place.records, found.n) // max(found.n, 1))
    if needed > max(limit, LEAST_FOR_BLOCK):
        raise FileError(
            f"{found.path} holds texts so long that {place.records} records at a time would need about {needed} of "
            "memory: leave out the column that holds them."
        )


def _read_by(
    found: Source, declared: Schema | None, like: Schema | None, proposed: Callable[[], Proposal]
) -> Source:
    """The source with the schema that is declared, or that of another file, or a proposal."""
    if declared is not None:
        return replace(found, schema=declared, reasons=dict.fromkeys(found.names, "declared"))
    if like is not None:
        return found.widened(like)
    proposal = proposed()
    names = tuple(name for name in found.names if name in proposal.schema)  # the others cannot be listed
    told = replace(found, reasons=proposal.reasons, doubts=proposal.doubts)
    return replace(told, schema=proposal.schema, names=names, proposed=True)
