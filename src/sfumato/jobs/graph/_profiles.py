"""What the jobs share on profiles: which columns are the place and the topics of a node, and how clusters are made."""

from pathlib import Path
from typing import Any

from sfumato.core import DataError, param, progress
from sfumato.data import Schema, schema_beside
from sfumato.data.formats import format_of
from sfumato.data.graph import Graph
from sfumato.data.places import Places
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.jobs.graph._graph_file import GraphReading, OneGraph, named
from sfumato.jobs.graph._structure import StructureChoice


class Profiles(GraphReading):
    """A job on graphs whose nodes have a location and topics."""

    location: str = param(default="location", help="column of locations", word="NAME")
    topics: tuple[str, ...] = param(
        default=("topic1", "topic2", "topic3"), help="columns of topics, the favourite first", word="NAME"
    )
    places: Path | None = param(
        default=None,
        help="a tree of places, where the schema has none for the locations",
        word="FILE.csv",
        usual="the shipped one",
    )

    def graph_of(self, given: Any, nodes: Path | None, schema: Schema | None) -> Graph:
        """A graph whose locations have a hierarchy: that of its schema, or the places that hold them all."""
        if schema is None and isinstance(given, Path | str):
            schema = _schema_beside(Path(given))
        graph = super().graph_of(given, nodes, schema)
        attribute = graph.nodes.schema[self.location]
        if attribute.is_numeric or (attribute.hierarchy is not None and self.places is None):
            return graph
        places = Places.shipped() if self.places is None else Places.read(self.places)
        unknown = sum(category not in places for category in attribute.categories)
        if unknown:
            raise DataError(
                f"{named(given)}, column {self.location}: {unknown} of its {attribute.domain_size} places are not "
                "in the tree of places; give one that holds them all with --places FILE.csv."
            )
        if self.places is None:
            progress.note(
                f"column {self.location} has no hierarchy: taking the places that come with the package."
            )
        placed = graph.nodes.schema.replace([attribute.evolve(hierarchy=places.hierarchy)])
        return graph.with_nodes(graph.nodes.with_schema(placed))


class Protecting(Profiles, OneGraph):
    """A job in which clusters of nodes release what they have in common, and edges change if that is asked for."""

    seeds: str = param(default="random", choices=("random", "farthest"), help="where clusters begin")
    refine: int = param(default=0, low=0, help="moves to try per node to improve the clusters")
    structure: StructureChoice | None = param(
        default=None,
        help="protect the edges too: k_degree, k_neighbourhood, super_nodes, or edge_randomisation, as in "
        "'edge_randomisation(p=20)'. Without a k of its own, a method takes that of --k",
    )
    seed: int = param(default=0, help="fixes every random choice")

    def check(self) -> None:
        self.clusters_of()  # refuses, before anything is read, what makes no clusters

    def clusters_of(self, k: int = AttributeProtection.k) -> AttributeProtection:
        """The method, with clusters of at least k nodes."""
        return AttributeProtection(
            k=k, seeds=self.seeds, refine=self.refine, location=self.location, topics=self.topics
        )


def _schema_beside(path: Path) -> Schema | None:
    """The schema that lies beside a file, unless the format is one that carries its own."""
    beside = schema_beside(path)
    carried = format_of(path, "graph_formats").carries_schema
    return Schema.read(beside) if not carried and beside.exists() else None
