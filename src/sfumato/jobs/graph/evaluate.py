"""Say what a protected graph has lost, and who is still found in it."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Result, Seed, param, stream
from sfumato.core.results import plain
from sfumato.data.graph import Graph
from sfumato.graphs.attribute_losses import aamil, cdil, dbil
from sfumato.graphs.edge_changes import EdgeChanges, edge_changes
from sfumato.graphs.neighbourhood_risk import disclosure_risk
from sfumato.graphs.profile_columns import ALL, USUAL, ProfileColumns
from sfumato.graphs.structural_attacks import CandidateRisk, candidate_risk
from sfumato.graphs.structural_losses import StructuralLosses, structural_losses
from sfumato.jobs._job import Listing, Outcome
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._words import percent
from sfumato.jobs._work import Work
from sfumato.jobs.graph._two_graphs import TwoGraphs

LOSSES = ("AAMIL", "CDIL", "DBIL")
MEAN = "mean"


class GraphEvaluate(TwoGraphs, Seeded):
    """Compare PROTECTED with ORIGINAL; their nodes are the same ones in the same order.

    Losses are those of values beside the values of neighbours (AAMIL), of distributions (CDIL) and of single
    values (DBIL). A node is found if its neighbourhood is still there: its own values, those of its
    neighbours, and the links among them.

    Where edges differ, the structure is judged too: triangles, path lengths, degrees and spectrum before and after,
    and the nodes found by who knows degrees (H1), degrees of neighbours (H2), and theirs (H3). In a graph of more
    than 3000 nodes, paths are measured from 100 nodes that --seed chooses.

    >>> GraphEvaluate(original="people.graphml", protected="safe.graphml", ends="both").spec()
    {'job': 'graph evaluate', 'masked-ends': 'both', 'original': 'people.graphml', 'protected': 'safe.graphml'}

    >>> import pandas as pd
    >>> import sfumato
    >>> people = pd.DataFrame({"id": range(8), "town": ["Reus", "Soria"] * 4})  # two frames, or a `Graph`
    >>> friends = pd.DataFrame({"source": [0, 0, 1, 2, 3, 4, 5], "target": [1, 2, 2, 3, 4, 5, 6]})
    >>> sfumato.evaluate_graph((people, friends), (people, friends)).information_loss
    0.0
    """

    ends: str = param(
        default="neighbour",
        choices=("neighbour", "both"),
        option="masked-ends",
        help="which ends of a link AAMIL takes from the protected graph",
    )
    structure: bool = param(
        default=False,
        help="judge the structure even if both graphs have the same edges",
        usual="only if edges differ",
    )

    def run(self, original: Graph, protected: Graph, *, work: Work) -> "GraphEvaluation":
        found = evaluate_graph(
            original,
            protected,
            self.profile_in(original, protected),
            ends=self.ends,
            structure=self.structure,
            seed=self.seed,
        )
        return dataclasses.replace(found, job=self)


class StructureEvaluation(Result):
    """Structural losses, and candidate sets for queries H1, H2, … before and after the protection."""

    losses: StructuralLosses
    edges: EdgeChanges
    before: tuple[CandidateRisk, ...]
    after: tuple[CandidateRisk, ...]

    @property
    def changes(self) -> dict[str, float]:
        """By how much each property moved, as a share of what it was; of the degrees, the distance."""
        moved = {line.name: line.change / 100 for line in self.losses.lines}
        return {
            **moved,
            "edges changed": self.edges.share,
            "degree_distribution": self.losses.degree_distance / 100,
        }

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

    def told(self) -> Iterator[str | Listing]:
        lines = [
            (
                line.name.replace("_", " "),
                or_unknown(line.before.value, ".4g"),
                or_unknown(line.after.value, ".4g"),
                or_unknown(line.change, "+.2f"),
            )
            for line in self.losses.lines
        ]
        lines.append(("degree distribution", "", "", percent(self.losses.degree_distance)))
        yield f"{len(self.edges.added):,} edges added, {len(self.edges.removed):,} removed, of {self.edges.before:,}."
        yield Listing("Structure", ("Property", ">before", ">after", ">change in percent"), lines)
        yield ""
        risks = [
            (f"H{was.query}", percent(was.success), percent(now.success), *map(percent, now.buckets.values()))
            for was, now in zip(self.before, self.after, strict=True)
        ]
        sizes = [f">{size} candidates" for size in self.after[0].buckets]
        headings = ("What is known", ">found before", ">found after", *sizes)
        yield Listing("Nodes found by the structure around them, in percent", headings, risks)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"query": risk.query, "graph": graph, "success": risk.success, **risk.buckets}
            for graph, risks in (("original", self.before), ("protected", self.after))
            for risk in risks
        ]


class GraphEvaluation(Outcome):
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
        return found and {**found, MEAN: float(np.mean(list(found.values())))}

    @property
    def information_loss(self) -> float:
        """The mean of AAMIL, CDIL and DBIL; NaN where no column of the nodes is released."""
        return self.means.get(MEAN, math.nan)

    @property
    def disclosure_risk(self) -> float:
        """The share of nodes found by somebody who knows all attributes."""
        return self.risks[ALL]

    def to_dict(self) -> dict[str, Any]:
        means = {"means": self.means, "information_loss": plain(self.information_loss)}
        return {**super().to_dict(), **means, "disclosure_risk": self.disclosure_risk}

    def told(self) -> Iterator[str | Listing]:
        if self.losses:
            yield from self._losses_told()
        risks = [(known, percent(100 * value)) for known, value in self.risks.items()]
        yield Listing(
            "Nodes whose neighbourhood is still found, in percent", ("What is known", ">Found"), risks
        )
        if self.structure_evaluation is not None:
            yield ""
            yield from self.structure_evaluation.told()

    def _losses_told(self) -> Iterator[str | Listing]:
        attributes = list(next(iter(self.losses.values())))
        rows = [
            (name, *(percent(100 * parts[a]) for a in attributes), percent(100 * self.means[name]))
            for name, parts in self.losses.items()
        ]
        rows.append(("mean", *("" for _ in attributes), percent(100 * self.information_loss)))
        headings = ("Measure", *(f">{name}" for name in attributes), ">mean")
        yield Listing("Information loss in percent (lower is better)", headings, rows)
        yield ""

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


def evaluate_graph(
    original: Graph,
    protected: Graph,
    columns: ProfileColumns = USUAL,
    *,
    ends: str = "neighbour",
    structure: bool = False,
    seed: Seed = 0,
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
    names = columns.names
    losses = (
        aamil(original, protected, names, ends=ends),
        cdil(original, protected, names),
        dbil(original, protected, columns.location, columns.topics, columns.others),
    )
    judged = structure or not np.array_equal(original.edges, protected.edges)
    return GraphEvaluation(
        nodes=original.n,
        edges=original.m,
        losses=dict(zip(LOSSES, losses, strict=True)) if names else {},
        risks=disclosure_risk(original, protected, columns.known),
        structure_evaluation=evaluate_structure(original, protected, seed=seed) if judged else None,
    )


def evaluate_structure(
    original: Graph, protected: Graph, *, depth: int = 3, seed: Seed = 0
) -> StructureEvaluation:
    """Judge the edges of a protected graph, whose nodes are those of the original in the same order.

    >>> from sfumato.datasets import profile_graph
    >>> graph = profile_graph(60, seed=1)
    >>> found = evaluate_structure(graph, graph.with_edges(graph.edges[1:]))
    >>> found.losses["edges"].change < 0, found.after[0].success < found.before[0].success
    (True, True)
    """
    return StructureEvaluation(
        losses=structural_losses(original, protected, stream(seed, "structural losses")),
        edges=edge_changes(original, protected),
        before=candidate_risk(original, original, depth=depth),
        after=candidate_risk(original, protected, depth=depth),
    )


def or_unknown(value: float, form: str) -> str:
    """A number as people read it, which may not be known.

    >>> or_unknown(2.5, ".2f"), or_unknown(math.nan, ".2f")
    ('2.50', 'unknown')
    """
    return "unknown" if math.isnan(value) else format(value, form)
