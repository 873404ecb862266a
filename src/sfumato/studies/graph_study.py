"""Social graphs: protect the profiles of their nodes, judge a protected graph, and try several k."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from sfumato.core import ParameterError, Result, progress, stream
from sfumato.data.graph import Graph
from sfumato.graphs.attribute_losses import aamil, cdil, dbil
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.neighbourhood_risk import disclosure_risk
from sfumato.graphs.structure import StructureMethod
from sfumato.studies.graph_structure import (
    StructureEvaluation,
    evaluate_structure,
    protect_structure,
    structure_of_size,
)
from sfumato.studies.released import released_names

LOSSES = ("AAMIL", "CDIL", "DBIL")
MEAN, TOPICS, ALL = "mean", "topics", "all"
SIZES = (2, 3, 4, 5, 10, 15, 20, 25, 50)


class GraphEvaluation(Result):
    """Losses and risks of a protected graph, as shares; lower is better. Only AAMIL can pass 1, where edges were added.

    `losses` are by measure and attribute. `risks` are the shares of nodes whose neighbourhood is still found by
    somebody who knows one attribute, the topics, or all. `structure_evaluation` is there where edges differ, or
    where it was asked for.
    """

    drawn_by: ClassVar[str] = "graph_scores"

    nodes: int
    edges: int
    losses: dict[str, dict[str, float]]
    risks: dict[str, float]
    structure_evaluation: StructureEvaluation | None = None

    @property
    def means(self) -> dict[str, float]:
        """The mean of each loss over the attributes, and the mean of the three (eq. 6.8)."""
        found = {name: float(np.mean(list(parts.values()))) for name, parts in self.losses.items()}
        return {**found, MEAN: float(np.mean(list(found.values())))}

    @property
    def information_loss(self) -> float:
        """The mean of AAMIL, CDIL and DBIL."""
        return self.means[MEAN]

    @property
    def disclosure_risk(self) -> float:
        """The share of nodes found by somebody who knows all attributes."""
        return self.risks[ALL]

    def to_dict(self) -> dict[str, Any]:
        """Everything, with the means."""
        means = {"means": self.means, "information_loss": self.information_loss}
        return {**super().to_dict(), **means, "disclosure_risk": self.disclosure_risk}

    def _rows(self) -> list[dict[str, Any]]:
        losses = [
            {"sense": "loss", "measure": name, "of": part, "value": value}
            for name, parts in self.losses.items()
            for part, value in [*parts.items(), (MEAN, self.means[name])]
        ]
        risks = [
            {"sense": "risk", "measure": "neighbourhoods found", "of": known, "value": value}
            for known, value in self.risks.items()
        ]
        return losses + risks + self._structure_rows()

    def _structure_rows(self) -> list[dict[str, Any]]:
        shape = self.structure_evaluation
        if shape is None:
            return []
        parts = [("change", "structure", shape.changes), ("risk", "found by structure", shape.found)]
        return [
            {"sense": sense, "measure": measure, "of": name, "value": value}
            for sense, measure, values in parts
            for name, value in values.items()
        ]


class GraphStudy(Result):
    """Mean losses and risks of a graph by k, over so many runs for each.

    With a `structure` method, also how the structure changed, which shares of nodes are found by it, and how many
    `candidates` nodes have, by query.
    """

    drawn_by: ClassVar[str] = "graph_losses"

    title: str
    k: tuple[int, ...]
    losses: dict[str, tuple[float, ...]]
    risks: dict[str, tuple[float, ...]]
    runs: int
    seed: int
    method: AttributeProtection
    structure: dict[str, Any] | None = None
    changes: dict[str, tuple[float, ...]] = field(default_factory=dict)
    found_by_structure: dict[str, tuple[float, ...]] = field(default_factory=dict)
    candidates: dict[str, tuple[float, ...]] = field(default_factory=dict)
    evaluations: tuple[tuple[GraphEvaluation, ...], ...] = field(repr=False)

    def _rows(self) -> list[dict[str, Any]]:
        lines = [("loss", self.losses), ("risk", self.risks), ("change", self.changes)]
        lines += [("risk", self.found_by_structure), ("candidates", self.candidates)]
        return [
            {"k": k, "sense": sense, "measure": name, "value": values[place]}
            for sense, found in lines
            for name, values in found.items()
            for place, k in enumerate(self.k)
        ]


def protect_graph(
    graph: Graph,
    method: AttributeProtection | None = None,
    *,
    seed: int = 0,
    keep: Sequence[str] = (),
) -> Graph:
    """The graph with profiles shared by at least k nodes, and without identifiers that are not kept by name.

    >>> from sfumato.datasets import profile_graph
    >>> protect_graph(profile_graph(60, seed=1), AttributeProtection(k=4)).nodes.names
    ('location', 'topic1', 'topic2', 'topic3')
    """
    method = method or AttributeProtection()
    released = method.apply(graph, _chance(seed, method))
    return released.with_nodes(released.nodes.select(released_names(graph.nodes, keep)))


def evaluate_graph(
    original: Graph,
    protected: Graph,
    *,
    location: str = "location",
    topics: Sequence[str] = ("topic1", "topic2", "topic3"),
    ends: str = "neighbour",
    structure: bool = False,
    seed: int = 0,
) -> GraphEvaluation:
    """Judge a protected graph, whose nodes are those of the original in the same order.

    `ends` is that of `graphs.attribute_losses.aamil`. The structure is judged where edges differ, and with `structure`
    in any case; `seed` chooses the nodes from which paths are measured in a large graph.

    >>> from sfumato.datasets import profile_graph
    >>> graph = profile_graph(60, seed=1)
    >>> found = evaluate_graph(graph, graph)
    >>> found.information_loss, found.disclosure_risk
    (0.0, 1.0)
    """
    names = (location, *topics)
    known: dict[str, Sequence[str]] = {**{name: (name,) for name in names}, TOPICS: topics, ALL: names}
    losses = (
        aamil(original, protected, names, ends=ends),
        cdil(original, protected, names),
        dbil(original, protected, location, topics),
    )
    judged = structure or not np.array_equal(original.edges, protected.edges)
    return GraphEvaluation(
        nodes=original.n,
        edges=original.m,
        losses=dict(zip(LOSSES, losses, strict=True)),
        risks=disclosure_risk(original, protected, known),
        structure_evaluation=evaluate_structure(original, protected, seed=seed) if judged else None,
    )


def study_graph(
    graph: Graph,
    *,
    k: Sequence[int] = SIZES,
    runs: int = 5,
    seed: int = 0,
    method: AttributeProtection | None = None,
    structure: Mapping[str, Any] | None = None,
    title: str = "",
) -> GraphStudy:
    """Protect and judge a graph with each k, several times, and take the means (§6.5.1 of the source).

    `structure` describes a method that protects the edges too, with each k unless it names its own.
    """
    if not k or runs < 1:
        raise ParameterError("A study of a graph needs at least one k and one run.")
    chosen = method or AttributeProtection()
    found = []
    with progress.task("Protecting the graph", len(k) * runs) as work:
        for size in k:
            given = AttributeProtection.from_parameters(
                {**{n: v for n, v in chosen.spec().items() if n != "method"}, "k": size}
            )
            edges = structure_of_size(structure, size) if structure else None
            found.append(tuple(_judged(graph, given, edges, seed, run, work) for run in range(runs)))
    means = [[evaluation.means for evaluation in row] for row in found]
    risks = [[evaluation.risks for evaluation in row] for row in found]
    shapes = [[e.structure_evaluation for e in row if e.structure_evaluation] for row in found]
    return GraphStudy(
        title=title or f"{graph.n:,} nodes, {graph.m:,} edges",
        k=tuple(k),
        losses=_over_runs(means),
        risks=_over_runs(risks),
        runs=runs,
        seed=seed,
        method=chosen,
        structure=dict(structure) if structure else None,
        changes=_over_runs([[shape.changes for shape in row] for row in shapes]),
        found_by_structure=_over_runs([[shape.found for shape in row] for row in shapes]),
        candidates=_over_runs([[shape.candidates for shape in row] for row in shapes]),
        evaluations=tuple(found),
    )


def _judged(
    graph: Graph,
    method: AttributeProtection,
    edges: StructureMethod | None,
    seed: int,
    run: int,
    work: progress.Task,
) -> GraphEvaluation:
    released = method.apply(graph, _chance(seed, method, run))
    if edges:
        released = protect_structure(released, edges, seed=seed, run=run)
    found = evaluate_graph(
        graph, released, location=method.location, topics=method.topics, structure=bool(edges), seed=seed
    )
    work.advance(status=f"k = {method.k}: loss {found.information_loss:.2f}")
    return found


def _over_runs(found: list[list[dict[str, float]]]) -> dict[str, tuple[float, ...]]:
    names = found[0][0] if found[0] else ()
    return {name: tuple(float(np.mean([run[name] for run in row])) for row in found) for name in names}


def _chance(seed: int, method: AttributeProtection, run: int = 0) -> np.random.Generator:
    return stream(seed, "graph", repr(sorted(method.spec().items())), run)
