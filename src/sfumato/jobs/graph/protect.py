"""Let every profile be shared by at least k nodes; edges stay."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core import Seed, param, registry, stream
from sfumato.data import propose
from sfumato.data.graph import Graph
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.structure import StructureMethod
from sfumato.jobs._contents import About, Content, Record
from sfumato.jobs._job import Listing
from sfumato.jobs._order import Order
from sfumato.jobs._paths import output_file
from sfumato.jobs._public_facts import Applied, Links, PublicFacts, pair
from sfumato.jobs._released import Envelopes, Published, published
from sfumato.jobs._releasing import Recorded, Releasing
from sfumato.jobs._treatment import Treatments, treatments
from sfumato.jobs._work import Work
from sfumato.jobs.graph._graph_file import ONE_FILE
from sfumato.jobs.graph._profiles import Protecting
from sfumato.jobs.graph.evaluate import GraphEvaluation, evaluate_graph


class GraphProtect(Protecting, Recorded, Releasing):
    """Protect the locations and topics of GRAPH, judge what came out, and write it to OUT with its schema.

    Clusters of at least k similar nodes release the closest place that holds all of theirs, and the topics with
    the most votes. The edges stay as they are, unless --structure names a method for them: somebody who knows how
    many friends a person has, and how those know each other, may still find them.

    >>> GraphProtect(graph="people.graphml", k=3, structure="edge_randomisation(p=20)").spec()
    {'job': 'graph protect', 'k': 3, 'structure': 'edge_randomisation(p=20.0)', 'graph': 'people.graphml'}
    """

    output: Path | None = output_file(f"where to write the protected graph: {', '.join(ONE_FILE)}", ONE_FILE)
    k: int = param(default=5, low=1, help="nodes that share a profile, at least")

    def run(self, graph: Graph, *, work: Work) -> "GraphProtection":
        method = self.clusters_of(self.k)
        edges = None if self.structure is None else self.structure.of_size(self.k)
        released = _with_shared_profiles(graph, method, seed=self.randomness)
        guessed = propose(graph.nodes.to_arrow()) if self.schema is None and self.graph is not None else None
        treated = self.treated(graph.nodes, method.attributes, guessed)
        released = released.with_nodes(released.nodes.select(treated.released))
        if edges is not None:
            released = protect_structure(released, edges, seed=self.randomness)
        judged = evaluate_graph(
            graph,
            released,
            location=self.location,
            topics=self.topics,
            structure=edges is not None,
            seed=self.randomness,
        )
        return GraphProtection(
            job=self,
            method=method,
            structure=edges,
            evaluation=judged,
            original=graph,
            treated=treated,
            aligned=released,
            order=Order.drawn(graph.n, self.randomness, released.fingerprint),
        )


class GraphProtection(Envelopes):
    """A protected graph, the methods as they were applied, and what it has lost.

    `aligned` has the nodes in the order of the original; `graph` is what goes out.
    """

    method: AttributeProtection
    structure: StructureMethod | None
    evaluation: GraphEvaluation = field(repr=False)
    original: Graph = field(repr=False)
    aligned: Graph = field(repr=False)
    treated: Treatments = field(repr=False)

    @cached_property
    def published(self) -> Published:
        """The nodes as they go out."""
        rows = np.arange(self.aligned.n) if self.order is None else self.order.rows
        return published(self.original.nodes, self.aligned.nodes, rows, self.treated, self.randomness)

    @cached_property
    def graph(self) -> Graph:
        """What goes out: the nodes in a random order, under the codebook of what is among them."""
        moved = self.aligned if self.order is None else self.aligned.take(self.order.rows)
        return moved.with_nodes(self.published.table)

    def public_facts(self) -> PublicFacts:
        before, released = self.original.nodes, self.graph.nodes
        profile = tuple(name for name in self.method.attributes if name in released)
        methods = [Applied(self.method.for_users, profile, (self.method,))]
        if self.structure is not None:
            methods.append(Applied(self.structure.advice, (), (self.structure,)))
        return PublicFacts(
            schema=released.schema,
            records=released.n,
            applied=tuple(methods),
            treated=self.treated,
            shuffled=self.order is not None,
            pair=pair(before, self.aligned.nodes),
            links=Links(self.original, self.aligned),
        )

    def contents(self) -> Mapping[str, Content]:
        return {
            "output": self.graph,
            "about": About(self),
            "schema": self.graph.nodes.schema.to_toml(),
            "record": Record(self),
            **self.kept(self.published.full),
        }

    def told(self) -> Iterator[str | Listing]:
        yield from self.evaluation.told()
        methods = ", ".join(str(one) for one in (self.method, self.structure) if one is not None)
        yield from self.files_told(f"{self.aligned.n:,} nodes and {self.aligned.m:,} edges; {methods}")

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), **self.evaluation.to_dict(), "publication": self.readiness()}

    def _rows(self) -> list[dict[str, Any]]:
        return self.evaluation._rows()


def protect_graph(
    graph: Graph,
    method: AttributeProtection | None = None,
    *,
    seed: Seed = 0,
    run: int = 0,
) -> Graph:
    """The graph with profiles shared by at least k nodes, and without identifiers.

    Another `run` makes other random choices.

    >>> from sfumato.datasets import profile_graph
    >>> protect_graph(profile_graph(60, seed=1), AttributeProtection(k=4)).nodes.names
    ('location', 'topic1', 'topic2', 'topic3')
    """
    method = method or AttributeProtection()
    released = _with_shared_profiles(graph, method, seed=seed, run=run)
    return released.with_nodes(
        released.nodes.select(treatments(graph.nodes, masked=method.attributes).released)
    )


def _with_shared_profiles(graph: Graph, method: AttributeProtection, *, seed: Seed, run: int = 0) -> Graph:
    return method.apply(graph, stream(seed, "graph", repr(sorted(method.spec().items())), run))


def protect_structure(
    graph: Graph, method: StructureMethod | dict[str, Any] | str, *, seed: Seed = 0, run: int = 0
) -> Graph:
    """The graph with other edges; another `run` makes other random choices.

    >>> from sfumato.datasets import profile_graph
    >>> graph = profile_graph(60, seed=1)
    >>> protect_structure(graph, {"method": "edge_randomisation", "how": "switch"}).m == graph.m
    True
    """
    made: StructureMethod = registry.make("structure", method)
    return made.apply(graph, stream(seed, "structure", repr(sorted(made.spec().items())), run))
