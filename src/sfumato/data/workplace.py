"""Where a table larger than memory is worked on."""

import atexit
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sfumato.core.crew import Alone, Crew
from sfumato.core.temporaries import temporary_folder
from sfumato.data.blocks import BLOCK

LEAST, MOST = 2**29, 2**30  # bytes for the database


@dataclass(frozen=True)
class Workplace:
    """A folder for what is made on the way, who works there, and how much memory may be used.

    Neither changes a result; `records`, the size of a block, may.
    """

    folder: Path
    crew: Crew
    memory: int
    records: int = BLOCK

    @classmethod
    def here(cls, memory: int) -> Self:
        """This process, and a folder for temporary files that is removed when the program ends."""
        cleanup = ExitStack()
        atexit.register(cleanup.close)
        return cls(cleanup.enter_context(temporary_folder()), Alone(), memory)

    @property
    def for_database(self) -> int:
        """The bytes of memory that sorting and grouping may take before they spill to disk."""
        return min(max(self.memory // 4, LEAST), MOST)
