"""`sfumato graph report`: what protecting a graph costs and brings, over several k."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.graph_protecting import TOPICS, cluster_options, load_profiles, profile_options
from sfumato.cli.graph_structure import structure_option, structure_spec
from sfumato.cli.graphs import graph_options
from sfumato.cli.options import file_path, json_option, names_option, quiet_option, seed_option
from sfumato.cli.outputs import check_output
from sfumato.cli.printing import percent, print_json, print_table
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching
from sfumato.core.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.studies.graph_study import GraphStudy


@click.command(short_help="Report what protecting a graph costs and brings, over several k.")
@click.argument("graph", type=file_path)
@names_option("--k", "sizes", help="Sizes of clusters to try.  [default: 2,3,4,5,10,15,20,25,50]")
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=5,
    metavar="INTEGER",
    help="Protections for each k; the means are shown.  [default: 5]",
)
@click.option("--html", type=file_path, metavar="FILE.html", help="Write the report as a page.")
@cluster_options
@profile_options
@structure_option
@graph_options
@seed_option
@json_option
@quiet_option
def command(
    graph: Path,
    sizes: tuple[str, ...],
    runs: int,
    html: Path | None,
    seeds: str,
    refine: int,
    location: str,
    topics: tuple[str, ...],
    places_path: Path | None,
    structure: str | None,
    nodes_path: Path | None,
    schema_path: Path | None,
    directed: bool,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Protect GRAPH with several k, and show the loss and the risk of each: choose k from it.

    With --structure, edges are protected too, and what that does to the structure, and who is still found by it,
    is shown for each k.
    """
    from sfumato.data import writing
    from sfumato.graphs.attribute_protection import AttributeProtection
    from sfumato.studies.graph_report import graph_report_html
    from sfumato.studies.graph_study import SIZES, study_graph

    if html is not None:
        check_output(html, (graph, nodes_path, schema_path, places_path), (".html", ".htm"))
    chosen = _whole(sizes) or SIZES
    method = AttributeProtection(seeds=seeds, refine=refine, location=location, topics=topics or TOPICS)
    edges = structure_spec(structure) if structure else None
    with watching(quiet=quiet):
        original = load_profiles(
            graph, nodes_path, schema_path, location=location, places_path=places_path, directed=directed
        )
        fitting = tuple(size for size in chosen if sizes or size <= original.n)
        study = study_graph(original, k=fitting, runs=runs, seed=seed, method=method, structure=edges)
        stop_if_asked()
        if html is not None:
            with writing(html) as path:
                page = graph_report_html(study, source=graph.name)
                path.write_text(page, encoding="utf-8", newline="\n")
    if as_json:
        print_json(study)
        return
    _print_study(study)
    if html is not None:
        click.echo(f"Wrote {html}")


def _print_study(study: "GraphStudy") -> None:
    for title, lines in (
        ("Information loss, in percent (lower is better)", study.losses),
        ("Disclosure risk, by what is known, in percent (lower is better)", study.risks),
        ("Change of the structure, in percent of what it was", study.changes),
        ("Nodes found by the structure around them, in percent (lower is better)", study.found_by_structure),
    ):
        if not lines:
            continue
        rows = [
            (str(k), *(_percent(values[place]) for values in lines.values()))
            for place, k in enumerate(study.k)
        ]
        print_table(title, (">k", *(f">{name.replace('_', ' ')}" for name in lines)), rows)
        click.echo()


def _percent(share: float) -> str:
    return "unknown" if math.isnan(share) else percent(100 * share)


def _whole(sizes: tuple[str, ...]) -> tuple[int, ...]:
    for text in sizes:
        if not text.isdecimal() or int(text) < 1:
            raise ParameterError(f"--k takes integers of at least 1, such as 2,5,10. Got {text!r}.")
    return tuple(dict.fromkeys(int(text) for text in sizes))
