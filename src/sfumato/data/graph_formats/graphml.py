"""GraphML, which says itself whether edges have a direction, and carries the schema of the nodes."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from sfumato.data.csv_options import CsvOptions
from sfumato.data.graph import Graph
from sfumato.data.graph_formats._graph_format import GraphFormat
from sfumato.data.graph_formats._graphml_reader import read_graphml
from sfumato.data.graph_formats._graphml_writer import write_graphml
from sfumato.data.schema import Schema


class Graphml(GraphFormat):
    """Graphs as XML."""

    suffixes: ClassVar[tuple[str, ...]] = (".graphml", ".xml")
    carries_schema: ClassVar[bool] = True

    def read(
        self, files: Sequence[Path], *, schema: Schema | None, directed: bool, options: CsvOptions | None
    ) -> Graph:
        """Without a schema, the one it carries or else the proposal from its values is used."""
        return read_graphml(files[0], schema)

    def write(self, graph: Graph, files: Sequence[Path], options: CsvOptions | None) -> None:
        """A missing value is an absent one."""
        write_graphml(graph, files[0])
