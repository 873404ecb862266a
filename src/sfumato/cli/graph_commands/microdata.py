"""`sfumato graph microdata`: the nodes of a graph as a table."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.graphs import graph_options, load_graph
from sfumato.cli.options import file_path, json_option, names_option, quiet_option, text_options
from sfumato.cli.outputs import check_output
from sfumato.cli.printing import print_json
from sfumato.cli.watching import watching

if TYPE_CHECKING:
    from sfumato.data import CsvOptions


@click.command(short_help="Write the degree and the attributes of the nodes as a table.")
@click.argument("graph", type=file_path)
@click.option(
    "-o",
    "--output",
    type=file_path,
    required=True,
    metavar="OUT",
    help="Where to write the table; its suffix says the format.",
)
@names_option("--attributes", help="Attributes to take.  [default: all but identifiers]")
@graph_options
@text_options
@json_option
@quiet_option
def command(
    graph: Path,
    output: Path,
    attributes: tuple[str, ...],
    nodes_path: Path | None,
    schema_path: Path | None,
    directed: bool,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Write one record per node of GRAPH: its degree, and its attributes without identifiers.

    Adding the degree can tell nodes apart that were alike: protect the table as any other before it is released.
    Its schema is written beside it as STEM.schema.toml.
    """
    from sfumato.cli.writing import schema_beside, writable_suffixes, write_masked
    from sfumato.graphs.microdata import microdata

    inputs = (graph, nodes_path, schema_path)
    check_output(output, inputs, writable_suffixes())
    check_output(schema_beside(output), inputs)
    with watching(quiet=quiet):
        found = load_graph(graph, nodes_path, schema_path, directed=directed, options=options)
        table = microdata(found, attributes or None)
        written = write_masked(table, output, options)
    if as_json:
        print_json(
            {"records": table.n, "columns": list(table.names), "files": [str(path) for path in written]}
        )
        return
    click.echo(f"{output}: {table.n:,} records with {', '.join(table.names)}.")
