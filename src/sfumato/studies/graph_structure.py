"""Social graphs: protect who knows whom, and judge what that did to the structure and to who is found by it."""

from collections.abc import Mapping
from typing import Any

from sfumato.core import Result, parameters, registry, stream
from sfumato.data.graph import Graph
from sfumato.graphs.structural_attacks import CandidateRisk, candidate_risk
from sfumato.graphs.structural_losses import StructuralLosses, structural_losses
from sfumato.graphs.structure import StructureMethod


class StructureEvaluation(Result):
    """Structural losses, and candidate sets for queries H1, H2, … before and after the protection."""

    losses: StructuralLosses
    before: tuple[CandidateRisk, ...]
    after: tuple[CandidateRisk, ...]

    @property
    def changes(self) -> dict[str, float]:
        """By how much each property moved, as a share of what it was; of the degrees, the distance."""
        moved = {line.name: line.change / 100 for line in self.losses.lines}
        return {**moved, "degree_distribution": self.losses.degree_distance / 100}

    @property
    def found(self) -> dict[str, float]:
        """The share of nodes that each query finds in the protected graph."""
        return {f"H{risk.query}": risk.success / 100 for risk in self.after}

    @property
    def candidates(self) -> dict[str, float]:
        """The share of nodes with so many candidates in the protected graph, by query."""
        return {
            f"H{risk.query}: {size}": share / 100
            for risk in self.after
            for size, share in risk.buckets.items()
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"query": risk.query, "graph": graph, "success": risk.success, **risk.buckets}
            for graph, risks in (("original", self.before), ("protected", self.after))
            for risk in risks
        ]


def structure_of_size(spec: Mapping[str, Any], k: int) -> StructureMethod:
    """The method that a spec describes; its k, if it has one that the spec does not give, is this one.

    >>> structure_of_size({"method": "k_degree"}, 7), structure_of_size({"method": "k_degree", "k": 3}, 7)
    (KDegree(k=7), KDegree(k=3))
    """
    known = parameters(registry.load("structure", spec["method"]))
    made: StructureMethod = registry.make("structure", {"k": k, **spec} if "k" in known else dict(spec))
    return made


def protect_structure(
    graph: Graph, method: StructureMethod | dict[str, Any] | str, *, seed: int = 0, run: int = 0
) -> Graph:
    """The graph with other edges; another `run` makes other random choices.

    >>> from sfumato.datasets import profile_graph
    >>> graph = profile_graph(60, seed=1)
    >>> protect_structure(graph, {"method": "edge_randomisation", "how": "switch"}).m == graph.m
    True
    """
    made: StructureMethod = registry.make("structure", method)
    return made.apply(graph, stream(seed, "structure", repr(sorted(made.spec().items())), run))


def evaluate_structure(
    original: Graph, protected: Graph, *, depth: int = 3, seed: int = 0
) -> StructureEvaluation:
    """Judge the edges of a protected graph, whose nodes are those of the original in the same order.

    >>> from sfumato.datasets import profile_graph
    >>> graph = profile_graph(60, seed=1)
    >>> found = evaluate_structure(graph, protect_structure(graph, "k_degree"))
    >>> found.losses["edges"].change > 0, found.after[0].success < found.before[0].success
    (True, True)
    """
    return StructureEvaluation(
        losses=structural_losses(original, protected, stream(seed, "structural losses")),
        before=candidate_risk(original, original, depth=depth),
        after=candidate_risk(original, protected, depth=depth),
    )
