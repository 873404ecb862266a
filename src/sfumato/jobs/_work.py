"""Where and by whom a job is done: processes or a cluster, memory, a folder. None of it changes a result."""

import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import sfumato.data
from sfumato.core import Seed
from sfumato.core.private import private_folder
from sfumato.core.quantities import Size
from sfumato.core.temporaries import sweep, temporary_folder
from sfumato.data import CsvOptions, Schema, Source
from sfumato.data.blocks import BLOCK
from sfumato.data.machine_memory import memory_limit
from sfumato.data.workplace import Workplace
from sfumato.parallel import available_cores, crew
from sfumato.parallel.certificates import LOCAL, check_address
from sfumato.parallel.crews import check_shared
from sfumato.search.effort import Effort
from sfumato.search.stop import Stop


@dataclass
class Work:
    """What a job may use. Entered like a file: what it opened on the way is closed at the end.

    `run_folder` keeps a search, and `folder` what is made of files on disk, so that a job that was stopped goes on;
    without one, such files are kept beside the file `near` until the end.
    """

    workers: int | None = None
    cluster: str = ""
    open_cluster: bool = False
    memory: int | None = None
    folder: Path | None = None
    run_folder: Path | None = None
    near: Path | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        check_address(self.cluster, open_cluster=self.open_cluster)
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Whether there is something to close: a folder and a crew for files on disk."""
        return "place" in vars(self)

    def sweep(self, targets: Iterable[Path]) -> None:
        """Remove what jobs that were killed left behind where this one will write."""
        for folder in {Path(tempfile.gettempdir()), *(target.parent for target in targets)}:
            sweep(folder)
        for kept in (self.folder, self.run_folder):
            if kept is not None:
                sweep(kept, deep=True)

    def close(self) -> None:
        self._open.close()

    @property
    def processes(self) -> int:
        """How many processes to use: all cores, unless a number was given."""
        return self.workers or available_cores()

    @property
    def limit(self) -> Size:
        """The bytes that a table may take in memory."""
        return memory_limit(self.memory)

    @property
    def beyond_memory(self) -> str:
        """The cluster to search on beside a workplace that has local workers of its own already."""
        return "" if self.cluster == LOCAL else self.cluster

    def effort(self, stop: Stop, seed: Seed, folder: Path | None = None) -> Effort:
        return Effort(stop=stop, seed=seed, workers=self.processes, cluster=self.cluster, folder=folder)

    @cached_property
    def place(self) -> Workplace:
        """A folder and a crew for files that stay on disk; opened when first asked for."""
        folder = self._temporary() if self.folder is None else private_folder(self.folder).resolve()
        workers = crew(None, workers=self.processes, cluster=self.cluster)
        self._open.enter_context(workers)
        check_shared(folder, workers)
        return Workplace(folder, workers, self.limit, BLOCK)

    def open(
        self,
        data: Any,
        *,
        schema: Path | str | Schema | None = None,
        like: Schema | None = None,
        options: CsvOptions | None = None,
    ) -> Source:
        """What a job is done on; a file that is too large for memory stays on disk."""
        return sfumato.data.open(
            data, schema=schema, like=like, options=options, memory=self.limit, workplace=lambda: self.place
        )

    def _temporary(self) -> Path:
        """A new folder on the disk of a file; where that cannot be written to, where temporary files go."""
        beside = self.near.resolve().parent if self.near is not None else Path(tempfile.gettempdir())
        try:
            return self._open.enter_context(temporary_folder(beside))
        except OSError:
            return self._open.enter_context(temporary_folder())
