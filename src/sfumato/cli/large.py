"""Files larger than memory at the command line: when to work from disk, where, and by whom."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sfumato.cli.reading import Described, compared_names, masked_schema, widened
from sfumato.cli.sizes import size_in_words
from sfumato.core.errors import FileError
from sfumato.core.progress import note
from sfumato.data import Schema
from sfumato.data.block_spool import spool
from sfumato.data.blocks import BLOCK, Blocks
from sfumato.data.formats.parquet import Parquet
from sfumato.data.machine_memory import machine_memory
from sfumato.data.parquet_proposal import propose_from_disk, surveyed
from sfumato.data.parquet_source import ParquetSource, is_parquet, parquet_source
from sfumato.data.workplace import Workplace
from sfumato.parallel import available_cores, crew
from sfumato.parallel.crews import check_shared

CELLS = 2  # bytes in memory for each byte of text, at least


@dataclass(frozen=True)
class Means:
    """What a job may use: so much memory, a folder, processes or a cluster."""

    memory: int | None = None
    work: Path | None = None
    workers: int | None = None
    cluster: str = ""

    @property
    def limit(self) -> int:
        """The bytes a table may take in memory."""
        return self.memory or machine_memory() // 2

    def source(self, path: Path) -> ParquetSource | None:
        """The source to work on from disk, if a file is too large for memory; other formats are refused."""
        if not path.exists():
            return None
        if not is_parquet(path):
            self._check_text(path)
            return None
        found = parquet_source(path)
        return found if found.bytes_in_memory > self.limit else None

    def say(self, source: ParquetSource) -> None:
        """Say why the job is done from disk."""
        note(
            f"{source.path} would need about {size_in_words(source.bytes_in_memory)} of memory, more than "
            f"{size_in_words(self.limit)}: working from disk."
        )

    @contextmanager
    def place(self, beside: Path) -> Iterator[Workplace]:
        """A folder and a crew for the job; a folder that was not asked for is removed at the end."""
        crowd = crew(None, workers=self.workers or available_cores(), cluster=self.cluster)
        with self._folder(beside) as folder, crowd:
            check_shared(folder, crowd)
            yield Workplace(folder, crowd, self.limit, BLOCK)

    @contextmanager
    def _folder(self, beside: Path) -> Iterator[Path]:
        if self.work is not None:
            yield made_folder(self.work)
            return
        folder = _temporary(beside.resolve().parent)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _check_text(self, path: Path) -> None:
        size = 0 if path.is_dir() else CELLS * path.stat().st_size
        if size > self.limit:
            raise FileError(
                f"{path} would need about {size_in_words(size)} of memory, more than {size_in_words(self.limit)}: "
                "convert it to Parquet, which is worked on from disk, or give more --memory."
            )


def made_folder(folder: Path) -> Path:
    """The folder that was asked for, there if it was not."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise FileError(f"--work {folder} cannot be made: give the name of a folder.") from None
    return folder.resolve()


def check_large_output(output: Path) -> None:
    """Refuse an output that a large job cannot write."""
    if output.suffix.lower() not in Parquet.suffixes:
        raise FileError(f"Output {output}: what is worked on from disk is written as Parquet; use .parquet.")


def described(
    source: ParquetSource, schema_path: Path | None, place: Workplace
) -> tuple[Described, dict[str, str]]:
    """How a source is read (the schema given, the one it holds, or one proposed for it), and why."""
    schema = Schema.read(schema_path) if schema_path is not None else source.stored_schema()
    if schema is not None:
        return Described(schema, False), dict.fromkeys(source.names, "declared")
    proposal = propose_from_disk(source, place.crew, records=place.records)
    return Described(proposal.schema, True), proposal.reasons


def spooled(source: ParquetSource, read_as: Described, place: Workplace) -> Blocks:
    """The table of a source in the work folder; columns that a proposal left out are left out."""
    if read_as.proposed:
        source = source.select([name for name in source.names if name in read_as.schema])
    return spool(source, place.folder, schema=read_as.schema, crew=place.crew, records=place.records)


def spooled_pair(
    sources: tuple[ParquetSource, ParquetSource],
    schema_path: Path | None,
    masked_schema_path: Path | None,
    place: Workplace,
) -> tuple[Blocks, Blocks]:
    """A file and its masked version in the work folder, read as `load_pair` reads them in memory."""
    before, after = sources
    read_as, _ = described(before, schema_path, place)
    schema = masked_schema(after.path, masked_schema_path)
    if schema is not None and read_as.proposed:
        keys = [name for name in schema.with_role("key") if name in read_as.schema]
        read_as = Described(read_as.keyed_by(keys), True)
    read_as.say_keys()
    original = spooled(before, read_as, place)
    if schema is None:
        names = compared_names(after.names, read_as.schema, after.path)
        after = after.select(names)
        schema = _widened(after, read_as.schema, place)
    return original, spooled(after, Described(schema, False), place)


def _widened(source: ParquetSource, original: Schema, place: Workplace) -> Schema:
    categorical = [name for name in source.names if not original[name].is_numeric]
    known = surveyed(source.select(categorical), place.crew, records=place.records) if categorical else {}
    texts = {name: found.facts().values for name, found in known.items()}
    return Schema(widened(original[name], texts.get(name, ()), source.path) for name in source.names)


def _temporary(folder: Path) -> Path:
    """A new folder on the disk of a file; where that cannot be written to, where temporary files go."""
    try:
        return Path(tempfile.mkdtemp(prefix=".sfumato-", dir=folder))
    except OSError:
        return Path(tempfile.mkdtemp(prefix="sfumato-"))
