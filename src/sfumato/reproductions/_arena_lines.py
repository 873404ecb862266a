"""Our files beside the published ones: lines with what ours must reach, and where all of them stand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from sfumato.core import Result
from sfumato.datasets.arena import Submission
from sfumato.jobs import Bar, Line
from sfumato.reproductions._arena_features import FEATURE_SETS
from sfumato.reproductions._arena_yardsticks import ArenaScores, Coincidences

SAMPLES = "subsample"
SAMPLED = "subsample_40pcnt"
FORMAL_RIVALS = {"mst": "MST", "Genetic SD": "Genetic SD"}
EPSILON = 1.0
ALLOWED_ABOVE_OUTSIDERS = 2.0  # points
NEAR_SAMPLE = {"k_marginal": 1.0, "uem": 5.0}  # percent by which a sample of ours may differ from theirs


class Entry(NamedTuple):
    """A file of ours: the masking as it was asked for, how it fared or why it could not be made, and people outside.

    `covered` is how many of the features it masked.
    """

    text: str
    covered: int
    scores: ArenaScores | None
    coincidences: tuple[Coincidences, ...] = ()

    @property
    def inside(self) -> float:
        return sum(one.inside for one in self.coincidences) / len(self.coincidences)

    @property
    def outside(self) -> float:
        return sum(one.outside for one in self.coincidences) / len(self.coincidences)

    def score(self, name: str) -> float:
        """What it scored; no number where it could not be made, which reaches no bar."""
        value = float("nan") if self.scores is None else getattr(self.scores, name)
        return float(value)


class Standing(Result):
    """Where the files of one feature set stand: UEM and k-marginal of all submissions by library, and of ours."""

    drawn_by: ClassVar[str] = "submissions"

    title: str
    published: dict[str, tuple[tuple[float, float], ...]]
    formal: dict[str, tuple[tuple[float, float], ...]]
    ours: dict[str, tuple[float, float]]
    outside: float | None
    libraries: tuple[str, ...]

    def _rows(self) -> list[dict[str, Any]]:
        theirs = [
            {"file": library, "uem": uem, "k_marginal": k, "ours": False}
            for group in (self.published, self.formal)
            for library, places in group.items()
            for uem, k in places
        ]
        return theirs + [
            {"file": name, "uem": uem, "k_marginal": k, "ours": True} for name, (uem, k) in self.ours.items()
        ]


def submitted(known: Iterable[Submission], extract: str, features: str) -> list[Submission]:
    """The submissions that are compared with a feature set."""
    names = FEATURE_SETS[features].submitted_as
    return [one for one in known if one.extract == extract and one.feature_set in names]


def plain_lines(features: str, entry: Entry) -> Iterator[Line]:
    """A file that informs, where it could be made."""
    if entry.scores is None:
        return
    yield Line.of(f"{_here(features, entry)}: k-marginal", ours=entry.score("k_marginal"))
    yield Line.of(f"{_here(features, entry)}: UEM (%)", ours=entry.score("uem"))


def sample_lines(features: str, entry: Entry, theirs: Sequence[Submission]) -> Iterator[Line]:
    """Records as they are, which anybody can draw: here our yardsticks meet those of the arena."""
    samples = [one for one in theirs if one.algorithm == SAMPLED]
    if not samples:
        yield from plain_lines(features, entry)
        return
    for name, words in (("k_marginal", "k-marginal"), ("uem", "UEM (%)"), ("pmse", "pMSE")):
        near = NEAR_SAMPLE.get(name)
        yield Line.of(
            f"{_here(features, entry)}: {words}",
            ours=entry.score(name),
            published=getattr(samples[0], name),
            bar="" if near is None else f"within {near:g} % of published",
        )


def best_lines(features: str, entry: Entry, theirs: Sequence[Submission]) -> Iterator[Line]:
    """The file that has to win: nearer than all others, and showing nobody whom it would not show anyway."""
    here = _here(features, entry)
    highest = max((one.k_marginal for one in theirs), default=None)
    yield Line.of(
        f"{here}: k-marginal",
        ours=entry.score("k_marginal"),
        published=highest,
        bar="" if highest is None else "> published",
    )
    yield Line.of(f"{here}: UEM (%)", ours=entry.score("uem"))
    if entry.coincidences:
        yield Line.of(f"{here}, a fifth held out: UEM of people outside (%)", ours=entry.outside)
        limit = round(entry.outside + ALLOWED_ABOVE_OUTSIDERS, 4)
        yield Line.of(
            f"{here}, a fifth held out: UEM of people inside (%)",
            ours=entry.inside,
            bar=Bar(comparison="<=", limit=limit),
        )
    yield Line.of(f"{here}: pMSE", ours=entry.score("pmse"), bar="<= 0.005")
    if entry.scores is None or entry.scores.impossible is not None:
        yield Line.of(f"{here}: impossible records (%)", ours=entry.score("impossible"), bar="<= 0.3")


def apart_lines(features: str, entry: Entry) -> Iterator[Line]:
    """The file that shows no unique person at all."""
    yield Line.of(f"{_here(features, entry)}: k-marginal", ours=entry.score("k_marginal"))
    yield Line.of(f"{_here(features, entry)}: UEM (%)", ours=entry.score("uem"), bar="<= 0")


def formal_lines(features: str, entry: Entry, theirs: Sequence[Submission]) -> Iterator[Line]:
    """The file with a formal promise, beside those of others with the same one."""
    here = _here(features, entry)
    rivals: Mapping[str, list[float]] = {
        name: [one.k_marginal for one in theirs if one.algorithm == algorithm and one.epsilon == EPSILON]
        for algorithm, name in FORMAL_RIVALS.items()
    }
    met = {name: max(scores) for name, scores in rivals.items() if scores}
    for name, highest in met.items():
        what = f"{here}, against {name} with ε = {EPSILON:g}: k-marginal"
        yield Line.of(what, ours=entry.score("k_marginal"), published=highest, bar="> published")
    if not met:
        yield Line.of(f"{here}: k-marginal", ours=entry.score("k_marginal"))
    yield Line.of(f"{here}: UEM (%)", ours=entry.score("uem"))


def standing(
    extract: str, features: str, known: Sequence[Submission], ours: Sequence[Entry], outside: float | None
) -> Standing:
    """All files of a feature set, for the plot."""
    theirs = submitted(known, extract, features)
    count = len(FEATURE_SETS[features].features)
    return Standing(
        title=f"{extract}, {features.replace('_', ' ')}: {len(theirs)} submissions and ours on {count} features",
        published=_by_library(one for one in theirs if one.epsilon is None),
        formal=_by_library(one for one in theirs if one.epsilon is not None),
        ours={
            entry.text: (entry.scores.uem, entry.scores.k_marginal)
            for entry in ours
            if entry.scores is not None
        },
        outside=outside,
        libraries=tuple(sorted({one.library for one in known if one.extract == extract})),
    )


def _by_library(some: Iterable[Submission]) -> dict[str, tuple[tuple[float, float], ...]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for one in some:
        found.setdefault(one.library, []).append((one.uem, one.k_marginal))
    return {library: tuple(places) for library, places in sorted(found.items())}


def _here(features: str, entry: Entry) -> str:
    count = len(FEATURE_SETS[features].features)
    part = "" if entry.covered == count else f" (masks {entry.covered} of {count} features)"
    return f"{features.replace('_', ' ')}, {entry.text}{part}"
