"""What jobs share that write a protected file: where to, which columns, and what may be said of the others."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from sfumato.core import FileError, param
from sfumato.data import WRITABLE, Schema, Source, Table, schema_beside
from sfumato.data.blocks import Blocks
from sfumato.data.formats.parquet import Parquet
from sfumato.jobs._job import Job


class Releasing(Job):
    """A job that writes a protected file, with its schema beside it."""

    output: Path | None = param(
        default=None,
        short="o",
        word="OUT",
        help="where to write the protected file; its suffix says the format",
        needed=True,
        writes=True,
        suffixes=WRITABLE,
    )
    keep: tuple[str, ...] = param(
        default=(), word="NAME", help="identifiers to release all the same; others are dropped"
    )

    def targets(self) -> dict[str, Path]:
        return {} if self.output is None else {"output": self.output, "schema": schema_beside(self.output)}

    def check_disk(self, source: Source) -> None:
        """Refuse an output that a file worked on from disk cannot be written as."""
        if source.on_disk and self.output is not None and self.output.suffix.lower() not in Parquet.suffixes:
            raise FileError(
                f"Output {self.output}: what is worked on from disk is written as Parquet; use .parquet."
            )


class Reporting(Releasing):
    """A job that also leaves a report, a record and a picture beside what it releases."""

    endings: ClassVar[Mapping[str, str]] = {
        "report": ".report.html",
        "record": ".record.json",
        "schema": ".schema.toml",
        "map": ".risk-utility.svg",
    }

    def targets(self) -> dict[str, Path]:
        out = self.output
        if out is None:
            return {}
        return {"output": out, **{name: out.with_name(out.stem + end) for name, end in self.endings.items()}}


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
