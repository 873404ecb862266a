"""What the jobs share that read graphs: the files of nodes and edges, and what the columns of the nodes are."""

from pathlib import Path
from typing import Any, ClassVar

from sfumato.core import DataError, ParameterError, param, progress
from sfumato.data import Schema
from sfumato.data.files.graph_files import read_graph
from sfumato.data.formats import format_of, suffixes
from sfumato.data.graph import Graph
from sfumato.data.graph_frames import graph_from_frames
from sfumato.jobs._job import Job
from sfumato.jobs._reading import Text
from sfumato.jobs._work import Work

ONE_FILE = tuple(
    s for s in suffixes("graph_formats") if not format_of(Path(f"graph{s}"), "graph_formats").edges_only
)


class Directed(Job):
    """A job that must be told whether edges have a direction."""

    directed: bool = param(
        default=False, help="edges have a direction: who follows whom. GraphML says so itself"
    )
    undirected: bool = param(default=False, help="directions do not count, whatever the file says")

    def check(self) -> None:
        super().check()
        if self.directed and self.undirected:
            raise ParameterError(f"{self.name}: edges are directed or undirected. Say one of them.")


class GraphReading(Text, Directed):
    """A job that reads a graph."""

    nodes: Path | None = param(default=None, help="the table of the nodes, where GRAPH is a table of edges")
    schema: Path | None = param(default=None, help="what the columns of the nodes are", word="FILE.toml")

    def graph_of(self, given: Any, nodes: Path | None, schema: Schema | None) -> Graph:
        """A graph under the schema given, the one it holds, or the one proposed for its file."""
        if isinstance(given, Graph):
            found = given if schema is None else given.with_nodes(given.nodes.with_schema(schema))
        elif isinstance(given, tuple):  # frames of nodes and of edges
            found = graph_from_frames(*given, schema=schema, directed=self.directed)
        else:
            found = read_graph(given, nodes=nodes, schema=schema, directed=self.directed, options=self.text)
        if not found.n:
            raise DataError(f"{named(given)} has no nodes: there is nothing to do.")
        if found.loops or found.repeated:
            progress.note(
                f"{named(given)}: {found.loops:,} edges from a node to itself were left out, and {found.repeated:,} "
                "that were there already."
            )
        return Graph(found.nodes, found.edges) if self.undirected else found


class OneGraph(GraphReading):
    """A job on one graph."""

    data: ClassVar[tuple[str, ...]] = ("graph",)

    graph: Path | None = param(default=None, help="the graph", argument=True, needed=True)

    def read(self, work: Work, **given: Any) -> tuple[Graph]:
        schema = stated(given.get("schema", self.schema))
        return (self.graph_of(given.get("graph", self.graph), self.nodes, schema),)


def stated(schema: Path | str | Schema | None) -> Schema | None:
    return Schema.read(schema) if isinstance(schema, Path | str) else schema


def named(graph: Any) -> str:
    """What to call a graph in a sentence: by its file, if it comes from one."""
    return "The graph" if isinstance(graph, Graph | tuple) else str(graph)
