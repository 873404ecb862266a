"""Releases as an intruder meets them: she has the public files and the command, and never what is private."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import sfumato
from intruder.judgement import Truth, cells_of
from sfumato.core import Key
from sfumato.data import Schema, Table, private_beside, read_table, schema_beside, write_table
from sfumato.data.graph import Graph
from sfumato.graphs.structure import StructureMethod
from sfumato.masking import Masking, make_masking

ORDER = "order.csv"
UNIQUE = "wealth"  # a column of which no two records of an original have the same value


@dataclass(frozen=True, kw_only=True)
class Public:
    """What anybody has: the files of a release, the methods it may have been made with, and the command."""

    file: Path
    is_shuffled: bool
    maskings: tuple[Masking, ...] = ()
    structure: StructureMethod | None = None
    order: np.ndarray | None = None
    """Which original each record is, where that has leaked; to show what it would be worth."""
    again: Callable[[Table], Table] | None = None
    """The same command on another table, as anybody can give it."""

    @property
    def files(self) -> list[Path]:
        """All that lies beside the release and is not private."""
        return sorted(path for path in self.file.parent.iterdir() if path != private_beside(self.file))

    @cached_property
    def schema(self) -> Schema | None:
        beside = schema_beside(self.file)
        return Schema.read(beside) if beside.is_file() else None

    @cached_property
    def table(self) -> Table:
        """The released records, or nodes."""
        return self.graph.nodes if self.is_graph else read_table(self.file, schema=self.schema)

    @property
    def is_graph(self) -> bool:
        return self.file.suffix in (".graphml", ".jsonl")

    @cached_property
    def graph(self) -> Graph:
        return sfumato.read_graph(self.file, schema=self.schema)

    def bytes(self) -> bytes:
        """Everything that can be read anywhere."""
        return b"\n".join(path.read_bytes() for path in self.files)


@dataclass(frozen=True, kw_only=True)
class Release:
    """What is public, and what only the owner (and the test) knows."""

    public: Public
    original: Table
    rows: np.ndarray  # for each released record, the row it had

    def with_order(self) -> "Release":
        """As if the order had leaked."""
        return replace(self, public=replace(self.public, order=self.rows))

    def with_command(self, job: str, **options: Any) -> "Release":
        """As if the command was quick enough to be given again."""
        return replace(self, public=replace(self.public, again=again_by(job, options)))

    def truth(self, names: tuple[str, ...]) -> Truth:
        before = self.original.take(self.rows)
        homes = before.schema.with_role("household")
        together = np.unique(before[homes[0]], return_inverse=True)[1] if homes else None
        return Truth(cells=cells_of(before, names), together=together)


JUDGED = ("protect", "evolve", "group_attributes")


def secretly(number: int) -> dict[str, Any]:
    """A key that nobody knows but this test, so that a failure can be looked into."""
    return {"secret": Key(number.to_bytes(2, "big") * 16)}


def seeded(number: int) -> dict[str, Any]:
    """The number that studies take: whoever knows the program can draw the same."""
    return {"seed": 0}


def mask_release(original: Table, masking: Any, folder: Path, **options: Any) -> Release:
    """A file masked with one method, by `mask` with its defaults where nothing else is said."""
    made = make_masking(masking)
    return released("mask", original, folder, maskings=(made,), masking=made, **options)


def protect_release(original: Table, masking: Any, folder: Path, **options: Any) -> Release:
    """A file protected with a masking that is given."""
    made = make_masking(masking)
    make = released if "suffix" in options else published
    return make("protect", original, folder, maskings=(made,), masking=made, **options)


def released(
    job: str,
    original: Table,
    folder: Path,
    *,
    maskings: tuple[Masking, ...] = (),
    suffix: str = ".csv",
    **options: Any,
) -> Release:
    """What a job writes, of which an intruder knows the command, and with which maskings it may have been made."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"released{suffix}"
    options = {**_unjudged(job), **options}
    getattr(sfumato, job)(original, output=file, **options)
    return _seen(job, original, file, maskings, options)


def published(
    job: str, original: Table, folder: Path, *, maskings: tuple[Masking, ...] = (), **options: Any
) -> Release:
    """The same without the reports, which take long and stay with the owner: the file and its codebook only.

    Where no masking is given, the command takes long and is not given again, unless a test says so: `with_command`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "released.csv"
    options = {**_unjudged(job), **options}
    outcome = getattr(sfumato, job)(original, **options)
    contents = outcome.contents()
    write_table(contents["output"], file)
    schema_beside(file).write_text(contents["schema"], encoding="utf-8")
    if "order" in contents:
        private_beside(file).mkdir()
        contents["order"].write(private_beside(file) / ORDER)
    return _seen(job, original, file, maskings, options)


def _unjudged(job: str) -> dict[str, bool]:
    """A verdict takes long, and stays with the owner."""
    return {"with_verdict": False} if job in JUDGED else {}


def _seen(
    job: str, original: Table, file: Path, maskings: tuple[Masking, ...], options: Mapping[str, Any]
) -> Release:
    public = Public(
        file=file,
        is_shuffled=job != "mask" or bool(options.get("shuffle")),
        maskings=maskings,
        again=again_by(job, options) if "masking" in options else None,
    )
    return Release(public=public, original=original, rows=_rows(public, original))


def graph_release(
    original: Graph, folder: Path, *, structure: StructureMethod | None = None, suffix: str, **options: Any
) -> Release:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"released{suffix}"
    sfumato.protect_graph(original, output=file, structure=structure, **options)
    public = Public(file=file, is_shuffled=True, structure=structure)
    return Release(public=public, original=original.nodes, rows=_rows(public, original.nodes))


def _rows(public: Public, original: Table) -> np.ndarray:
    """The row that each released record had, from the owner's folder; without one, the order was kept."""
    path = private_beside(public.file) / ORDER
    if path.is_file():
        return np.loadtxt(path, dtype=np.int64, skiprows=1, ndmin=1) - 1
    if public.table.n == original.n:
        return np.arange(original.n)
    return np.flatnonzero(
        np.isin(original[UNIQUE], public.table[UNIQUE])
    )  # a sample in the order of the file


def again_by(job: str, options: Mapping[str, Any]) -> Callable[[Table], Table]:
    """The command as anybody can give it: without the key."""
    told = {**_unjudged(job), **{name: value for name, value in options.items() if name != "secret"}}

    def again(table: Table) -> Table:
        found = getattr(sfumato, job)(table, **told)
        return found if isinstance(found, Table) else found.aligned

    return again
