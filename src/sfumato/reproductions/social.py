"""Marés' social graphs: loss and risk of protected profiles over k, on a small and on a larger graph."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from sfumato.core import ParameterError, param, progress, stream
from sfumato.data.graph import Graph
from sfumato.datasets.profile_graph import preset
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.microdata import microdata
from sfumato.graphs.profile_columns import ALL, TOPICS
from sfumato.jobs import Drawing, Findings, Line, Reproduction
from sfumato.jobs.graph.evaluate import LOSSES, MEAN
from sfumato.jobs.graph.report import OverK, study_graph
from sfumato.masking import MdavGeneric
from sfumato.measures import DisclosureRisk, InformationLoss

GRAPHS = {"small": "first graph", "large": "second graph"}
FIGURES = {"small": ("Fig. 6.10", "Fig. 6.12", "Fig. 6.14"), "large": ("Fig. 6.11", "Fig. 6.13", "Fig. 6.15")}
RANKED = ("topic1", "topic2", "topic3")
NOISE = 1.0  # percentage points by which the risk from one attribute alone may rise by chance


class Social(Reproduction):
    """Both graphs of the source, generated anew, protected with every k; the figures as numbers and bars.

    The Twitter graphs are not public: graphs with as many nodes and edges stand in for them, whose communities
    share topics and places. The figures are drawings, so there are no published numbers; the bars are what the
    text says about them. Losses and risks are means over `runs` protections, five as in the source, of each of
    `graphs` generated graphs; where the text says that a risk falls, the risk from a single attribute may rise
    by one percentage point between neighbouring k, which is chance on so few nodes.

    Microdata (Figs. 6.14 and 6.15) are the degrees and profiles of the protected graph, made k-anonymous with
    the same k by `mdav_generic`, as §6.2.2 asks for, and held against those of the original graph: loss is the
    mean of CTBIL, DBIL and EBIL, risk (ID + max(DBRL, PRL)) / 2. The source does not name the method.

    >>> Social.quickly().k
    (2, 20)
    """

    source: ClassVar[str] = "Marés, thesis, ch. 6, Figs. 6.10–6.15"
    quick: ClassVar[Mapping[str, Any]] = {"k": (2, 20), "runs": 2, "graphs": 1}

    k: tuple[int, ...] = param(
        default=(2, 3, 5, 10, 20, 50), low=1, high=300, help="sizes of clusters, in growing order"
    )
    runs: int = param(default=5, low=1, help="protections of each graph with each k; the mean counts")
    graphs: int = param(default=4, low=1, help="generated graphs of each size; the mean counts")

    def check(self) -> None:
        if len(self.k) < 2 or sorted(set(self.k)) != list(self.k):
            raise ParameterError(f"{self.name}: k must hold at least two sizes, in growing order.")

    def study(self, workers: int) -> Findings:
        """Protect and judge all graphs, in one process: it is short."""
        found = {name: self._protected(name) for name in GRAPHS}
        records = {name: self._microdata(name) for name in GRAPHS}
        lines = [line for name in GRAPHS for line in _graph_lines(name, found[name])]
        lines += _compared(found["small"], found["large"])
        for name, (loss, risk) in records.items():
            lines += _microdata_lines(name, self.k, loss, risk)
        lines += _microdata_compared(records)
        together = OverK(
            title="Microdata",
            k=self.k,
            losses={GRAPHS[name]: loss for name, (loss, _) in records.items()},
            risks={GRAPHS[name]: risk for name, (_, risk) in records.items()},
        )
        drawings: dict[str, Drawing] = {GRAPHS[name].replace(" ", "-"): found[name] for name in GRAPHS}
        return Findings(tuple(lines), {**drawings, "microdata": together})

    def _generated(self, name: str) -> list[Graph]:
        return [preset(name, seed=self.seed * self.graphs + number) for number in range(self.graphs)]

    def _protected(self, name: str) -> OverK:
        """Figures 6.10 to 6.13, as means over the generated graphs."""
        tried = [study_graph(g, k=self.k, runs=self.runs, seed=self.seed) for g in self._generated(name)]
        return OverK(
            title=GRAPHS[name].capitalize(),
            k=self.k,
            losses={key: _mean([study.losses[key] for study in tried]) for key in tried[0].losses},
            risks={key: _mean([study.risks[key] for study in tried]) for key in tried[0].risks},
        )

    def _microdata(self, name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Loss and risk by k of Figures 6.14 and 6.15, as shares."""
        with progress.task(f"Protecting microdata of the {GRAPHS[name]}", self.graphs * self.runs) as work:
            found = [self._records(graph, n, work) for n, graph in enumerate(self._generated(name))]
        losses, risks = np.mean(found, axis=0).T / 100
        return tuple(losses.tolist()), tuple(risks.tolist())

    def _records(self, graph: Graph, number: int, work: progress.Task) -> np.ndarray:
        """Loss and risk of the microdata of a graph, one row for each k."""
        original = microdata(graph)
        loss, risk = InformationLoss().bind(original), DisclosureRisk(linkage="both").bind(original)
        scores = np.zeros((len(self.k), 2))
        for run in range(self.runs):
            for place, k in enumerate(self.k):
                rng = stream(self.seed, self.name, "microdata", number, k, run)
                released = microdata(AttributeProtection(k=k).apply(graph, rng))
                masked = MdavGeneric(k=k).apply(released, rng)
                scores[place] += loss.score(masked).value, risk.score(masked).value
            work.advance()
        return scores / self.runs


