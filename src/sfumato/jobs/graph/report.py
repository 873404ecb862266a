"""Report what protecting a graph costs and brings, over several k."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.core import ParameterError, Result, param, progress
from sfumato.data.graph import Graph
from sfumato.graphs.attribute_protection import AttributeProtection, without_columns
from sfumato.graphs.profile_columns import ProfileColumns
from sfumato.jobs._contents import Content, Report
from sfumato.jobs._job import Listing, Outcome
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._work import Work
from sfumato.jobs.graph._profiles import Protecting, StructureChoice
from sfumato.jobs.graph.evaluate import GraphEvaluation, evaluate_graph, or_unknown
from sfumato.jobs.graph.protect import protect_graph, protect_structure

USUAL_METHOD = AttributeProtection()
SIZES = (2, 3, 4, 5, 10, 15, 20, 25, 50)


class GraphReport(Protecting, Seeded):
    """Protect GRAPH with several k, and show the loss and the risk of each: choose k from it.

    With --structure, edges are protected too, and what that does to the structure, and who is still found by it,
    is shown for each k.

    >>> GraphReport(graph="people.graphml", k=[2, 5], runs=1, structure="k_degree").spec()
    {'job': 'graph report', 'k': [2, 5], 'runs': 1, 'structure': 'k_degree', 'graph': 'people.graphml'}

    >>> import pandas as pd
    >>> import sfumato
    >>> people = pd.DataFrame({"id": range(8), "town": ["Reus", "Soria"] * 4})  # two frames, or a `Graph`
    >>> friends = pd.DataFrame({"source": [0, 0, 1, 2, 3, 4, 5], "target": [1, 2, 2, 3, 4, 5, 6]})
    >>> found = sfumato.report_graph((people, friends), k=[2], runs=1, seed=1)
    >>> found.to_frame().num_rows > 0
    True
    """

    k: tuple[int, ...] = param(
        default=(),
        low=1,
        help="sizes of clusters to try",
        usual=f"of {', '.join(map(str, SIZES))} all that fit",
    )
    runs: int = param(default=5, low=1, help="protections for each k; the means are shown")
    html: Path | None = param(
        default=None,
        short="o",
        word="FILE.html",
        help="write the report as a page",
        writes=True,
        suffixes=(".html", ".htm"),
    )

    def run(self, graph: Graph, *, work: Work) -> "GraphStudy":
        sizes = tuple(dict.fromkeys(self.k)) or tuple(size for size in SIZES if size <= graph.n)
        study = study_graph(
            graph,
            k=sizes,
            runs=self.runs,
            seed=self.seed,
            method=self.clusters_of(self.profile_in(graph)),
            structure=self.structure,
        )
        return dataclasses.replace(study, job=self)


class OverK(Outcome):
    """Losses and risks of a graph by k, as shares."""

    drawn_by: ClassVar[str] = "graph_losses"

    title: str
    k: tuple[int, ...]
    losses: dict[str, tuple[float, ...]]
    risks: dict[str, tuple[float, ...]]

    def _lines(self) -> list[tuple[str, Mapping[str, Sequence[float]]]]:
        return [("loss", self.losses), ("risk", self.risks)]

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"k": k, "sense": sense, "measure": name, "value": values[place]}
            for sense, found in self._lines()
            for name, values in found.items()
            for place, k in enumerate(self.k)
        ]


class GraphPair(Result):
    """A graph beside one of its protections, with the nodes in the same order; for its owner."""

    drawn_by: ClassVar[str] = "graph_pair"

    k: int
    original: Graph = field(repr=False)
    protected: Graph = field(repr=False)
    location: str


class GraphStudy(OverK):
    """Mean losses and risks of a graph by k, over so many runs for each.

    With a `structure` method, also how the structure changed, which shares of nodes are found by it, and how many
    `candidates` nodes have, by query.
    """

    reported_by: ClassVar[str] = "graph_study"

    runs: int = field(repr=False)
    seed: int = field(repr=False)
    method: AttributeProtection | None = field(repr=False)
    structure: StructureChoice | None = field(default=None, repr=False)
    changes: dict[str, tuple[float, ...]] = field(default_factory=dict)
    found_by_structure: dict[str, tuple[float, ...]] = field(default_factory=dict)
    candidates: dict[str, tuple[float, ...]] = field(default_factory=dict)
    evaluations: tuple[tuple[GraphEvaluation, ...], ...] = field(repr=False)
    shown: GraphPair = field(repr=False)
    """The first protection with the smallest k."""

    def contents(self) -> Mapping[str, Content]:
        return {"html": Report(self)}

    def told(self) -> Iterator[str | Listing]:
        for title, lines in (
            ("Information loss, in percent (lower is better)", self.losses),
            ("Disclosure risk, by what is known, in percent (lower is better)", self.risks),
            ("Change of the structure, in percent of what it was", self.changes),
            (
                "Nodes found by the structure around them, in percent (lower is better)",
                self.found_by_structure,
            ),
        ):
            if lines:
                yield Listing(
                    title, (">k", *(f">{name.replace('_', ' ')}" for name in lines)), self._shown(lines)
                )
                yield ""
        if isinstance(self.job, GraphReport) and self.job.html is not None:
            yield f"Wrote {self.job.html}"

    def _shown(self, lines: Mapping[str, Sequence[float]]) -> list[tuple[str, ...]]:
        return [
            (str(k), *(or_unknown(100 * values[place], ".2f") for values in lines.values()))
            for place, k in enumerate(self.k)
        ]

    def _lines(self) -> list[tuple[str, Mapping[str, Sequence[float]]]]:
        structure = [("change", self.changes), ("risk", self.found_by_structure)]
        return [*super()._lines(), *structure, ("candidates", self.candidates)]


def study_graph(
    graph: Graph,
    *,
    k: Sequence[int] = SIZES,
    runs: int = 5,
    seed: int = 0,
    method: AttributeProtection | None = USUAL_METHOD,
    structure: StructureChoice | Mapping[str, Any] | str | None = None,
    title: str = "",
) -> GraphStudy:
    """Protect and judge a graph with each k, several times, and take the means (§6.5.1 of the source).

    `structure` describes a method that protects the edges too, with each k unless it names its own. Without a method
    for the nodes, their columns are left out.

    >>> import pandas as pd
    >>> from sfumato.data.graph_frames import graph_from_frames
    >>> people = pd.DataFrame({"id": range(8), "town": ["Reus", "Soria"] * 4})
    >>> friends = pd.DataFrame({"source": [0, 0, 1, 2, 3, 4, 5], "target": [1, 2, 2, 3, 4, 5, 6]})
    >>> study_graph(graph_from_frames(people, friends), k=[2], runs=1, method=None, structure="k_degree").to_frame().num_rows > 0
    True
    """
    if not k or runs < 1:
        raise ParameterError("A study of a graph needs at least one k and one run.")
    edges = StructureChoice.convert(structure) if structure else None
    with progress.task("Protecting the graph", len(k) * runs) as work:
        found = tuple(
            tuple(
                _judged(graph, _protected(graph, method, edges, size, seed=seed, run=run), method, seed, work)
                for run in range(runs)
            )
            for size in k
        )
    smallest = min(k)
    first = _protected(graph, method, edges, smallest, seed=seed, run=0)
    shapes = [[run.structure_evaluation for run in row if run.structure_evaluation] for row in found]
    return GraphStudy(
        title=title or f"{graph.n:,} nodes, {graph.m:,} edges",
        k=tuple(k),
        losses=_over_runs([[run.means for run in row] for row in found]),
        risks=_over_runs([[run.risks for run in row] for row in found]),
        runs=runs,
        seed=seed,
        method=method,
        structure=edges,
        changes=_over_runs([[shape.changes for shape in row] for row in shapes]),
        found_by_structure=_over_runs([[shape.found for shape in row] for row in shapes]),
        candidates=_over_runs([[shape.candidates for shape in row] for row in shapes]),
        evaluations=found,
        shown=GraphPair(
            k=smallest, original=graph, protected=first, location="" if method is None else method.location
        ),
    )


def _protected(
    graph: Graph,
    method: AttributeProtection | None,
    structure: StructureChoice | None,
    k: int,
    *,
    seed: int,
    run: int,
) -> Graph:
    if method is None:
        released = without_columns(graph)
    else:
        released = protect_graph(graph, dataclasses.replace(method, k=k), seed=seed, run=run)
    if structure is None:
        return released
    return protect_structure(released, structure.of_size(k), seed=seed, run=run)


def _judged(
    graph: Graph, released: Graph, method: AttributeProtection | None, seed: int, work: progress.Task
) -> GraphEvaluation:
    columns = ProfileColumns() if method is None else method.columns
    found = evaluate_graph(
        graph, released, columns, structure=not np.array_equal(graph.edges, released.edges), seed=seed
    )
    work.advance(status=f"loss {found.information_loss:.2f}")
    return found


def _over_runs(found: Sequence[Sequence[Mapping[str, float]]]) -> dict[str, tuple[float, ...]]:
    names = found[0][0] if found[0] else ()
    return {name: tuple(float(np.mean([run[name] for run in row])) for row in found) for name in names}
