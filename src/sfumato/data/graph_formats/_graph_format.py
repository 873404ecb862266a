"""What a file format of graphs is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sfumato.data.csv_options import CsvOptions
from sfumato.data.graph import Graph
from sfumato.data.schema import Schema


@dataclass(frozen=True)
class GraphFormat(ABC):
    """Reads and writes graphs in files that end in one of the `suffixes`.

    A graph is one file, or, where `edges_only`, a file of edges and one of nodes. It may carry the schema of its nodes.
    """

    suffixes: ClassVar[tuple[str, ...]]
    edges_only: ClassVar[bool] = False
    carries_schema: ClassVar[bool] = False

    @abstractmethod
    def read(
        self, files: Sequence[Path], *, schema: Schema | None, directed: bool, options: CsvOptions | None
    ) -> Graph:
        """The graph; `directed` counts where the file does not say."""

    @abstractmethod
    def write(self, graph: Graph, files: Sequence[Path], options: CsvOptions | None) -> None:
        """Write a graph."""
