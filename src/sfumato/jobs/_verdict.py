"""The verdict: what a release is worth to analysts and to intruders, by people and models that no search ever used."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from sfumato.core import GateError, Result, Seed, SfumatoError, progress, registry
from sfumato.data import Table
from sfumato.data.declarations import known_columns
from sfumato.jobs._job import Listing
from sfumato.jobs._judging import Judging
from sfumato.jobs._rehearsal import Rehearsal
from sfumato.jobs._rehearsal import rehearsals as rehearsed
from sfumato.jobs._words import percent
from sfumato.masking import Masking, masked_with, traced_with
from sfumato.measures import HEADLINE_LOSS as LOSS
from sfumato.measures import HEADLINE_RISKS as RISKS
from sfumato.measures import Bound, Estimate, Measure, Score, headline, title
from sfumato.search.maskings.gates import Gate

UNKNOWN = (
    "What can be learned of single people, and who was in the survey, is not known without people outside: rehearse the "
    "job, or name a file of such people."
)
Binding = Callable[[Measure, Table, Table | None], Bound]
"""How a measure learns an original and people outside."""
Scoring = Callable[[Measure], Score | None]
"""What a measure says of a release; nothing where it needs people outside and there are none."""
NOT_JUDGED = ("identifier", "household")  # roles of columns that lead to people by themselves, or to nobody


class Verdict(Result):
    """The headline of every result: one loss and a few risks, each with what it is compared with.

    `known` are the columns the intruder knows. What needs people outside was judged on `rehearsals` releases of
    four fifths of the records, or with people that were given; `outside` says how many. `belongs` is false where no
    released record is of one person: then there is nobody to be found. `left_out` says what could not be judged.
    """

    drawn_by: ClassVar[str] = "verdict"

    scores: dict[str, Score]
    known: tuple[str, ...]
    records: int
    outside: int = 0
    rehearsals: int = 0
    belongs: bool = True
    left_out: tuple[str, ...] = field(default=())

    @property
    def loss(self) -> Score | None:
        return self.scores.get(LOSS)

    @property
    def risks(self) -> dict[str, Score]:
        """The risks that count: where records belong to nobody, finding people is none of them."""
        asked = RISKS if self.belongs else RISKS[1:]
        return {name: self.scores[name] for name in asked if name in self.scores}

    def sentences(self) -> Iterator[str]:
        """What it comes to, in words for a board."""
        if not self.belongs:
            yield (
                "No released record is that of a person, so that there is nobody to be found in it; what counts is what "
                "it lets one infer, and whether it shows who was in the survey."
            )
        for name in (*self.risks, *([LOSS] if self.loss else [])):
            yield headline(name, self.scores[name], known=self.known)

    def told(self) -> Iterator[str | Listing]:
        """The sentences, and how they were come by."""
        yield from self.sentences()
        if self.rehearsals:
            times = "once more" if self.rehearsals == 1 else f"{self.rehearsals} times more"
            yield (
                f"To have people outside, the job was done {times} on four fifths of the records, with another key: the "
                "verdict is that of the procedure, the release is made of all."
            )
        yield from self.left_out

    def worse_than(self, other: "Verdict") -> tuple[str, ...]:
        """The risks that are higher than another's by more than both intervals allow."""
        return tuple(
            name
            for name, score in self.risks.items()
            if name in other.risks and _above(score, other.risks[name])
        )

    def _rows(self) -> list[dict[str, Any]]:
        return [{"measure": name, **row} for name, score in self.scores.items() for row in score._rows()]

    def report(self, start: "Verdict | None" = None) -> Iterator[str | Listing]:
        """The numbers, then the sentences."""
        yield ""
        yield self.listing(start)
        yield from self.told()

    def listing(self, start: "Verdict | None" = None) -> Listing:
        """The numbers; beside those of another verdict, if there is one."""
        headings = ("", "Measure", *((">Start",) if start is not None else ()), ">Value", "")
        rows = []
        for name, score in self.scores.items():
            before = [percent(start.scores[name].value)] if start is not None and name in start.scores else []
            before = before or ([""] if start is not None else [])
            rows.append((sense_of(name), title(name), *before, percent(score.value), _interval(score)))
        return Listing("The verdict (lower is better)", headings, rows)