def _mean(series: Sequence[Sequence[float]]) -> tuple[float, ...]:
    return tuple(np.mean(series, axis=0).tolist())


def _graph_lines(name: str, found: OverK) -> list[Line]:
    """Every point of the two figures of a graph, then what the text says of them."""
    graph, (loss, risk, _) = GRAPHS[name], FIGURES[name]
    lines = [
        Line.of(f"{figure}, {graph}, k = {k}: {word} {key} (%)", ours=100 * values[place])
        for figure, word, series in ((loss, "loss", found.losses), (risk, "risk", found.risks))
        for place, k in enumerate(found.k)
        for key, values in series.items()
    ]
    lines.append(_rising(f"{loss}, {graph}: smallest rise of the mean loss over k", found.losses[MEAN]))
    for known, values in found.risks.items():
        allowed = 0.0 if known in (TOPICS, ALL) else NOISE
        lines.append(
            _falling(f"{risk}, {graph}: largest rise of the risk from {known} over k", values, allowed)
        )
    for more, less in pairwise(RANKED):
        ahead = 100 * np.subtract(found.risks[more], found.risks[less]).min()
        what = f"{risk}, {graph}: risk from {more} less that from {less}, at least"
        lines.append(Line.of(what, ours=ahead, bar=">= 0"))
    if name == "small":
        growth = {key: 100 * (found.losses[key][-1] - found.losses[key][0]) for key in LOSSES}
        ahead = growth["CDIL"] - max(growth[key] for key in LOSSES if key != "CDIL")
        lines.append(
            Line.of(f"{loss}, {graph}: growth of CDIL less that of any other loss", ours=ahead, bar="> 0")
        )
    lowest = sum(
        found.losses["AAMIL"][p] == min(found.losses[key][p] for key in LOSSES) for p in range(len(found.k))
    )
    what = f"{loss}, {graph}: sizes k at which AAMIL is the smallest loss, of {len(found.k)} (published: nearly all)"
    return [*lines, Line.of(what, ours=lowest)]


def _compared(small: OverK, large: OverK) -> list[Line]:
    """The larger graph loses less and is at less risk, at every k."""
    more = 100 * np.subtract(large.losses[MEAN], small.losses[MEAN]).max()
    lines = [
        Line.of(
            "Figs. 6.10, 6.11: mean loss of the second graph less the first, at most", ours=more, bar="< 0"
        )
    ]
    for known in small.risks:
        worse = 100 * np.subtract(large.risks[known], small.risks[known]).max()
        what = f"Figs. 6.12, 6.13: risk from {known} of the second graph less the first, at most"
        lines.append(Line.of(what, ours=worse, bar="<= 0"))
    return lines


def _microdata_lines(name: str, k: Sequence[int], loss: Sequence[float], risk: Sequence[float]) -> list[Line]:
    where = f"{FIGURES[name][2]}, microdata of the {GRAPHS[name]}"
    points = [
        Line.of(f"{where}, k = {size}: {word} (%)", ours=100 * values[place])
        for place, size in enumerate(k)
        for word, values in (("loss", loss), ("risk", risk))
    ]
    rise = _rising(f"{where}: smallest rise of the loss over k", loss)
    return [*points, rise, _falling(f"{where}: largest rise of the risk over k", risk, 0.0)]


def _microdata_compared(
    records: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]],
) -> list[Line]:
    """The text says that the second graph is better in both; its risk depends on the profiles of the graph."""
    loss, risk = (100 * np.subtract(records["large"][i], records["small"][i]).max() for i in (0, 1))
    what = "Figs. 6.14, 6.15: {} of the second microdata less the first, at most"
    return [
        Line.of(what.format("loss"), ours=loss, bar="< 0"),
        Line.of(what.format("risk") + " (published: below 0)", ours=risk),
    ]


def _rising(what: str, values: Sequence[float]) -> Line:
    return Line.of(what, ours=100 * np.diff(values).min(), bar="> 0")


def _falling(what: str, values: Sequence[float], allowed: float) -> Line:
    return Line.of(what, ours=100 * np.diff(values).max(), bar=f"<= {allowed:g}")
