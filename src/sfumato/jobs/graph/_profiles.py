"""What the jobs share on profiles: which columns are the place and the topics of a node, and how clusters are made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from sfumato.core import DataError, notation, param, parameters, progress, registry
from sfumato.data import Schema, schema_beside
from sfumato.data.formats import format_of
from sfumato.data.graph import Graph
from sfumato.data.places import Places
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.structure import StructureMethod
from sfumato.jobs.graph._graph_file import GraphReading, OneGraph, named


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


@dataclass(frozen=True)
class StructureChoice:
    """A method for the structure and what was said of it: a k of which nothing was said is that of the job.

    >>> StructureChoice.convert("k_degree").of_size(7), StructureChoice.convert("k_degree(k=3)").of_size(7)
    (KDegree(k=7), KDegree(k=3))
    """

    method: str
    said: Mapping[str, Any] = field(default_factory=dict)

    noun: ClassVar[str] = StructureMethod.noun
    word: ClassVar[str] = "NAME"

    @classmethod
    def convert(cls, value: Any) -> Self:
        """From a text, a spec or a method; `name,parameter=value` is how a text was written once."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            name, comma, others = value.partition(",")
            value = f"{name}({others})" if comma and "(" not in name else value
        made = StructureMethod.convert(value)
        return cls(made.name, {name: getattr(made, name) for name in _said(value)})

    def of_size(self, k: int) -> StructureMethod:
        """The method; its k, if it has one of which nothing was said, is this one."""
        known = parameters(registry.load("structure", self.method))
        given = {name: value for name, value in {"k": k, **self.said}.items() if name in known}
        made: StructureMethod = registry.make("structure", {"method": self.method, **given})
        return made

    def plain(self) -> str:
        """As a text that reads back as the same choice."""
        said = ", ".join(f"{name}={notation.written_value(value)}" for name, value in self.said.items())
        return f"{self.method}({said})" if said else self.method

    def __str__(self) -> str:
        said = ", ".join(f"{name} = {value}" for name, value in self.said.items())
        return f"{self.method} ({said})" if said else self.method


class Protecting(Profiles, OneGraph):
    """A job in which clusters of nodes release what they have in common, and edges change if that is asked for."""

    seeds: str = param(default="random", choices=("random", "farthest"), help="where clusters begin")
    refine: int = param(default=0, low=0, help="moves to try per node to improve the clusters")
    structure: StructureChoice | None = param(
        default=None,
        help="protect the edges too: k_degree, k_neighbourhood, super_nodes, or edge_randomisation, as in "
        "'edge_randomisation(p=20)'. Without a k of its own, a method takes that of --k",
    )

    def check(self) -> None:
        self.clusters_of()  # refuses, before anything is read, what makes no clusters

    def clusters_of(self, k: int = AttributeProtection.k) -> AttributeProtection:
        """The method, with clusters of at least k nodes."""
        return AttributeProtection(
            k=k, seeds=self.seeds, refine=self.refine, location=self.location, topics=self.topics
        )


def _said(value: Any) -> Iterable[str]:
    """The parameters that were said; those of a method that is there all were."""
    if isinstance(value, str):
        name, texts = notation.named(value)
        return {**registry.resolved("structure", name)[1], **texts}
    if isinstance(value, dict):
        return [name for name in value if name != "method"]
    return parameters(type(value))


def _schema_beside(path: Path) -> Schema | None:
    """The schema that lies beside a file, unless the format is one that carries its own."""
    beside = schema_beside(path)
    carried = format_of(path, "graph_formats").carries_schema
    return Schema.read(beside) if not carried and beside.exists() else None
