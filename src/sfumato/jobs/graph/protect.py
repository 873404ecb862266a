"""Let every profile be shared by at least k nodes; edges stay."""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core import Seed, param, progress, registry, stream
from sfumato.data import Proposal, propose
from sfumato.data.graph import Graph
from sfumato.graphs.attribute_protection import NODE, AttributeProtection, without_columns
from sfumato.graphs.profile_columns import ProfileColumns
from sfumato.graphs.structure import StructureMethod
from sfumato.jobs._contents import About, Content, Record
from sfumato.jobs._job import Listing
from sfumato.jobs._order import Order
from sfumato.jobs._paths import output_file
from sfumato.jobs._public_facts import Applied, Links, PublicFacts, pair
from sfumato.jobs._released import Envelopes, Published, published
from sfumato.jobs._releasing import Recorded, Releasing
from sfumato.jobs._treatment import Treatment, Treatments, treatments
from sfumato.jobs._work import Work
from sfumato.jobs.graph._graph_file import ONE_FILE
from sfumato.jobs.graph._profiles import Protecting
from sfumato.jobs.graph.attack import GraphAttacks, attack_graph
from sfumato.jobs.graph.evaluate import GraphEvaluation, evaluate_graph

MOST_ATTACKED = 20_000
"""Nodes up to which a protected graph is attacked at once."""
NUMBERS = Treatment(name=NODE, kind="renumbered", because="nodes need names in a file")
LED_TO = 5.0  # percent of the people beyond a guess, from which on somebody who knows a few is warned of
MUCH = 0.5  # changes for each edge, from which on a graph is another one


class GraphProtect(Protecting, Recorded, Releasing):
    """Protect the nodes of GRAPH, judge and attack what came out, and write it to OUT with its schema.

    Clusters of at least k similar nodes release one profile: the closest place that holds all of theirs, the topics with
    the most votes, and of every other column the mean, the middle or the most frequent. What is not protected with
    the others is left out, and named. The edges stay as they are, unless --structure names a method for
    them: somebody who knows how many friends a person has, and how those know each other, may still find them.

    >>> GraphProtect(graph="people.graphml", k=3, structure="edge_randomisation(p=20)").spec()
    {'job': 'graph protect', 'k': 3, 'structure': 'edge_randomisation(p=20.0)', 'graph': 'people.graphml'}

    >>> import pandas as pd
    >>> import sfumato
    >>> people = pd.DataFrame({"id": range(8), "town": ["Reus", "Soria"] * 4})  # two frames, or a `Graph`
    >>> friends = pd.DataFrame({"source": [0, 0, 1, 2, 3, 4, 5], "target": [1, 2, 2, 3, 4, 5, 6]})
    >>> safe = sfumato.protect_graph((people, friends), k=4, seed=1).graph.nodes.to_arrow().to_pandas()
    >>> bool(safe["town"].value_counts().min() >= 4)
    True
    """

    output: Path | None = output_file(f"where to write the protected graph: {', '.join(ONE_FILE)}", ONE_FILE)
    k: int = param(default=5, low=1, help="nodes that share a profile, at least")

    def run(self, graph: Graph, *, work: Work) -> "GraphProtection":
        guessed = propose(graph.nodes.to_arrow()) if self.schema is None and self.graph is not None else None
        columns = self.columns_of(graph, guessed)
        method = self.clusters_of(columns, self.k)
        edges = None if self.structure is None else self.structure.of_size(self.k)
        released = graph if method is None else _with_shared_profiles(graph, method, seed=self.randomness)
        treated = self.treated_beside(graph, columns, guessed)
        bare = NUMBERS in treated.columns
        released = (
            without_columns(graph) if bare else released.with_nodes(released.nodes.select(treated.released))
        )
        if edges is not None:
            released = protect_structure(released, edges, seed=self.randomness)
        judged = evaluate_graph(graph, released, columns, structure=edges is not None, seed=self.randomness)
        found = GraphProtection(
            job=self,
            method=method,
            structure=edges,
            evaluation=judged,
            attacks=_attacked(graph, released, columns, seed=self.randomness),
            original=graph,
            treated=treated,
            aligned=released,
            order=Order.drawn(graph.n, self.randomness, released.fingerprint),
        )
        for sentence in found.warnings:
            progress.note(sentence)
        return found

    def columns_of(self, graph: Graph, guessed: Proposal | None) -> ProfileColumns:
        """The profile, without columns that are kept as they are, and texts of which nobody knows what they are."""
        found = self.profile_in(graph)
        if self.attributes:
            return found
        doubtful = {} if guessed is None else guessed.doubts
        schema = (
            graph.nodes.schema
        )  # a number may be doubtful because it is nobody else's: its mean is k people's
        told = [name for name in found.others if name not in doubtful or schema[name].is_numeric]
        others = tuple(name for name in told if name not in self.keep)
        return replace(found, others=others)

    def treated_beside(self, graph: Graph, columns: ProfileColumns, guessed: Proposal | None) -> Treatments:
        """What becomes of the columns: what is not protected with the others leaves only if it is kept by name."""
        found = self.treatments(graph.nodes, columns.names, guessed)
        bare = [
            one.name
            for one in found.columns
            if one.kind in ("as it is", "renumbered") and one.name not in self.keep
        ]
        found = found.without(bare, "not among what is protected")
        for sentence in found.sentences():
            progress.note(sentence)
        return found if found.released else found.with_column(NUMBERS)


