"""Social graphs: protect who knows whom, and judge what that did to the structure and to who is found by it."""

from typing import Any

from sfumato.core import Result, registry, stream
from sfumato.data.graph import Graph
from sfumato.graphs.structural_attacks import CandidateRisk, candidate_risk
from sfumato.graphs.structural_losses import StructuralLosses, structural_losses
from sfumato.graphs.structure import StructureMethod


class StructureEvaluation(Result):
    """Structural losses, and candidate sets for queries H1, H2, … before and after the protection."""

    losses: StructuralLosses
    before: tuple[CandidateRisk, ...]
    after: tuple[CandidateRisk, ...]

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"query": risk.query, "graph": graph, "success": risk.success, **risk.buckets}
            for graph, risks in (("original", self.before), ("protected", self.after))
            for risk in risks
        ]


def protect_structure(
    graph: Graph, method: StructureMethod | dict[str, Any] | str, *, seed: int = 0
) -> Graph:
    """The graph with other edges.

    >>> from sfumato.datasets import profile_graph
    >>> graph = profile_graph(60, seed=1)
    >>> protect_structure(graph, {"method": "edge_randomisation", "how": "switch"}).m == graph.m
    True
    """
    made: StructureMethod = registry.make("structure", method)
    return made.apply(graph, stream(seed, "structure", repr(sorted(made.spec().items()))))


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
