"""Releases as an intruder meets them: she has the public files and the command, and never what is private."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import sfumato
from intruder.judgement import Truth, cells_of
from sfumato.core import Key
from sfumato.data import Schema, Table, read_table, schema_beside
from sfumato.masking import Masking, make_masking

PRIVATE = ".private"  # ends the name of the folder that is never published


@dataclass(frozen=True, kw_only=True)
class Public:
    """What anybody has: the files of a release, the method with its parameters, and the command."""

    file: Path
    masking: Masking | None
    is_shuffled: bool
    again: Callable[[Table], Table] | None = None
    """The same command on another table, as anybody can give it."""

    @property
    def files(self) -> list[Path]:
        """All that lies beside the release and is not private."""
        return sorted(path for path in self.file.parent.iterdir() if path.suffix != PRIVATE)

    @cached_property
    def table(self) -> Table:
        beside = schema_beside(self.file)
        return read_table(self.file, schema=Schema.read(beside) if beside.is_file() else None)

    def text(self) -> str:
        """Everything that can be read in the public files but the records themselves."""
        others = [path for path in self.files if path != self.file]
        return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in others)


@dataclass(frozen=True, kw_only=True)
class Release:
    """What is public, and what only the owner (and the test) knows."""

    public: Public
    original: Table
    rows: np.ndarray  # for each released record, the row it had

    def truth(self, names: tuple[str, ...]) -> Truth:
        return Truth(cells=cells_of(self.original.take(self.rows), names))


def secretly(number: int) -> dict[str, Any]:
    """A key that nobody knows but this test, so that a failure can be looked into."""
    return {"secret": Key(number.to_bytes(2, "big") * 16)}


def order_of(file: Path, n: int) -> np.ndarray:
    """The row that each released record had, from the owner's folder; without one, the order was kept."""
    path = file.with_name(file.stem + PRIVATE) / "order.csv"
    if not path.is_file():
        return np.arange(n)
    return np.loadtxt(path, dtype=np.int64, skiprows=1, ndmin=1) - 1


def mask_release(
    original: Table, masking: Any, folder: Path, *, suffix: str = ".csv", **options: Any
) -> Release:
    """A file masked with one method, by `mask` with its defaults where nothing else is said."""
    made = make_masking(masking)
    return _released("mask", original, folder, suffix, made, {"masking": made, **options})


def protect_release(original: Table, folder: Path, *, suffix: str = ".csv", **options: Any) -> Release:
    """A protected file; she is told which masking was chosen, since a method is no secret."""
    given = options.get("masking")
    made = None if given is None else make_masking(given)
    return _released("protect", original, folder, suffix, made, options)


def _released(
    job: str, original: Table, folder: Path, suffix: str, masking: Masking | None, options: Mapping[str, Any]
) -> Release:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"released{suffix}"
    run = getattr(sfumato, job)
    outcome = run(original, output=file, **options)
    if masking is None:
        masking = outcome.chosen.masking
    is_shuffled = job != "mask" or bool(options.get("shuffle"))
    public = Public(file=file, masking=masking, is_shuffled=is_shuffled, again=_again(job, options))
    rows = order_of(file, public.table.n)
    if len(rows) < original.n:  # a sample: the owner knows it by values of which no two are the same
        place = {value: row for row, value in enumerate(original["wealth"].tolist())}
        rows = np.array([place[value] for value in public.table["wealth"].tolist()])
    return Release(public=public, original=original, rows=rows)


def _again(job: str, options: Mapping[str, Any]) -> Callable[[Table], Table]:
    told = {name: value for name, value in options.items() if name not in ("secret", "keep")}

    def again(table: Table) -> Table:
        found = getattr(sfumato, job)(table, **told)
        return found if isinstance(found, Table) else found.release

    return again
