"""What jobs share that write files: where to, with what beside them, which columns, what is said of the others."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from sfumato.core import FileError, param
from sfumato.data import WRITABLE, Schema, Source, Table, schema_beside
from sfumato.data.blocks import Blocks
from sfumato.data.formats.parquet import Parquet
from sfumato.jobs._job import Job
from sfumato.jobs._paths import output_file, same_file


class Releasing(Job):
    """A job that writes a protected file, with its schema beside it."""

    output: Path | None = output_file(
        "where to write the protected file; its suffix says the format", WRITABLE
    )
    keep: tuple[str, ...] = param(
        default=(), word="NAME", help="identifiers to release all the same; others are dropped"
    )

    def targets(self) -> dict[str, Path]:
        beside = {} if self.output is None else {"schema": schema_beside(self.output)}
        return {**super().targets(), **beside}

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


class Recorded(Job):
    """A job that keeps what `--json` prints; its outcome has the content `record`."""

    record: Path | None = param(
        default=None,
        word="FILE.json",
        help="write what --json prints to this file, to keep it; it is for the owner alone",
        writes=True,
        suffixes=(".json",),
    )

    def check_files(self) -> None:
        super().check_files()
        others = [target for name, target in self.targets().items() if name != "record"]
        if self.record is not None and any(same_file(self.record, other) for other in others):
            raise FileError(f"Output {self.record}: the record needs a name of its own.")


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
