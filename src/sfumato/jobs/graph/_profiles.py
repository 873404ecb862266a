"""What the jobs share on profiles: which columns are the place and the topics of a node, and how clusters are made."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from sfumato.core import DataError, ParameterError, notation, param, parameters, progress, registry
from sfumato.data import Schema, Table, schema_beside
from sfumato.data.formats import format_of
from sfumato.data.graph import Graph
from sfumato.data.places import Places
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.profile_columns import USUAL, ProfileColumns
from sfumato.graphs.structure import StructureMethod
from sfumato.jobs.graph._graph_file import GraphReading, OneGraph, named


class Profiles(GraphReading):
    """A job on graphs whose nodes may have a location, topics, and other attributes."""

    location: str = param(
        default="", help="column of locations", word="NAME", usual=f"{USUAL.location}, if there is one"
    )
    topics: tuple[str, ...] = param(
        default=(),
        help="columns of topics, the favourite first",
        word="NAME",
        usual=f"those of {', '.join(USUAL.topics)} that there are",
    )
    attributes: tuple[str, ...] = param(
        default=(),
        help="the other columns that belong to a profile, of any scale; columns not named are left out",
        word="NAME",
        usual="all that nothing speaks against",
    )
    no_attributes: bool = param(
        default=False,
        help="the structure alone: all columns of the nodes are left out",
    )
    places: Path | None = param(
        default=None,
        help="a tree of places, where the schema has none for the locations",
        word="FILE.csv",
        usual="the shipped one",
    )

    def check(self) -> None:
        super().check()
        if self.no_attributes and (self.location or self.topics or self.attributes):
            raise ParameterError(
                f"{self.name}: no_attributes leaves out all columns. Name none, or leave it out."
            )

    def graph_of(self, given: Any, nodes: Path | None, schema: Schema | None) -> Graph:
        """A graph whose locations have a hierarchy: that of its schema, or the places that hold them all."""
        if schema is None and isinstance(given, Path | str):
            schema = _schema_beside(Path(given))
        graph = super().graph_of(given, nodes, schema)
        location = self.named_in(graph.nodes).location
        if not location:
            return graph
        attribute = graph.nodes.schema[location]
        if attribute.is_numeric or (attribute.hierarchy is not None and self.places is None):
            return graph
        places = Places.shipped() if self.places is None else Places.read(self.places)
        unknown = sum(category not in places for category in attribute.categories)
        if unknown:
            raise DataError(
                f"{named(given)}, column {location}: {unknown} of its {attribute.domain_size} places are not "
                "in the tree of places; give one that holds them all with --places FILE.csv."
            )
        if self.places is None:
            progress.note(
                f"column {location} has no hierarchy: taking the places that come with the package."
            )
        placed = graph.nodes.schema.replace([attribute.evolve(hierarchy=places.hierarchy)])
        return graph.with_nodes(graph.nodes.with_schema(placed))

    def named_in(self, nodes: Table) -> ProfileColumns:
        """The columns that were named, and the usual ones that are there of what was not."""
        if self.no_attributes:
            return ProfileColumns()
        usual = USUAL.within(nodes.names)
        taken = {*self.attributes, self.location, *self.topics}
        location = self.location or ("" if usual.location in taken else usual.location)
        topics = self.topics or tuple(name for name in usual.topics if name not in taken)
        for name in (*self.topics, *self.attributes):
            nodes.schema[name]
        return ProfileColumns(location, topics, self.attributes)

    def profile_in(self, graph: Graph, protected: Graph | None = None) -> ProfileColumns:
        """The profile of the nodes: what was named, and the other columns that are no identifiers.

        Beside a protected graph, as far as both have the columns.
        """
        found = self.named_in(graph.nodes)
        others = (
            self.attributes
            if self.attributes or self.no_attributes
            else usual_others(graph.nodes, found.names)
        )
        whole = ProfileColumns(found.location, found.topics, others)
        return whole if protected is None else whole.within(protected.nodes.names)


def usual_others(nodes: Table, taken: Collection[str]) -> tuple[str, ...]:
    """The columns beside some others that a profile has where none are named: none that names or links people."""
    return tuple(
        a.name for a in nodes.schema if a.name not in taken and a.role not in ("identifier", "household")
    )


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
    one_way: bool = param(
        default=False,
        help="a place is near to those it lies in, not to those that lie in it: the source's distance as printed",
    )
    structure: StructureChoice | None = param(
        default=None,
        help="protect the edges too: k_degree, k_neighbourhood, super_nodes, or edge_randomisation, as in "
        "'edge_randomisation(p=20)'. Without a k of its own, a method takes that of --k",
    )

    def check(self) -> None:
        super().check()
        if self.no_attributes and self.structure is None:
            raise ParameterError(
                f"{self.name}: without attributes there is only the structure to protect. Name a method for it."
            )
        self.clusters_of(self.named_in_advance())  # refuses, before anything is read, what makes no clusters

    def named_in_advance(self) -> ProfileColumns:
        return ProfileColumns(self.location or USUAL.location, self.topics, self.attributes)

    def clusters_of(
        self, columns: ProfileColumns, k: int = AttributeProtection.k
    ) -> AttributeProtection | None:
        """The method, with clusters of at least k nodes; none where there is no column to protect."""
        if not columns.names:
            return None
        return AttributeProtection(
            k=k,
            seeds=self.seeds,
            refine=self.refine,
            one_way=self.one_way,
            location=columns.location,
            topics=columns.topics,
            others=columns.others,
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
