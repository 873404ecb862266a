"""Who loses least and gives least away: lines with what the defaults must reach, and where all files stand."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sfumato.core import Result
from sfumato.jobs import Bar, Line
from sfumato.reproductions._front_files import FILES, ORIGINAL, RESAMPLE, SEEDS_SCORES, Found
from sfumato.search.pareto import front_ranks

OWN = "own "  # before what the independent judge found
JUDGES = {"": "", OWN: ", independent judge"}
LOSSES = {"": "analyst loss", OWN: "loss"}
ABOVE_FLOOR = 3.0  # points that may be learned above the floor
ABOVE_CONTROL = 3.0  # points by which nearness may tell members
ABOVE_OUTSIDERS = 1.0  # points by which numbers of one person may stand there more often
SECONDS = {"census": 3.0, "adult_5000": 10.0, "adult": 60.0}
PANELS = {
    "The verdict": ("loss", "risk", "analyst loss", "risk above a guess (points)"),
    "The independent judge": (f"{OWN}loss", f"{OWN}risk", "loss", "risk above a guess (points)"),
    "The scores of the literature": (*SEEDS_SCORES, "information loss (%)", "disclosure risk (%)"),
}
Z_95 = 1.959963984540054


class Entry(NamedTuple):
    """A file of the front: what both judges found on each cut."""

    name: str
    cuts: tuple[Found, ...]

    def mean(self, part: str) -> float:
        """The mean over cuts of a part, or of the risk of a judge."""
        if part.endswith("risk") and part not in SEEDS_SCORES:
            return self.risk(part.removesuffix("risk"))
        return float(np.mean([cut[part] for cut in self.cuts]))

    def above(self, judge: str, part: str, control: str) -> float:
        return self.mean(judge + part) - self.mean(judge + control)

    def risk(self, judge: str) -> float:
        """By how many points the worst of the attackers of a judge is above a guess, a control or people outside."""
        risks = [
            self.above(judge, "found", "guess"),
            self.above(judge, "nearness", "nearness_control"),
            self.above(judge, "tracing", "tracing_control"),
        ]
        if judge != OWN:
            risks += [self.mean("learned"), self.mean("copies")]
        return max(0.0, *risks)

    def beats(self, other: "Entry", judge: str) -> bool:
        """Whether it loses less and gives less away."""
        return self.mean(f"{judge}loss") < other.mean(f"{judge}loss") and self.risk(judge) < other.risk(judge)


class Fronts(Result):
    """Where the files of one table stand: loss and risk by each judge and by the scores of the literature."""

    drawn_by: ClassVar[str] = "fronts"

    title: str
    panels: dict[str, dict[str, tuple[float, float]]]
    labels: dict[str, tuple[str, str]]
    ours: tuple[str, ...]
    references: tuple[str, ...]

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"by": panel, "file": name, "loss": loss, "risk": risk, "front": rank == 0}
            for panel, places in self.panels.items()
            for (name, (loss, risk)), rank in zip(
                places.items(), front_ranks(np.array([*places.values()])), strict=True
            )
        ]


def standing(file: str, entries: Sequence[Entry], ours: Sequence[str]) -> Fronts:
    """All files of a table, for the plot."""
    cuts = max(len(entry.cuts) for entry in entries)
    return Fronts(
        title=f"{FILES.get(file, file)}: {len(entries)} files, mean of {cuts} {'cut' if cuts == 1 else 'cuts'}",
        panels={
            panel: {entry.name: (entry.mean(loss), entry.mean(risk)) for entry in entries}
            for panel, (loss, risk, *_) in PANELS.items()
        },
        labels={panel: (across, up) for panel, (_, _, across, up) in PANELS.items()},
        ours=tuple(ours),
        references=(ORIGINAL, RESAMPLE),
    )


def default_lines(file: str, entry: Entry, entries: Sequence[Entry], *, barred: bool) -> Iterator[Line]:
    """What a default has to reach: no more lost than with a resample, no more given away than to a guess."""
    resample = next(one for one in entries if one.name == RESAMPLE)
    here = f"{FILES.get(file, file)}, {entry.name}"

    def line(what: str, ours: float, limit: float) -> Line:
        bar = Bar(comparison="<=", limit=round(limit, 4)) if barred else ""
        return Line.of(f"{here}{what}", ours=ours, bar=bar)

    for judge, said in JUDGES.items():
        loss = f"{judge}loss"
        yield line(f"{said}: {LOSSES[judge]}, against a resample", entry.mean(loss), resample.mean(loss))
        yield line(
            f"{said}: people found, lower end (%), against a guess",
            lowest_found(entry, judge),
            entry.mean(f"{judge}guess"),
        )
        control = entry.mean(f"{judge}nearness_control")
        yield line(
            f"{said}: membership by nearness, against its control",
            entry.mean(f"{judge}nearness"),
            control + ABOVE_CONTROL,
        )
        yield line(
            f"{said}: membership by tracing, against a resample",
            entry.mean(f"{judge}tracing"),
            resample.mean(f"{judge}tracing"),
        )
        better = [one.name for one in entries if one.name != entry.name and one.beats(entry, judge)]
        yield line(f"{said}: files that are better in both", len(better), 0)
    yield line(": learned above its floor (points)", entry.mean("learned"), ABOVE_FLOOR)
    limit = entry.mean("values_outside") + ABOVE_OUTSIDERS
    yield line(": numbers of one person that stand there, against others (%)", entry.mean("values"), limit)
    yield from _seconds(file, entry, barred=barred)


def told_lines(file: str, entry: Entry) -> Iterator[Line]:
    """All that was found of a file that the defaults are compared with."""
    here = f"{FILES.get(file, file)}, {entry.name}"
    for judge, said in JUDGES.items():
        yield Line.of(f"{here}{said}: people found (%)", ours=entry.mean(f"{judge}found"))
        for part in ("nearness", "tracing"):
            yield Line.of(f"{here}{said}: membership by {part}", ours=entry.mean(judge + part))
            control = entry.mean(f"{judge}{part}_control")
            yield Line.of(f"{here}{said}: membership by {part}, control", ours=control)
    yield Line.of(f"{here}: learned (points)", ours=entry.mean("learned"))
    yield Line.of(f"{here}: numbers of one person (%)", ours=entry.mean("values"))
    yield Line.of(f"{here}: numbers of one person outside (%)", ours=entry.mean("values_outside"))


def plain_lines(file: str, entry: Entry) -> Iterator[Line]:
    """Where a file stands."""
    here = f"{FILES.get(file, file)}, {entry.name}"
    for judge, said in JUDGES.items():
        yield Line.of(f"{here}{said}: {LOSSES[judge]}", ours=entry.mean(f"{judge}loss"))
        yield Line.of(f"{here}{said}: largest risk (points)", ours=entry.risk(judge))
    for score in SEEDS_SCORES:
        yield Line.of(f"{here}: {score}", ours=entry.mean(score))
    yield Line.of(f"{here}: processor seconds", ours=entry.mean("seconds"))


def lowest_found(entry: Entry, judge: str) -> float:
    """The lower end of the interval of people found: of the verdict the mean over cuts, of the other of all cuts together."""
    if judge != OWN:
        return entry.mean("found_low")
    people = sum(cut[f"{OWN}sought"] for cut in entry.cuts)
    return 100 * wilson_low(entry.mean(f"{OWN}found") / 100, people)


def wilson_low(share: float, n: float) -> float:
    """The lower end of Wilson's interval (1927) of a share of n.

    >>> round(wilson_low(0.5, 100), 3), wilson_low(0.0, 100)
    (0.404, 0.0)
    """
    z = Z_95**2 / n
    middle, margin = share + z / 2, np.sqrt(z * share * (1 - share) + z**2 / 4)
    return max(float((middle - margin) / (1 + z)), 0.0)


def _seconds(file: str, entry: Entry, *, barred: bool) -> Iterator[Line]:
    if file in SECONDS:
        bar = Bar(comparison="<=", limit=SECONDS[file]) if barred else ""
        what = f"{FILES[file]}, {entry.name}: processor seconds, against what they may be"
        yield Line.of(what, ours=entry.mean("seconds"), bar=bar)