def _attacked(graph: Graph, released: Graph, columns: ProfileColumns, *, seed: Seed) -> GraphAttacks | None:
    if graph.n > MOST_ATTACKED:
        progress.note(f"{graph.n:,} nodes are attacked by graph attack only: it takes a while.")
        return None
    return attack_graph(graph, released, columns, seed=seed)


class GraphProtection(Envelopes):
    """A protected graph, the methods as they were applied, and what it has lost.

    `aligned` has the nodes in the order of the original; `graph` is what goes out.
    """

    method: AttributeProtection | None
    structure: StructureMethod | None
    evaluation: GraphEvaluation = field(repr=False)
    attacks: GraphAttacks | None = field(repr=False)
    original: Graph = field(repr=False)
    aligned: Graph = field(repr=False)
    treated: Treatments = field(repr=False)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the owner should think of before the graph goes out."""
        return tuple(self._warned())

    def _warned(self) -> Iterator[str]:
        shape = self.evaluation.structure_evaluation
        if self.structure is not None and shape is not None and shape.edges.share > MUCH:
            share = 100 * shape.edges.share
            yield (
                f"{self.structure.name} changes {share:.0f} % of the edges: who is linked with whom is mostly invented, "
                "and analyses of links, paths and triangles will not hold. A smaller k or k_degree(how=move) changes "
                "fewer."
            )
        if self.attacks is not None and self.attacks.led_to > LED_TO:
            yield (
                f"Somebody who knows where a few people are finds {self.attacks.led_to:.0f} % of the others by going from "
                "neighbour to neighbour. k alike people do not stand against that: only false edges do, with most of "
                "them false (super_nodes, edge_randomisation from p=60 on), or giving the graph to bound users only."
            )

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
        methods = []
        if self.method is not None:
            profile = tuple(name for name in self.method.attributes if name in released)
            methods.append(Applied(self.method.for_users, profile, (self.method,)))
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
        if self.attacks is not None:
            yield ""
            yield from self.attacks.told()
        methods = ", ".join(str(one) for one in (self.method, self.structure) if one is not None)
        yield from self.files_told(f"{self.aligned.n:,} nodes and {self.aligned.m:,} edges; {methods}")

    def to_dict(self) -> dict[str, Any]:
        attacks = None if self.attacks is None else self.attacks.to_dict()
        judged = {**self.evaluation.to_dict(), "attacks": attacks, "warnings": list(self.warnings)}
        return {**super().to_dict(), **judged, "publication": self.readiness()}

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
