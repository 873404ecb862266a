"""`sfumato graph evaluate`: what a protected graph has lost, and who is still found in it."""

from pathlib import Path

import click

from sfumato.cli.graph_protecting import TOPICS, load_profiles, print_evaluation, profile_options
from sfumato.cli.graph_structure import print_structure
from sfumato.cli.graphs import graph_options
from sfumato.cli.options import file_path, json_option, quiet_option, seed_option
from sfumato.cli.printing import print_json
from sfumato.cli.watching import watching


@click.command(short_help="Say what a protected graph has lost, and who is still found in it.")
@click.argument("original", type=file_path)
@click.argument("protected", type=file_path)
@profile_options
@click.option(
    "--masked-ends",
    "ends",
    type=click.Choice(["neighbour", "both"]),
    default="neighbour",
    help="Which ends of a link AAMIL takes from the protected graph.  [default: neighbour]",
)
@click.option(
    "--structure",
    is_flag=True,
    help="Judge the structure even if both graphs have the same edges.  [default: only if edges differ]",
)
@graph_options
@click.option(
    "--protected-nodes",
    "protected_nodes_path",
    type=file_path,
    metavar="FILE",
    help="The table of the nodes, where PROTECTED is a table of edges.",
)
@click.option(
    "--protected-schema",
    "protected_schema_path",
    type=file_path,
    metavar="FILE.toml",
    help="What the columns of the protected graph are.  [default: its own]",
)
@seed_option
@json_option
@quiet_option
def command(
    original: Path,
    protected: Path,
    location: str,
    topics: tuple[str, ...],
    places_path: Path | None,
    ends: str,
    structure: bool,
    nodes_path: Path | None,
    schema_path: Path | None,
    directed: bool,
    protected_nodes_path: Path | None,
    protected_schema_path: Path | None,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare PROTECTED with ORIGINAL; their nodes are the same ones in the same order.

    Losses are those of values beside the values of neighbours (AAMIL), of distributions (CDIL) and of single
    values (DBIL). A node is found if its neighbourhood is still there: its own values, those of its
    neighbours, and the links among them.

    Where edges differ, the structure is judged too: triangles, path lengths, degrees and spectrum before and after,
    and the nodes found by who knows degrees (H1), degrees of neighbours (H2), and theirs (H3). In a graph of more
    than 3000 nodes, paths are measured from 100 nodes that --seed chooses.
    """
    from sfumato.studies.graph_study import evaluate_graph

    with watching(quiet=quiet):
        before = load_profiles(
            original, nodes_path, schema_path, location=location, places_path=places_path, directed=directed
        )
        after = load_profiles(
            protected,
            protected_nodes_path,
            protected_schema_path,
            location=location,
            places_path=places_path,
            directed=directed,
        )
        found = evaluate_graph(
            before,
            after,
            location=location,
            topics=topics or TOPICS,
            ends=ends,
            structure=structure,
            seed=seed,
        )
    if as_json:
        print_json(found)
        return
    print_evaluation(found)
    if found.structure_evaluation:
        print_structure(found.structure_evaluation)
