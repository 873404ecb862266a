"""What the commands that protect and judge the profiles of a graph share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sfumato.cli.graphs import load_graph
from sfumato.cli.options import file_path, names_option
from sfumato.cli.printing import percent, print_table
from sfumato.cli.writing import schema_beside
from sfumato.core.errors import DataError
from sfumato.core.progress import note

if TYPE_CHECKING:
    from sfumato.data.graph import Graph
    from sfumato.studies.graph_study import GraphEvaluation

Function = TypeVar("Function", bound=Callable[..., Any])

TOPICS = ("topic1", "topic2", "topic3")
OWN_SCHEMA = (".graphml", ".xml")  # other files have theirs beside them


def profile_options(function: Function) -> Function:
    """Which columns are the location and the topics of a node."""
    for option in (
        click.option(
            "--places",
            "places_path",
            type=file_path,
            metavar="FILE.csv",
            help="A tree of places, where the schema has none for the locations.  [default: the shipped one]",
        ),
        names_option(
            "--topics", help="Columns of topics, the favourite first.  [default: topic1,topic2,topic3]"
        ),
        click.option(
            "--location", default="location", metavar="NAME", help="Column of locations.  [default: location]"
        ),
    ):
        function = option(function)
    return function


def cluster_options(function: Function) -> Function:
    """How clusters are made."""
    for option in (
        click.option(
            "--refine",
            type=click.IntRange(min=0),
            default=0,
            metavar="INTEGER",
            help="Moves to try per node to improve the clusters.  [default: 0]",
        ),
        click.option(
            "--seeds",
            type=click.Choice(["random", "farthest"]),
            default="random",
            help="Where clusters begin.  [default: random]",
        ),
    ):
        function = option(function)
    return function


def load_profiles(
    path: Path,
    nodes: Path | None,
    schema_path: Path | None,
    *,
    location: str,
    places_path: Path | None,
    directed: bool,
) -> "Graph":
    """A graph whose locations have a hierarchy: that of its schema, or the places that hold them all."""
    from sfumato.data.places import Places

    beside = schema_beside(path)
    if schema_path is None and path.suffix.lower() not in OWN_SCHEMA and beside.exists():
        schema_path = beside
    graph = load_graph(path, nodes, schema_path, directed=directed)
    attribute = graph.nodes.schema[location]
    if attribute.is_numeric or (attribute.hierarchy is not None and places_path is None):
        return graph
    places = Places.shipped() if places_path is None else Places.read(places_path)
    unknown = sum(category not in places for category in attribute.categories)
    if unknown:
        raise DataError(
            f"{path}, column {location}: {unknown} of its {attribute.domain_size} places are not in the tree of "
            "places; give one that holds them all with --places FILE.csv."
        )
    if places_path is None:
        note(f"column {location} has no hierarchy: taking the places that come with the package.")
    schema = graph.nodes.schema.replace([attribute.evolve(hierarchy=places.hierarchy)])
    return graph.with_nodes(graph.nodes.with_schema(schema))


def print_evaluation(found: "GraphEvaluation") -> None:
    """Losses by attribute, then risks by what is known, in percent."""
    attributes = list(next(iter(found.losses.values())))
    rows = [
        (name, *(percent(100 * parts[a]) for a in attributes), percent(100 * found.means[name]))
        for name, parts in found.losses.items()
    ]
    rows.append(("mean", *("" for _ in attributes), percent(100 * found.information_loss)))
    headings = ("Measure", *(f">{name}" for name in attributes), ">mean")
    print_table("Information loss in percent (lower is better)", headings, rows)
    click.echo()
    risks = [(known, percent(100 * value)) for known, value in found.risks.items()]
    print_table("Nodes whose neighbourhood is still found, in percent", ("What is known", ">Found"), risks)
