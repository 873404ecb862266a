"""An evolved file: the release, the search it came from, and what it is worth by other yardsticks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar

from sfumato.core import Advice
from sfumato.jobs._contents import Board, Content, Picture, Record, Report
from sfumato.jobs._job import Listing
from sfumato.jobs._public_facts import Applied
from sfumato.jobs._released import Released
from sfumato.jobs._releasing import without_identifier_values
from sfumato.jobs._searching import Searched
from sfumato.jobs._verdict import Verdict
from sfumato.jobs.evaluate import Evaluation
from sfumato.masking import Masking
from sfumato.masking.calibrated_synthesis import CalibratedSynthesis
from sfumato.measures import title
from sfumato.search.contracts import Costs, Individual
from sfumato.search.fitness import Aim, Nearness
from sfumato.search.maskings.gates import GateReading
from sfumato.search.stop import Ending

EVOLVED = Advice(
    done="A search changed values, or exchanged them between records, until the file said little of single people and "
    "still much of all of them together.",
    effect="Any of these values may differ from what was collected, and no rule says how; means, shares and relations "
    "are as close as the table below shows.",
    remedy="Rely on results of many records, take differences smaller than those in the table as none, and read "
    "nothing from the values of a record.",
)
GAPS = ("gap of tables", "gap of products")
UNITS = (
    "Gaps are mean squares in units of chance: another sample has about 1. The score is the larger one over what is near "
    "enough."
)


class Evolved(Searched, Released):
    """The release, the run that found it, and the verdict on it and on the best file of the start.

    `costs` and `start_costs` are what the fitness says of these two. Where the search made a risk worse, those named in
    `worse`, the best file of the start is what is released. `preset` is how the search was set up, in a word, and
    `synthesis` what made the records, where these are those of nobody: then the costs are gaps, in units of chance.
    """

    drawn_by: ClassVar[str] = "population"
    reported_by: ClassVar[str] = "protection"

    chosen: Individual[Any] = field(repr=False)
    fitness: Aim
    evaluation: Evaluation = field(repr=False)
    costs: Costs
    start_costs: Costs
    verdict: Verdict | None = field(default=None, repr=False)
    start_verdict: Verdict | None = field(default=None, repr=False)
    gates: tuple[GateReading, ...]
    preset: str
    seconds: float
    worse: tuple[str, ...] = field(default=())
    synthesis: CalibratedSynthesis | None = None

    @property
    def loss(self) -> float:
        """Loss by the fitness, in percent; of a synthetic file the gap of tables, in units of chance."""
        return self.costs[0]

    @property
    def risk(self) -> float:
        """Risk by the fitness, in percent; of a synthetic file the gap of products, in units of chance."""
        return self.costs[1]

    @property
    def masked(self) -> tuple[str, ...]:
        """The columns that the search may have changed."""
        if self.synthesis is None:
            return self.original.schema.with_role("key")
        return tuple(name for name in self.synthesis.targets(self.original) if name in self.release)

    @property
    def gaps(self) -> tuple[tuple[str, float, float], ...]:
        """What the search lowered: the name of each cost, at the start and now."""
        names = ("information loss", "disclosure risk") if self.synthesis is None else GAPS
        return tuple(zip(names, self.start_costs, self.costs, strict=False))

    @property
    def score(self) -> float:
        return self.fitness.score(self.chosen.costs)

    @property
    def best_start(self) -> Individual[Any]:
        return min(self.run.start, key=lambda individual: self.fitness.score(individual.costs))

    @property
    def was_stopped(self) -> bool:
        return self.run.ended is Ending.BY_USER

    def applied(self) -> tuple[Applied, ...]:
        return evolved_columns(self)

    @property
    def maskings(self) -> tuple[Masking, ...]:
        return () if self.synthesis is None else (self.synthesis,)

    def contents(self) -> Mapping[str, Content]:
        return release_contents(self)

    def told(self) -> Iterator[str | Listing]:
        yield from self.search_told()
        for gate in self.gates:
            yield f"  required {gate.gate}: it is {gate.reading:g}"
        yield from self.verdict_told()
        yield from self.evaluation.rules_told()
        yield from self.prices_told()
        yield from self.files_told(f"Wrote {self.release.n} records and {len(self.release.names)} columns.")

    def search_told(self) -> Iterator[str | Listing]:
        run = self.run
        resumed = f", {run.resumed} of them from the run folder" if run.resumed else ""
        yield (
            f"Evolved {len(run.start)} files for {self.generations} generations{resumed} "
            f"({run.evaluations} {self.steps_word}, {run.seconds:.1f} s)."
        )
        if self.was_stopped:
            yield "Stopped by the user; the best so far was written."
        else:
            yield f"It ended since {self.reason}."
        best = self.fitness.score(self.best_start.costs)
        costs = [("score", best, self.score), *self.gaps]
        yield from self._gaps_told(costs) if self.synthesis is not None else self._costs_told(costs)

    @property
    def steps_word(self) -> str:
        """What the search counts as its steps."""
        return "evaluations" if self.synthesis is None else "swaps tried"

    def _costs_told(self, costs: Sequence[tuple[str, float, float]]) -> Iterator[str]:
        yield "                    start    now"
        for name, before, now in costs:
            yield f"  {name:<16} {before:>6.2f} {now:>6.2f}{'' if name == 'score' else ' %'}"

    def _gaps_told(self, costs: Sequence[tuple[str, float, float]]) -> Iterator[str]:
        yield "                       start       now"
        for name, before, now in costs:
            yield f"  {name:<16} {before:>9.2f} {now:>9.3f}"
        yield UNITS

    @property
    def reason(self) -> str:
        """Why the search ended, in the words that follow "since"."""
        if not isinstance(self.fitness, Nearness) or self.run.ended is not Ending.NOTHING_LEFT:
            return self.run.reason
        near = sum(self.fitness.score(one.costs) <= 1 for one in self.run.population)
        return "all files are near enough" if near == len(self.run.population) else "all swaps were tried"

    def verdict_told(self) -> Iterator[str | Listing]:
        if self.worse:
            yield self.reversion
        if self.verdict is not None:
            yield from self.verdict.report(None if self.worse else self.start_verdict)

    @property
    def reversion(self) -> str:
        """Why the best file of the start is released, if it is."""
        if not self.worse:
            return ""
        named = ", ".join(title(name).lower() for name in self.worse)
        return f"The search made it easier to attack ({named}): the best file of the start is released."

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.heading(),
            "publication": self.readiness(),
            **self.prices_record(),
            "treatments": self.treated.to_dict(),
            "original": {"fingerprint": self.original.fingerprint, "records": self.original.n},
            "release": {"fingerprint": self.release.fingerprint, "records": self.release.n},
            "schema": without_identifier_values(self.original.schema).to_toml(),
            "gates": [gate.to_dict() for gate in self.gates],
            "evaluation": self.evaluation.to_dict(),
            **self.search_record(),
        }

    def search_record(self) -> dict[str, Any]:
        """The search alone: how it was set up, how it went, what it found and what others say of that."""
        return {
            "preset": self.preset,
            "fitness": self.fitness.spec(),
            **({} if self.synthesis is None else {"synthesis": self.synthesis.spec()}),
            "optimizer": self.run.optimizer,
            "chosen": {
                "origin": str(self.chosen.origin),
                "costs": list(self.chosen.costs),
                "score": self.score,
            },
            "costs": {"now": list(self.costs), "start": list(self.start_costs)},
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "start_verdict": None if self.start_verdict is None else self.start_verdict.to_dict(),
            "worse": list(self.worse),
            "generations": self.generations,
            "run": {**self.run.to_dict(), "history": self.steps()},
            "seconds": self.seconds,
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "when": when,
                "origin": str(one.origin),
                **dict(zip(self.run.objectives, one.costs, strict=True)),
            }
            for when, people in (("start", self.run.start), ("end", self.run.population))
            for one in people
        ]


def release_contents(outcome: Released) -> dict[str, Content]:
    """What a release to a file consists of: the protected file and everything that explains it."""
    file = getattr(outcome.job, "file", None)
    return {
        **outcome.file_contents(),
        "report": Report(outcome),
        "board": Board(outcome),
        "record": Record(outcome, source=file.name if file is not None else ""),
        "map": Picture(outcome),
    }


def evolved_columns(outcome: Released) -> tuple[Applied, ...]:
    """What an evolution did: it may change every key that is released, and a synthesis every column."""
    if isinstance(outcome, Evolved) and outcome.synthesis is not None:
        return (Applied(outcome.synthesis.advice, outcome.masked),)
    keys = outcome.original.schema.with_role("key")
    return (Applied(EVOLVED, tuple(name for name in keys if name in outcome.release)),)
