"""Marés' pre-clustering: does it help to cluster records before they are made k-anonymous?"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar

from sfumato import datasets
from sfumato.core import ParameterError, Result, SfumatoError, param, progress
from sfumato.jobs import Bar, Drawing, Findings, Line, Reproduction, found_until_stopped
from sfumato.masking import Clustered, Masking, MdavGeneric
from sfumato.measures import Clustering as ClusteringLoss
from sfumato.measures import DisclosureRisk
from sfumato.parallel import Workers
from sfumato.reproductions._clustering_curves import Tried, surfaces, trend_lines
from sfumato.reproductions._marks import Why, marked
from sfumato.search.maskings.candidates import Candidate, Judge

FILES = {"german": "German", "housing": "Housing (generated)"}
TABLES = {"german": "Table 5.2", "housing": "Table 5.1", "clustering": "Table 5.3"}
LOSSES = {"information_loss": "IL", "clustering": "clustering IL"}
PLAIN, MICRO, MEDIAN = "microaggregation", "clustered microaggregation", "clustered global-median"
METHODS = (PLAIN, MICRO, MEDIAN)
WHYS = (
    Why("Housing", "a generated file stands in for the real one"),
    Why("Table 5.3", "the number of clusters of this loss is not told"),
    Why("Table 5.2", "another k of the same curve, as near to balance"),
)

# loss and risk of the best protection by each method: Tables 5.1, 5.2 and 5.3
PUBLISHED = {
    ("german", "information_loss"): ((18.90, 42.32), (31.90, 31.67), (31.62, 31.42)),
    ("german", "clustering"): ((19.62, 42.55), (30.51, 30.63), (28.71, 28.50)),
    ("housing", "information_loss"): ((24.95, 25.13), (25.63, 27.92), (23.48, 22.10)),
    ("housing", "clustering"): ((28.20, 39.28), (27.35, 31.15), (12.99, 15.70)),
}


class Dispersion(Result):
    """All protections of a file by their loss and risk, as in Figures 5.4, 5.8, 5.9 and 5.10."""

    drawn_by: ClassVar[str] = "dispersion"

    title: str
    loss: str
    points: dict[str, tuple[tuple[float, float], ...]] = field(repr=False)
    best: dict[str, tuple[float, float]]
    published: dict[str, tuple[float, float]]

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"method": method, "loss": loss, "risk": risk, "best": (loss, risk) == self.best[method]}
            for method, points in self.points.items()
            for loss, risk in points
        ]


class Clustering(Reproduction):
    """Microaggregation beside clustered microaggregation and clustered global-median, over all k and c.

    German and Housing are protected in the three ordinal attributes of the source, by every method with every
    k and number of clusters c. Loss is the mean of CTBIL, DBIL and EBIL (eq. 5.1) or the clustering loss (eq.
    5.3), risk (ID + max(DBRL, PRL)) / 2 (eq. 5.2). The best protection of a method is the one with the
    smallest max(IL, DR): the source's tables are best by balance, not by the mean of eq. 5.4, which would
    choose a far smaller k for microaggregation.

    The finding that has to hold is that both clustered methods are better balanced than microaggregation on
    German. The values of Table 5.2 have to come near. Three things are not known, and what hangs on them
    informs only: the real Housing file, for which a generated one stands in; the number of clusters behind
    the clustering loss (`partition` here); and how far k went. That matters most: with k up to 50
    microaggregation ends where the source's did, but groups of 140 balance it as well as clusters do. The
    last line tells.

    >>> Clustering.quickly().k
    (40, 50)
    """

    source: ClassVar[str] = "Marés, thesis, ch. 5, Tables 5.1–5.3; Marés & Torra, PSD 2012"
    data: ClassVar[tuple[str, ...]] = tuple(FILES)
    quick: ClassVar[Mapping[str, Any]] = {"k": (40, 50), "clusters": (8, 20, 75), "larger_k": (140,)}

    k: tuple[int, ...] = param(
        default=(2, 3, 4, 5, 6, 8, 10, 15, 20, 25, 30, 35, 40, 45, 50),
        low=2,
        high=1000,
        help="group sizes to try",
    )
    clusters: tuple[int, ...] = param(
        default=(2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 75, 100),
        low=2,
        high=1000,
        help="numbers of clusters to try",
    )
    larger_k: tuple[int, ...] = param(
        default=(75, 100, 120, 130, 140, 150, 160, 175, 200, 250),
        low=2,
        high=1000,
        help="group sizes of the last line, for microaggregation alone",
    )
    runs: int = param(default=20, low=1, help="how often to cluster; the best run is kept")
    partition: int = param(default=10, low=2, help="number of clusters of the clustering loss")
    starts: int = param(default=20, low=1, help="partitions of the clustering loss, of which the best counts")
    part: tuple[str, ...] = param(default=tuple(FILES), choices=tuple(FILES), help="the files to protect")

    def check(self) -> None:
        for name in ("k", "clusters", "larger_k", "part"):
            if not getattr(self, name):
                raise ParameterError(f"{self.name}: {name} must hold at least one number. Got none.")

    def study(self, workers: int) -> Findings:
        judges = {file: self._judge(file) for file in self.part}
        jobs = [(file, masking) for file in self.part for masking in self._maskings()]
        further = [("german", MdavGeneric(k=k)) for k in self.larger_k if "german" in self.part]
        with Workers(judges, workers) as crew:
            found = _judged(crew, [*jobs, *further])
        tried = {
            file: {
                method: [c for c in _found(found, file, jobs) if _method(c) == method] for method in METHODS
            }
            for file in self.part
        }
        larger = _found(found, "german", further)
        lines: list[Line] = []
        drawings: dict[str, Drawing] = {}
        for (file, loss), published in PUBLISHED.items():
            if file not in tried or not all(tried[file].values()):  # it was stopped before
                continue
            dispersion = _dispersion(file, loss, tried[file])
            drawings[file if loss == "information_loss" else f"{file}-{loss}"] = dispersion
            lines += _lines(file, loss, tried[file], dict(zip(METHODS, published, strict=True)))
        for file, methods in tried.items():
            placed = {method: [_tried(one) for one in some] for method, some in methods.items()}
            drawings |= surfaces(file, FILES[file], placed)
            for method, places in placed.items():
                where = f"§5.4, {FILES[file]}, {method}"
                lines += trend_lines(where, places)
        if larger:
            ours = max(_place(_best(larger, "information_loss"), "information_loss"))
            lines.append(Line.of(f"German, {PLAIN}, k to {max(self.larger_k)}: max(IL, DR)", ours=ours))
        return Findings(marked(lines, WHYS), drawings)

    def _judge(self, file: str) -> Judge:
        measures = [DisclosureRisk(linkage="both"), ClusteringLoss(c=self.partition, runs=self.starts)]
        return Judge(datasets.load(file), seed=self.seed, measures=measures)

    def _maskings(self) -> list[Masking]:
        clustered = [
            Clustered(clusters=c, within=within, k=k, runs=self.runs)
            for within in ("mdav_generic", "global_median")
            for c in self.clusters
            for k in self.k
        ]
        return [*(MdavGeneric(k=k) for k in self.k), *clustered]


Task = tuple[str, Masking]


def _judged(crew: Workers[dict[str, Judge]], jobs: Sequence[Task]) -> dict[Task, Candidate]:
    """The maskings of files as candidates; those that cannot be applied are left out with a note."""
    found = found_until_stopped(crew, _outcome, list(dict.fromkeys(jobs)), label="Protecting")
    for reason in (outcome for outcome in found.values() if isinstance(outcome, str)):
        progress.note(reason)
    return {job: outcome for job, outcome in found.items() if isinstance(outcome, Candidate)}


def _found(found: Mapping[Task, Candidate], file: str, jobs: Sequence[Task]) -> list[Candidate]:
    return [found[job] for job in jobs if job[0] == file and job in found]


def _outcome(judges: dict[str, Judge], job: tuple[str, Masking]) -> Candidate | str:
    file, masking = job
    try:
        return judges[file].judge(masking)
    except SfumatoError as error:
        return f"{masking} was left out: {error}"


def _method(candidate: Candidate) -> str:
    if not isinstance(candidate.masking, Clustered):
        return PLAIN
    return MICRO if candidate.masking.within == "mdav_generic" else MEDIAN


def _tried(candidate: Candidate) -> Tried:
    masking = candidate.masking
    clusters = masking.clusters if isinstance(masking, Clustered) else 0
    k: int = masking.k  # type: ignore[attr-defined]
    return Tried(k, clusters, *_place(candidate, "information_loss"))


def _place(candidate: Candidate, loss: str) -> tuple[float, float]:
    (score,) = (one for one in candidate.scores.values() if one.measure == loss)
    return score.value, candidate.risk


def _best(candidates: Sequence[Candidate], loss: str) -> Candidate:
    """The best balanced protection, and of several the one with the smaller sum."""
    return min(candidates, key=lambda c: (max(_place(c, loss)), sum(_place(c, loss))))


def _dispersion(file: str, loss: str, tried: Mapping[str, Sequence[Candidate]]) -> Dispersion:
    return Dispersion(
        title=f"{FILES[file]}: {sum(map(len, tried.values()))} protections",
        loss="Clustering loss" if loss == "clustering" else "Information loss",
        points={method: tuple(_place(c, loss) for c in found) for method, found in tried.items()},
        best={method: _place(_best(found, loss), loss) for method, found in tried.items()},
        published=dict(zip(METHODS, PUBLISHED[file, loss], strict=True)),
    )


def _lines(
    file: str,
    loss: str,
    tried: Mapping[str, Sequence[Candidate]],
    published: Mapping[str, tuple[float, float]],
) -> list[Line]:
    """Loss, risk and the larger of them, of the best protection by each method; then who beats whom."""
    best = {method: _best(found, loss) for method, found in tried.items()}
    ours = {method: max(_place(candidate, loss)) for method, candidate in best.items()}
    same_file_and_measures = file == "german" and loss == "information_loss"
    table = f"{TABLES.get(loss) or TABLES[file]}, {FILES[file]}"
    lines = []
    for method, candidate in best.items():
        what = f"{table}, {_in_short(method, candidate)}"
        for name, value, theirs in zip(
            (LOSSES[loss], "DR"), _place(candidate, loss), published[method], strict=True
        ):
            lines.append(Line.of(f"{what}: {name}", ours=value, published=theirs))
        bar = "<= published + 5 %" if same_file_and_measures else ""
        larger = f"{what}: max({LOSSES[loss]}, DR)"
        lines.append(Line.of(larger, ours=ours[method], published=max(published[method]), bar=bar))
    if file == "german":
        lines += [
            Line.of(
                f"{table}, {method} against {PLAIN}: max({LOSSES[loss]}, DR)",
                published=max(published[method]),
                ours=ours[method],
                bar=Bar(comparison="<", limit=ours[PLAIN]),
            )
            for method in (MICRO, MEDIAN)
        ]
    return lines


def _in_short(method: str, candidate: Candidate) -> str:
    masking = candidate.masking
    if isinstance(masking, Clustered):
        return f"{method} (k = {masking.k}, c = {masking.clusters})"
    return f"{method} (k = {masking.k})" if isinstance(masking, MdavGeneric) else method
