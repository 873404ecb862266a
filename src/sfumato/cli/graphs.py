"""Options and reading that the commands of `sfumato graph` share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sfumato.cli.options import file_path, schema_option
from sfumato.core.errors import DataError

if TYPE_CHECKING:
    from sfumato.data import CsvOptions
    from sfumato.data.graph import Graph

Function = TypeVar("Function", bound=Callable[..., Any])

ONE_FILE = (".graphml", ".xml", ".jsonl", ".ndjson")  # formats that hold nodes and edges together

directed_option = click.option(
    "--directed", is_flag=True, help="Edges have a direction: who follows whom. GraphML says so itself."
)


def graph_options(function: Function) -> Function:
    """How to read a file of a graph."""
    for option in (
        directed_option,
        schema_option,
        click.option(
            "--nodes",
            "nodes_path",
            type=file_path,
            metavar="FILE",
            help="The table of the nodes, where GRAPH is a table of edges.",
        ),
    ):
        function = option(function)
    return function


def load_graph(
    path: Path,
    nodes: Path | None,
    schema_path: Path | None,
    *,
    directed: bool = False,
    options: "CsvOptions | None" = None,
) -> "Graph":
    """Read a graph under the schema given, the one it holds, or the one proposed for it."""
    from sfumato.data import Schema
    from sfumato.data.files.graph_files import read_graph

    schema = None if schema_path is None else Schema.read(schema_path)
    graph = read_graph(path, nodes=nodes, schema=schema, directed=directed, options=options)
    if not graph.n:
        raise DataError(f"{path} has no nodes: there is nothing to do.")
    return graph
