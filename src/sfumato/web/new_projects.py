"""New projects: a file is read as a table by the question process, and only then becomes a project."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from sfumato.core import DataError, FileError
from sfumato.core.quantities import Size
from sfumato.data import SUFFIXES, CsvOptions
from sfumato.data.formats.ipums import Ipums
from sfumato.data.formats.linked_files import LinkedFiles
from sfumato.web.bench import Bench
from sfumato.web.projects import GRAPHS, Project
from sfumato.web.workspace import clean_name, is_known


async def open_in_place(bench: Bench, below: str, options: CsvOptions) -> Project:
    """A new project on a file below the folder; where it cannot be read, nothing is left of it."""
    return await _kept_if_read(bench, bench.workspace.open_file(below, options))


async def receive(bench: Bench, pieces: AsyncIterator[bytes], *, name: str, options: CsvOptions) -> Project:
    """A new project on an uploaded file; where it is refused or cut off, nothing is left of it."""
    shown = clean_name(name)
    _check_suffix(shown)
    return await _kept_if_read(bench, bench.workspace.new_upload(shown, options), pieces)


async def _kept_if_read(
    bench: Bench, project: Project, pieces: AsyncIterator[bytes] | None = None
) -> Project:
    try:
        if pieces is not None:
            await _write(pieces, project.path, bench.most_upload)
        await bench.questions.ask("graph" if project.kind == "graph" else "columns", project)
        await asyncio.to_thread(bench.workspace.keep, project)
    except BaseException:
        bench.workspace.remove(project)
        raise
    return project


def _check_suffix(name: str) -> None:
    if not is_known(name):
        raise FileError(
            f"{name}: its format cannot be told from its name; known suffixes are "
            f"{', '.join((*SUFFIXES, *GRAPHS))}."
        )
    if name.lower().endswith(Ipums.suffixes):
        raise FileError(
            f"{name}: an extract of fixed width needs its codebook beside it; upload a .zip of both, or put both into the folder."
        )

    if name.lower().endswith(LinkedFiles.suffixes):
        raise FileError(
            f"{name}: it links files that lie beside it; upload a .zip of all, or put all into the folder."
        )


async def _write(pieces: AsyncIterator[bytes], path: Path, most: int) -> None:
    size = 0
    with path.open("wb") as file:
        async for piece in pieces:
            size += len(piece)
            if size > most:
                raise FileError(f"An upload may have at most {Size(most)}: put the file into the folder.")
            await asyncio.to_thread(file.write, piece)
    if size == 0:
        raise DataError("The file is empty: it needs at least a row of column names.")
