"""What a file format is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pyarrow as pa

from sfumato.core.quantities import Size
from sfumato.data.csv_options import CsvOptions
from sfumato.data.inference import Declared
from sfumato.data.table import Table


@dataclass(frozen=True)
class Format(ABC):
    """Reads files that end in one of the `suffixes`, and writes them unless `unwritable` says why it does not.

    All formats are loaded to find the one of a file, so that a package that is slow to import, or may be missing,
    is imported where it is used.
    """

    suffixes: ClassVar[tuple[str, ...]]
    unwritable: ClassVar[str] = ""

    @abstractmethod
    def read(self, path: Path, options: CsvOptions, memory: Size) -> tuple[pa.Table, Mapping[str, Declared]]:
        """A file as it is, before any schema, and what it says itself about its columns.

        What would need more bytes of `memory` is refused, before they are taken.
        """

    def write(self, table: Table, target: Path, options: CsvOptions) -> None:
        raise NotImplementedError(self.unwritable)
