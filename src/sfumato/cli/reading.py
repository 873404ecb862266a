"""Reading the files that a command names, and saying what was decided on the way."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from sfumato.cli.writing import schema_beside
from sfumato.core.errors import DataError
from sfumato.core.progress import note
from sfumato.data import (
    Attribute,
    CsvOptions,
    Role,
    Schema,
    Table,
    propose,
    propose_schema,
    read_arrow,
    read_table,
)
from sfumato.data.arrow_columns import as_text
from sfumato.data.parquet_source import is_parquet, parquet_source


@dataclasses.dataclass(frozen=True)
class Described:
    """The schema that a file is read by, and whether it is only proposed."""

    schema: Schema
    proposed: bool

    def keyed_by(self, names: Sequence[str]) -> Schema:
        """The schema with these attributes as the keys and no others; as it is if none is named."""
        if not names:
            return self.schema
        roles: dict[str, Role] = dict.fromkeys(self.schema.with_role("key"), "other")
        roles |= dict.fromkeys(names, "key")
        return self.schema.with_roles(roles)

    def say_keys(self) -> None:
        """Say which columns are taken as known to an intruder, where only a guess says so."""
        keys = self.schema.with_role("key")
        if self.proposed and keys:
            note(f"no schema given: taking {', '.join(keys)} as what an intruder may know.")

    def say_dropped(self, keep: Sequence[str]) -> None:
        """Say which columns will not be in the release."""
        dropped = [name for name in self.schema.with_role("identifier") if name not in keep]
        if self.proposed and dropped:
            note(f"dropping what looks like an identifier: {', '.join(dropped)}; keep one with --keep NAME.")


@dataclasses.dataclass(frozen=True)
class Loaded:
    """A table, and whether its schema is only proposed."""

    table: Table
    proposed: bool

    @property
    def described(self) -> Described:
        """How the table was read."""
        return Described(self.table.schema, self.proposed)

    def with_keys(self, names: Sequence[str]) -> "Loaded":
        """These attributes are the keys and no others; as they are if none is named."""
        schema = self.described.keyed_by(names)
        return dataclasses.replace(self, table=self.table.with_schema(schema)) if names else self

    def say_keys(self) -> None:
        """Say which columns are taken as known to an intruder, where only a guess says so."""
        self.described.say_keys()

    def say_dropped(self, keep: Sequence[str]) -> None:
        """Say which columns will not be in the release."""
        self.described.say_dropped(keep)


def csv_options(delimiter: str | None, encoding: str | None, no_header: bool) -> CsvOptions:
    """The options for delimited text as the command line spells them."""
    spelled = {"\\t": "\t", "tab": "\t"}
    character = None if delimiter is None else spelled.get(delimiter, delimiter)
    return CsvOptions(delimiter=character, encoding=encoding or "utf-8", header=not no_header)


def load(path: Path, schema_path: Path | None, options: CsvOptions) -> Loaded:
    """Read a file under the schema given, the one it holds, or the one proposed for it."""
    schema = Schema.read(schema_path) if schema_path is not None else _held_schema(path)
    proposed = schema is None
    if path.is_dir() and is_parquet(path):
        arrow = parquet_source(path).whole()
        return Loaded(Table.from_arrow(arrow, schema or propose(arrow).schema, source=str(path)), proposed)
    return Loaded(read_table(path, schema=schema, options=options), proposed=proposed)


def reasons(path: Path, loaded: Loaded, options: CsvOptions) -> dict[str, str]:
    """Why each column is read as it is."""
    if not loaded.proposed:
        return dict.fromkeys(loaded.table.names, "declared")
    if path.is_dir():
        return propose(parquet_source(path).whole()).reasons
    return propose_schema(path, options=options).reasons


def load_pair(
    original: Path,
    masked: Path,
    schema_path: Path | None,
    masked_schema_path: Path | None,
    options: CsvOptions,
) -> tuple[Table, Table]:
    """Read a file and its masked version.

    The masked file has its own schema (given, beside it, or in it), else the original's, widened. If the
    original has none, the keys of the masked one's are those of both.
    """
    loaded = load(original, schema_path, options)
    schema = masked_schema(masked, masked_schema_path)
    if schema is not None and loaded.proposed:
        loaded = loaded.with_keys([name for name in schema.with_role("key") if name in loaded.table])
    loaded.say_keys()
    if schema is None:
        return loaded.table, _under_widened(masked, loaded.table.schema, options)
    if masked.is_dir():
        return loaded.table, Table.from_arrow(parquet_source(masked).whole(), schema, source=str(masked))
    return loaded.table, read_table(masked, schema=schema, options=options)


def masked_schema(path: Path, schema_path: Path | None) -> Schema | None:
    """The schema of a masked file: given, beside it, or in it."""
    beside = schema_beside(path)
    if schema_path is None and beside.is_file():
        note(f"reading {path} by the schema beside it, {beside.name}.")
        schema_path = beside
    return Schema.read(schema_path) if schema_path is not None else _held_schema(path)


def _under_widened(path: Path, original: Schema, options: CsvOptions) -> Table:
    arrow = parquet_source(path).whole() if path.is_dir() else read_arrow(path, options=options)
    names = compared_names(arrow.column_names, original, path)
    schema = Schema(
        widened(original[name], as_text(arrow.column(name)).unique().to_pylist(), path) for name in names
    )
    return Table.from_arrow(arrow.select(names), schema, source=str(path))


def compared_names(names: Sequence[str], original: Schema, path: Path) -> list[str]:
    """The columns of a masked file that the original has too."""
    common = [name for name in names if name in original]
    strangers = [name for name in names if name not in original]
    if not common:
        raise DataError(f"{path} has no column of the original; check its header and delimiter.")
    if strangers:
        note(f"{path}: the original has no column {', '.join(strangers)}; not compared.")
    return common


def widened(attribute: Attribute, texts: Sequence[str | None], path: Path) -> Attribute:
    """The attribute with room for what masking may have made of its values, which have these names."""
    if attribute.is_numeric:
        return attribute.evolve(low=None, high=None, decimals=None)
    known = {*attribute.categories, *attribute.missing, "", None}
    new = [text for text in texts if text is not None and text not in known]
    if not new:
        return attribute
    if attribute.role == "key":
        note(
            f"{path}, column {attribute.name}: {len(new)} categories are unknown to the original; "
            "each could be any (give --masked-schema to say what they cover)."
        )
    return attribute.evolve(categories=(*attribute.categories, *new), hierarchy=None)


def _held_schema(path: Path) -> Schema | None:
    """The schema that a Parquet file carries."""
    return parquet_source(path).stored_schema() if path.exists() and is_parquet(path) else None
