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
from sfumato.jobs import Drawing, Findings, Line, Reproduction, found_until_stopped
from sfumato.jobs.graph.evaluate import LOSSES, MEAN
from sfumato.jobs.graph.report import OverK, study_graph
from sfumato.masking import MdavGeneric
from sfumato.measures import DisclosureRisk, InformationLoss
from sfumato.parallel import Workers
from sfumato.reproductions._graph_shape import shape_of
from sfumato.reproductions._marks import Why, marked

GRAPHS = {"small": "first graph", "large": "second graph"}
FIGURES = {"small": ("Fig. 6.10", "Fig. 6.12", "Fig. 6.14"), "large": ("Fig. 6.11", "Fig. 6.13", "Fig. 6.15")}
RANKED = ("topic1", "topic2", "topic3")
ANONYMOUS, PLAIN = READINGS = "", ", as they are"  # of the microdata
PROFILES, MICRODATA = "profiles", "microdata"
# §6.5: as the source describes its graphs
STRUCTURE = {
    "small": {
        "nodes": 306,
        "edges": 342,
        "diameter": 17,
        "average path length": 7.597,
        "median path length": 8,
    },
    "large": {
        "nodes": 1638,
        "edges": 4622,
        "diameter": 11,
        "average path length": 4.2595,
        "median path length": 4,
    },
}
STAND_INS = "the graphs are not public; generated ones stand in"
WHYS = (Why("§6.5", STAND_INS, wrong=True),)
Series = tuple[tuple[float, ...], tuple[float, ...]]
NOISE = 1.0  # percentage points by which the risk from one attribute alone may rise by chance


