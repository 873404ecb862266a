"""Tables 4.3–4.5 on the scale they were printed in, as far as it can be recovered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from sfumato import datasets
from sfumato.data import Table
from sfumato.jobs import Line
from sfumato.masking import Pram
from sfumato.measures import Bound, Ctbil, Dbil, DisclosureRisk, Ebil, Measure
from sfumato.reproductions._curves import Curves, course_of
from sfumato.search.contracts import Costs
from sfumato.search.effort import Effort
from sfumato.search.fitness import Fitness
from sfumato.search.loop import run
from sfumato.search.optimizers.matrix_evolution import MatrixEvolution
from sfumato.search.problems.pram_matrices import Matrices, PramMatrices
from sfumato.search.run_record import Run
from sfumato.search.stop import Stop

Published = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Loss, risk and score at the start and at the end."""
P = 0.5
FRESH = -1  # the round of the files that judge: none that a search has seen


class PrintedLoss(Measure):
    """IL = (DBIL + ACTBIL + Σ_attributes EBIL) / 3: DBIL the mean in percent, ACTBIL the records that differ in a cell.

    Every term is in the text: ACTBIL (eq. 2.11) is what it says it used, with tables of up to two attributes, and the
    entropies of eq. 2.13 are added over attributes (§2.4.1), here each in percent. That they are put together so is
    inferred from the printed values; it is no percent, hangs on the number of records and attributes, and so is
    a yardstick of the reproduction alone.
    """

    name: ClassVar[str] = "printed_loss"
    sense: ClassVar[Literal["loss", "risk", "score"]] = "loss"
    scales = ("ordinal", "nominal")
    bounded = False
    joinable = False

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundPrintedLoss(self, original, names)


class BoundPrintedLoss(Bound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.dbil, self.ctbil, self.ebil = (
            one(attributes=names).bind(original) for one in (Dbil, Ctbil, Ebil)
        )

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        tables, entropies = self.ctbil.judge(masked)[1], self.ebil.judge(masked)[1]
        parts = {
            "dbil": self.dbil.judge(masked)[0],
            "actbil": tables["actbil"],
            "ebil": sum(entropies.values()),
        }
        return sum(parts.values()) / 3, parts


@dataclass(frozen=True)
class Scaled:
    """One evolution as it was printed: flips and swaps alone, judged by drawn files that stay the same."""

    file: str
    attributes: tuple[str, ...]
    generations: int
    fresh: int
    seed: int

    @property
    def table(self) -> Table:
        """The file; the classes of Flare are taken in their order, as the printed values need it."""
        table = datasets.load(self.file)
        changed = [table.schema[name].evolve(scale="ordinal") for name in self.attributes]
        return table.replace({}, changed) if self.file == "flare" else table

    def problem(self) -> PramMatrices:
        table = self.table
        start = Pram(p=P, attributes=self.attributes).matrices(table)
        risk = DisclosureRisk(attributes=self.attributes, linkage="both")
        fitness = Fitness((PrintedLoss(attributes=self.attributes),), (risk,), "mean")
        return PramMatrices(table, start, fitness, seed=self.seed)


@dataclass(frozen=True)
class ScaledCourse:
    """Loss and risk at the start and at the end, on fresh files, and the search between."""

    start: Costs
    end: Costs
    run: Run


def scaled_course(shared: object, job: Scaled) -> ScaledCourse:
    """A function by name, so that worker processes can call it."""
    problem = job.problem()
    effort = Effort(stop=Stop(generations=job.generations), seed=job.seed)
    label = f"{job.file}, {', '.join(job.attributes)}, as printed"
    found = run(problem, MatrixEvolution(refresh=0), effort, label=label)
    ends: list[Matrices] = [problem.start, found.population[-1].genome]
    start, end = (problem.sampled(one, FRESH, draws=job.fresh) for one in ends)
    return ScaledCourse(start, end, found)


def scaled_lines(place: str, course: ScaledCourse, published: Published) -> list[Line]:
    """Loss, risk and score beside what was printed: the start has to agree, the score of the end to come as low."""
    sides = {"start": (*course.start, _mean(course.start)), "end": (*course.end, _mean(course.end))}
    bars = {"start": ("within 2 % of published",) * 3, "end": ("", "", "<= published + 5 %")}
    lines = [
        Line.of(f"{place}, printed scale, {when}: {name}", ours=ours, published=theirs, bar=bar)
        for (when, values), printed in zip(sides.items(), published, strict=True)
        for name, ours, theirs, bar in zip(("IL", "DR", "score"), values, printed, bars[when], strict=True)
    ]
    ours, theirs = (100 * (1 - end[2] / start[2]) for start, end in (tuple(sides.values()), published))
    return [*lines, Line.of(f"{place}, printed scale: fall of the score, %", ours=ours, published=theirs)]


def single_lines(place: str, attribute: str, course: ScaledCourse) -> list[Line]:
    """One of the nine attributes alone: the figures print no numbers; the text says that loss, risk and score fall."""
    start, end = _mean(course.start), _mean(course.end)
    here = f"{place}, {attribute} alone, printed scale"
    return [
        *(
            Line.of(f"{here}, {when}: {name}", ours=value)
            for when, values in (("start", (*course.start, start)), ("end", (*course.end, end)))
            for name, value in zip(("IL", "DR", "score"), values, strict=True)
        ),
        Line.of(f"{here}: fall of the score, %", ours=100 * (1 - end / start), bar="> 0"),
    ]


def course_curves(title: str, courses: Mapping[str, ScaledCourse]) -> Curves:
    """Figures 4.4 to 4.9: loss, risk and score of the files that a search judges by, generation by generation."""
    return course_of(title, {what: one.run.course for what, one in courses.items()})


def _mean(costs: Costs) -> float:
    return sum(costs) / len(costs)
