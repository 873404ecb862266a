"""Social graphs: protect the profiles of their nodes, judge a protected graph, and try several k."""

from collections.abc import Sequence
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from sfumato.core import ParameterError, Result, progress, stream
from sfumato.data.graph import Graph
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.measures import aamil, cdil, dbil
from sfumato.graphs.neighbourhood_risk import disclosure_risk
from sfumato.studies.released import released_names

LOSSES = ("AAMIL", "CDIL", "DBIL")
MEAN, TOPICS, ALL = "mean", "topics", "all"
SIZES = (2, 3, 4, 5, 10, 15, 20, 25, 50)


class GraphEvaluation(Result):
    """Losses and risks of a protected graph, as shares from 0 to 1; lower is better.

    `losses` are by measure and attribute. `risks` are the shares of nodes whose neighbourhood is still found by
    somebody who knows one attribute, the topics, or all.
    """

    drawn_by: ClassVar[str] = "graph_scores"

    nodes: int
    edges: int
    losses: dict[str, dict[str, float]]
    risks: dict[str, float]

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
        return losses + [
            {"sense": "risk", "measure": "neighbourhoods found", "of": known, "value": value}
            for known, value in self.risks.items()
        ]


class GraphStudy(Result):
    """Mean losses and risks of a graph by k, over so many runs for each."""

    drawn_by: ClassVar[str] = "graph_losses"

    title: str
    k: tuple[int, ...]
    losses: dict[str, tuple[float, ...]]
    risks: dict[str, tuple[float, ...]]
    runs: int
    seed: int
    method: AttributeProtection
    evaluations: tuple[tuple[GraphEvaluation, ...], ...] = field(repr=False)

    def _rows(self) -> list[dict[str, Any]]:
        lines = [("loss", self.losses), ("risk", self.risks)]
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
) -> GraphEvaluation:
    """Judge a protected graph, whose nodes are those of the original in the same order.

    `ends` is that of `graphs.measures.aamil`.

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
    return GraphEvaluation(
        nodes=original.n,
        edges=original.m,
        losses=dict(zip(LOSSES, losses, strict=True)),
        risks=disclosure_risk(original, protected, known),
    )


def study_graph(
    graph: Graph,
    *,
    k: Sequence[int] = SIZES,
    runs: int = 5,
    seed: int = 0,
    method: AttributeProtection | None = None,
    title: str = "",
) -> GraphStudy:
    """Protect and judge a graph with each k, several times, and take the means (§6.5.1 of the source)."""
    if not k or runs < 1:
        raise ParameterError("A study of a graph needs at least one k and one run.")
    chosen = method or AttributeProtection()
    found = []
    with progress.task("Protecting the graph", len(k) * runs) as work:
        for size in k:
            given = AttributeProtection.from_parameters(
                {**{n: v for n, v in chosen.spec().items() if n != "method"}, "k": size}
            )
            found.append(tuple(_judged(graph, given, seed, run, work) for run in range(runs)))
    means = [[evaluation.means for evaluation in row] for row in found]
    risks = [[evaluation.risks for evaluation in row] for row in found]
    return GraphStudy(
        title=title or f"{graph.n:,} nodes, {graph.m:,} edges",
        k=tuple(k),
        losses={name: _over_runs(means, name) for name in (*LOSSES, MEAN)},
        risks={name: _over_runs(risks, name) for name in risks[0][0]},
        runs=runs,
        seed=seed,
        method=chosen,
        evaluations=tuple(found),
    )


def _judged(
    graph: Graph, method: AttributeProtection, seed: int, run: int, work: progress.Task
) -> GraphEvaluation:
    released = method.apply(graph, _chance(seed, method, run))
    found = evaluate_graph(graph, released, location=method.location, topics=method.topics)
    work.advance(status=f"k = {method.k}: loss {found.information_loss:.2f}")
    return found


def _over_runs(found: list[list[dict[str, float]]], name: str) -> tuple[float, ...]:
    return tuple(float(np.mean([run[name] for run in row])) for row in found)


def _chance(seed: int, method: AttributeProtection, run: int = 0) -> np.random.Generator:
    return stream(seed, "graph", repr(sorted(method.spec().items())), run)