class Social(Reproduction):
    """Both graphs of the source, generated anew, protected with every k; the figures as numbers and bars.

    The Twitter graphs are not public: graphs with as many nodes and edges stand in for them, whose communities
    share topics and places. The figures are drawings, so there are no published numbers; the bars are what the
    text says about them. Losses and risks are means over `runs` protections, five as in the source, of each of
    `graphs` generated graphs; where the text says that a risk falls, the risk from a single attribute may rise
    by one percentage point between neighbouring k, which is chance on so few nodes.

    Microdata (Figs. 6.14 and 6.15) are the degrees and profiles of the protected graph, held against those of the
    original graph: loss is the mean of CTBIL, DBIL and EBIL, risk (ID + max(DBRL, PRL)) / 2. The text can be read in
    two ways: they are made k-anonymous with the same k by a method that it does not name, here `mdav_generic`, as
    §6.2.2 asks for; or they are released as they are. Both are shown. What the text says, that loss hardly grows with k, comes
    out in neither; as they are, it grows less.

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
        """The figures of both graphs, then of their microdata; those that were done, where it is stopped."""
        jobs = [(part, name) for part in (PROFILES, MICRODATA) for name in GRAPHS]
        with Workers(self, min(workers, len(jobs))) as crew:
            done = found_until_stopped(crew, _figures, jobs, label="Protecting graphs")
        found = {name: one for (part, name), one in done.items() if part == PROFILES}
        read = {name: one for (part, name), one in done.items() if part == MICRODATA}
        lines = [line for name, one in found.items() for line in _graph_lines(name, one)]
        if len(found) == len(GRAPHS):
            lines += _compared(found["small"], found["large"])
        for name in GRAPHS:
            lines += _structure_lines(name, self._generated(name)[0])
            for reading, series in zip(READINGS, read.get(name, ()), strict=False):
                lines += _microdata_lines(name, reading, self.k, *series)
        if len(read) == len(GRAPHS):
            lines += _microdata_compared({name: readings[0] for name, readings in read.items()})
        drawings: dict[str, Drawing] = {GRAPHS[name].replace(" ", "-"): one for name, one in found.items()}
        if read:
            drawings["microdata"] = self._drawn(read)
        return Findings(marked(lines, WHYS), drawings)

    def _drawn(self, read: Mapping[str, Sequence[Series]]) -> OverK:
        """Figures 6.14 and 6.15 in one, by both readings."""
        series = {
            f"{GRAPHS[name]}{reading}": readings[at]
            for at, reading in enumerate(READINGS)
            for name, readings in read.items()
        }
        losses, risks = ({name: one[at] for name, one in series.items()} for at in (0, 1))
        return OverK(title="Microdata", k=self.k, losses=losses, risks=risks)

    def _generated(self, name: str) -> list[Graph]:
        return [preset(name, seed=self.seed * self.graphs + number) for number in range(self.graphs)]

    def protected(self, name: str) -> OverK:
        """Figures 6.10 to 6.13, as means over the generated graphs."""
        tried = [study_graph(g, k=self.k, runs=self.runs, seed=self.seed) for g in self._generated(name)]
        return OverK(
            title=GRAPHS[name].capitalize(),
            k=self.k,
            losses={key: _mean([study.losses[key] for study in tried]) for key in tried[0].losses},
            risks={key: _mean([study.risks[key] for study in tried]) for key in tried[0].risks},
        )

    def microdata(self, name: str) -> list[Series]:
        """Loss and risk by k of Figures 6.14 and 6.15, as shares: made k-anonymous again, and as they are."""
        with progress.task(f"Protecting microdata of the {GRAPHS[name]}", self.graphs * self.runs) as work:
            found = [self._records(graph, n, work) for n, graph in enumerate(self._generated(name))]
        means = np.mean(found, axis=0) / 100
        return [(tuple(of[:, 0].tolist()), tuple(of[:, 1].tolist())) for of in means]

    def _records(self, graph: Graph, number: int, work: progress.Task) -> np.ndarray:
        """Loss and risk of the microdata of a graph: by reading, and one row for each k."""
        original = microdata(graph)
        loss, risk = InformationLoss().bind(original), DisclosureRisk(linkage="both").bind(original)
        scores = np.zeros((2, len(self.k), 2))
        for run in range(self.runs):
            for place, k in enumerate(self.k):
                rng = stream(self.seed, self.name, "microdata", number, k, run)
                released = microdata(AttributeProtection(k=k).apply(graph, rng))
                masked = MdavGeneric(k=k).apply(released, rng)
                for at, table in enumerate((masked, released)):
                    scores[at, place] += loss.score(table).value, risk.score(table).value
            work.advance()
        return scores / self.runs


def _figures(study: Social, job: tuple[str, str]) -> Any:
    """The figures of a graph, or of its microdata; a function by name, so that worker processes can call it."""
    part, name = job
    return study.protected(name) if part == PROFILES else study.microdata(name)


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
    return [*lines, _said(what, lowest, as_printed=2 * lowest > len(found.k))]


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


def _structure_lines(name: str, graph: Graph) -> list[Line]:
    """§6.5: the graphs of the source and ours, as far as it tells of them."""
    printed = STRUCTURE[name]
    found = shape_of(graph)
    return [
        Line.of(f"§6.5, {GRAPHS[name]}: {what}", ours=found[what], published=printed[what])
        for what in printed
    ]


def _microdata_lines(
    name: str, reading: str, k: Sequence[int], loss: Sequence[float], risk: Sequence[float]
) -> list[Line]:
    where = f"{FIGURES[name][2]}, microdata of the {GRAPHS[name]}{reading}"
    points = [
        Line.of(f"{where}, k = {size}: {word} (%)", ours=100 * values[place])
        for place, size in enumerate(k)
        for word, values in (("loss", loss), ("risk", risk))
    ]
    growth = Line.of(
        f"{where}: loss at the largest k less that at the least", ours=100 * (loss[-1] - loss[0])
    )
    if reading == PLAIN:
        return [*points, growth]
    rise = _rising(f"{where}: smallest rise of the loss over k", loss)
    return [*points, growth, rise, _falling(f"{where}: largest rise of the risk over k", risk, 0.0)]


def _microdata_compared(
    records: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]],
) -> list[Line]:
    """The text says that the second graph is better in both; its risk depends on the profiles of the graph."""
    loss, risk = (100 * np.subtract(records["large"][i], records["small"][i]).max() for i in (0, 1))
    what = "Figs. 6.14, 6.15: {} of the second microdata less the first, at most"
    return [
        Line.of(what.format("loss"), ours=loss, bar="< 0"),
        _said(what.format("risk") + " (published: below 0)", risk, as_printed=risk < 0),
    ]


def _said(what: str, ours: float, *, as_printed: bool) -> Line:
    """What the text says without a number, and whether it is so here."""
    stands = "as in print" if as_printed else f"not as in print: {STAND_INS}"
    return Line.of(f"{what} [{stands}]", ours=ours)


def _rising(what: str, values: Sequence[float]) -> Line:
    return Line.of(what, ours=100 * np.diff(values).min(), bar="> 0")


def _falling(what: str, values: Sequence[float], allowed: float) -> Line:
    return Line.of(what, ours=100 * np.diff(values).max(), bar=f"<= {allowed:g}")
