"""`sfumato graph protect`: every profile of a graph is shared by at least k nodes."""

from pathlib import Path

import click

from sfumato.cli.graph_protecting import (
    TOPICS,
    cluster_options,
    load_profiles,
    print_evaluation,
    profile_options,
)
from sfumato.cli.graph_structure import print_structure, structure_method, structure_option
from sfumato.cli.graphs import ONE_FILE, graph_options
from sfumato.cli.options import (
    file_path,
    json_option,
    keep_option,
    output_option,
    quiet_option,
    record_option,
    seed_option,
)
from sfumato.cli.outputs import check_output
from sfumato.cli.printing import told_as_json
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching
from sfumato.cli.writing import schema_beside


@click.command(short_help="Let every profile be shared by at least k nodes; edges stay.")
@click.argument("graph", type=file_path)
@output_option
@click.option(
    "--k",
    type=click.IntRange(min=1),
    default=5,
    metavar="INTEGER",
    help="Nodes that share a profile, at least.  [default: 5]",
)
@cluster_options
@profile_options
@structure_option
@keep_option
@record_option
@graph_options
@seed_option
@json_option
@quiet_option
def command(
    graph: Path,
    output: Path,
    k: int,
    seeds: str,
    refine: int,
    location: str,
    topics: tuple[str, ...],
    places_path: Path | None,
    structure: str | None,
    keep: tuple[str, ...],
    record_path: Path | None,
    nodes_path: Path | None,
    schema_path: Path | None,
    directed: bool,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Protect the locations and topics of GRAPH, judge what came out, and write it to OUT with its schema.

    Clusters of at least k similar nodes release the closest place that holds all of theirs, and the topics with
    the most votes. The edges stay as they are, unless --structure names a method for them: somebody who knows how
    many friends a person has, and how those know each other, may still find them.
    """
    from sfumato.data import writing_all
    from sfumato.data.files.graph_files import write_graph
    from sfumato.graphs.attribute_protection import AttributeProtection
    from sfumato.studies.graph_structure import protect_structure
    from sfumato.studies.graph_study import evaluate_graph, protect_graph

    inputs = (graph, nodes_path, schema_path, places_path)
    check_output(output, inputs, ONE_FILE)
    check_output(schema_beside(output), inputs)
    if record_path is not None:
        check_output(record_path, (*inputs, output), (".json",))
    method = AttributeProtection(k=k, seeds=seeds, refine=refine, location=location, topics=topics or TOPICS)
    edges = structure_method(structure, k) if structure else None
    with watching(quiet=quiet):
        original = load_profiles(
            graph, nodes_path, schema_path, location=location, places_path=places_path, directed=directed
        )
        released = protect_graph(original, method, seed=seed, keep=keep)
        if edges:
            released = protect_structure(released, edges, seed=seed)
        found = evaluate_graph(
            original,
            released,
            location=method.location,
            topics=method.topics,
            structure=bool(edges),
            seed=seed,
        )
        stop_if_asked()
        with writing_all([output, schema_beside(output)]) as (target, schema_target):
            write_graph(released, target)
            schema_target.write_text(released.nodes.schema.to_toml(), encoding="utf-8")
    files = [str(output), str(schema_beside(output))]
    told = {"method": method, "structure": edges, "seed": seed}
    record = {**told, **found.to_dict(), "files": files}
    if told_as_json(record, record_path, as_json):
        return
    print_evaluation(found)
    if found.structure_evaluation:
        print_structure(found.structure_evaluation)
    click.echo(
        f"Wrote {output}: {released.n:,} nodes and {released.m:,} edges; {method}{f', {edges}' if edges else ''}"
    )