@dataclass(frozen=True)
class People:
    """Releases that some people never were in, so that there are others to compare those inside with."""

    releases: tuple[Rehearsal, ...] = ()
    is_rehearsed: bool = False

    @property
    def outside(self) -> int:
        return sum(one.outside.n for one in self.releases)

    def within(self, columns: Sequence[str]) -> "People":
        """The same, of some columns."""
        if all(one.inside.names == tuple(columns) for one in self.releases):
            return self
        few = (Rehearsal(*(table.select(columns) for table in one)) for one in self.releases)
        return replace(self, releases=tuple(few))

    def score(self, measure: Measure, bind: Binding = Measure.bind) -> Score:
        """What a measure says of them, on average."""
        bounds = [bind(measure, one.inside, one.outside) for one in self.releases]
        return bounds[0].pooled(
            [bound.score(one.released) for bound, one in zip(bounds, self.releases, strict=True)]
        )


def verdict(
    original: Table,
    released: Table,
    *,
    people: People | None = None,
    belongs: bool = True,
    score: Scoring | None = None,
) -> Verdict:
    """Judge a release, record by record beside its original, and releases of the same job that some were not in.

    People found are those of the release itself. All else is judged where there are people outside. Without any, only
    what an analyst loses in tables, subgroups and regressions is. `score` may know what measures say
    already.
    """
    people = people or People()
    found: dict[str, Score] = {}
    left_out: list[str] = []
    columns = _judged_columns(original, released)
    before, after = original.select(columns), released.select(columns)
    some = people.within(columns)
    score = score or (lambda measure: score_of(measure, before, after, some))
    names = [name for name in (LOSS, *RISKS) if belongs or name != RISKS[0]]
    with progress.task("Judging by what no search used", len(names)) as bar:
        for name in names:
            measure: Measure = registry.make("measures", name)
            try:
                told = score(measure)
                found |= {} if told is None else {name: told}
            except SfumatoError as error:
                left_out.append(f"{title(name)} was not judged: {error}")
            bar.advance()
    if not people.releases:
        left_out.append(UNKNOWN)
    return Verdict(
        scores=found,
        known=tuple(name for name in known_columns(original.schema) if name in released),
        records=original.n,
        outside=people.outside,
        rehearsals=len(people.releases) if people.is_rehearsed else 0,
        belongs=belongs,
        left_out=tuple(left_out),
    )


def score_of(
    measure: Measure, original: Table, released: Table, people: People, bind: Binding = Measure.bind
) -> Score | None:
    """What a measure says: of releases with people outside where it asks for these, else of the release itself."""
    if measure.outside != "unused" and people.releases:
        return people.score(measure, bind)
    return None if measure.outside == "needed" else bind(measure, original, None).score(released)


def verdict_of(
    job: Judging, masking: Masking, original: Table, aligned: Table, *, seed: Seed
) -> Verdict | None:
    """The verdict on what the masking of a job made of a table, if the job asks for one."""
    if not job.with_verdict:
        return None
    return verdict_on(masking, original, aligned, seed=seed, rehearsals=job.rehearsals)


def verdict_on(masking: Masking, original: Table, aligned: Table, *, seed: Seed, rehearsals: int) -> Verdict:
    """The verdict on what a masking made of a table; it is rehearsed on parts of it.

    A masking that leaves records out is judged by those that stayed, and so is its rehearsal.
    """

    def make(inside: Table, again: Seed) -> Table:
        return masked_with(masking, inside, seed=again)

    made = tuple(rehearsed(original, make, seed=seed, count=rehearsals))
    people = People(made, is_rehearsed=True)
    kept = original if masking.keeps_records else original.take(traced_with(masking, original, seed=seed)[1])
    return verdict(kept, aligned, people=people, belongs=masking.of_people)


def gate_scores(gates: Iterable[Gate], original: Table, released: Table, people: People) -> dict[str, Score]:
    """What gates read: of the release itself, or of those with people outside where these are asked for."""
    found: dict[str, Score] = {}
    for gate in gates:
        if not gate.with_people_outside:
            found[gate.label] = gate.measure.bind(original).score(released)
        elif people.releases:
            found[gate.label] = people.score(gate.measure)
        else:
            raise GateError(
                f"{gate} could not be judged, since nobody could be held out; nothing was written."
            )
    return found


def _judged_columns(original: Table, released: Table) -> tuple[str, ...]:
    return tuple(
        name for name in original.names if name in released and original.schema[name].role not in NOT_JUDGED
    )


def _above(one: Score, other: Score) -> bool:
    low = one.low if isinstance(one, Estimate) else one.value
    high = other.high if isinstance(other, Estimate) else other.value
    return one.value > high and low > other.value


def sense_of(name: str) -> str:
    return "loss" if name == LOSS else "risk"


def _interval(score: Score) -> str:
    return f"{percent(score.low)} to {percent(score.high)}" if isinstance(score, Estimate) else ""
