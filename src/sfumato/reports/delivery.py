"""Doing a job to its end: read, run, and write what came of it, together or not at all."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv

from sfumato.core import DataError, FileError, registry
from sfumato.core.private import private_folder
from sfumato.core.results import plain
from sfumato.data import Table, write_table, writing_all
from sfumato.data.files.graph_files import write_graph
from sfumato.data.graph import Graph
from sfumato.data.schema import PRIVATE
from sfumato.jobs import (
    About,
    Board,
    Content,
    Job,
    Outcome,
    Picture,
    Record,
    Repetition,
    Report,
    Text,
    repetition_of,
)
from sfumato.reports.about import about

DOTS_PER_INCH = 150


def perform(job: Job) -> tuple[Any, list[Path]]:
    """Do a job, and write its files: what it came to, and what was written."""
    job.check_files()
    with job.work() as work:
        job = job.settled(work)
        outcome = job.run(*job.read(work), work=work)
        return outcome, deliver(outcome)


def deliver(outcome: Outcome, job: Job | None = None) -> list[Path]:
    """Write the files of an outcome to where its job, or another like it, wants them."""
    job = job or outcome.job
    targets = job.targets() if job is not None else {}
    contents: dict[Path, Content] = {
        targets.get(name, name): content  # what comes of a study has its paths already
        for name, content in outcome.contents().items()
        if name in targets or isinstance(name, Path)
    }
    if job is None or not contents:
        return []
    paths = list(contents)
    private = [path for path in paths if path.parent.suffix == PRIVATE]
    with _folders(paths), writing_all(paths, private=private) as temporaries:
        for content, temporary, path in zip(contents.values(), temporaries, paths, strict=True):
            try:
                _write(content, temporary, path, job)
            except (DataError, FileError) as error:  # the user knows the final name only
                raise type(error)(str(error).replace(str(temporary), str(path))) from None
    for left in set(targets.values()) - set(contents):
        if left.parent.suffix == PRIVATE and left.is_file():
            left.unlink()  # it told of an earlier release
    return paths


@contextmanager
def _folders(paths: Sequence[Path]) -> Iterator[None]:
    """Make the folders of some files, those of private ones closed to others; if anything fails, none that is new stays."""
    folders = {path.parent for path in paths}
    new = [folder for folder in folders if not folder.exists()]
    try:
        for folder in folders:
            if folder.suffix == PRIVATE:
                private_folder(folder)
            else:
                folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for folder in new:
            with suppress(OSError):
                folder.rmdir()
        raise


def record_text(record: Record) -> str:
    """A record as JSON; it holds no values of identifiers."""
    source = {"source": record.source} if record.source else {}
    return json_text({**source, **record.of.to_dict()}) + "\n"


def json_text(value: Any) -> str:
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def _write(content: Content, path: Path, target: Path, job: Job) -> None:
    if isinstance(content, Table):
        write_table(content, path, options=job.text if isinstance(job, Text) else None)
    elif isinstance(content, Graph):
        write_graph(content, path)
    elif isinstance(content, pa.Table):
        csv.write_csv(content, path)
    elif isinstance(content, Picture) and path.suffix.lower() != ".svg":
        content.figure().savefig(path, dpi=DOTS_PER_INCH)
    elif isinstance(content, Repetition):
        study = repetition_of(content.of.repeated(), folder=target.parent)
        path.write_text(study.to_toml(), encoding="utf-8", newline="\n")
    elif isinstance(content, str | Picture | Record | Report | About | Board):
        path.write_text(_text(content), encoding="utf-8", newline="\n")
    else:
        content.write(path)


def _text(content: str | Picture | Record | Report | About | Board) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Record):
        return record_text(content)
    if isinstance(content, About):
        return about(content.of)
    if isinstance(content, Board):
        told: str = registry.load_function("reports", "board")(content.of)
        return told
    if isinstance(content, Report):
        page: str = registry.load_function("reports", content.of.reported_by)(content.of, content.of.job)
        return page
    from sfumato.plots import svg_text  # matplotlib is slow to import

    return '<?xml version="1.0" encoding="utf-8"?>\n' + svg_text(content.figure())
