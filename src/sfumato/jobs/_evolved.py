"""An evolved file: the release, the search it came from, and what it is worth by other yardsticks."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, ClassVar

from sfumato.core import Advice
from sfumato.jobs._contents import Content, Picture, Record, Report
from sfumato.jobs._honesty import Honesty
from sfumato.jobs._job import Listing
from sfumato.jobs._public_facts import Applied
from sfumato.jobs._released import Released
from sfumato.jobs._releasing import without_identifier_values
from sfumato.jobs._searching import Searched
from sfumato.jobs._words import percent
from sfumato.jobs.evaluate import Evaluation
from sfumato.measures import title
from sfumato.search.contracts import Individual
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.fitness import Yardstick
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


class Evolved(Searched, Released):
    """The release, the run that found it, and how it is judged by what was and was not in the fitness.

    `preset` is how the search was set up, in a word.
    """

    drawn_by: ClassVar[str] = "population"
    reported_by: ClassVar[str] = "protection"

    chosen: Individual[Genome] = field(repr=False)
    fitness: Yardstick
    evaluation: Evaluation = field(repr=False)
    honesty: Honesty = field(repr=False)
    gates: tuple[GateReading, ...]
    preset: str
    seconds: float

    @property
    def loss(self) -> float:
        """Loss by the fitness, in percent."""
        return self.honesty.loss

    @property
    def risk(self) -> float:
        """Risk by the fitness, in percent."""
        return self.honesty.risk

    @property
    def score(self) -> float:
        return self.fitness.score(self.chosen.costs)

    @property
    def best_start(self) -> Individual[Genome]:
        return min(self.run.start, key=lambda individual: self.fitness.score(individual.costs))

    @property
    def was_stopped(self) -> bool:
        return self.run.ended is Ending.BY_USER

    def applied(self) -> tuple[Applied, ...]:
        return evolved_columns(self)

    def contents(self) -> Mapping[str, Content]:
        return release_contents(self)

    def told(self) -> Iterator[str | Listing]:
        yield from self.search_told()
        for gate in self.gates:
            yield f"  required {gate.gate}: it is {gate.reading:g}"
        yield from self.honesty_told()
        yield from self.files_told(f"Wrote {self.release.n} records and {len(self.release.names)} columns.")

    def search_told(self) -> Iterator[str | Listing]:
        run, before = self.run, self.honesty
        resumed = f", {run.resumed} of them from the run folder" if run.resumed else ""
        yield (
            f"Evolved {len(run.start)} files for {self.generations} generations{resumed} "
            f"({run.evaluations} evaluations, {run.seconds:.1f} s)."
        )
        if self.was_stopped:
            yield "Stopped by the user; the best so far was written."
        else:
            yield f"It ended since {run.reason}."
        best = self.fitness.score(self.best_start.costs)
        yield "                    start    now"
        yield f"  score            {best:>6.2f} {self.score:>6.2f}"
        yield f"  information loss {before.start_loss:>6.2f} {self.loss:>6.2f} %"
        yield f"  disclosure risk  {before.start_risk:>6.2f} {self.risk:>6.2f} %"

    def honesty_told(self) -> Iterator[str | Listing]:
        found = self.honesty
        rows = [
            (one.sense, title(one.name), percent(one.start), percent(one.value), f"{one.gap:+.2f}")
            for one in found.measures
        ]
        yield ""
        heading = "Not in the fitness (percent; gap: points worse than the fitness says)"
        yield Listing(heading, ("", "Measure", ">Start", ">Now", ">Gap"), rows)
        if found.attacked < found.records:
            yield f"Attackers saw a sample of {found.attacked} of {found.records} records."
        yield from (*found.left_out, *(f"Warning: {warning}" for warning in found.warnings))

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.heading(),
            "publication": self.readiness(),
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
            "optimizer": self.run.optimizer,
            "chosen": {
                "origin": str(self.chosen.origin),
                "costs": list(self.chosen.costs),
                "score": self.score,
            },
            "honesty": self.honesty.to_dict(),
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
        "record": Record(outcome, source=file.name if file is not None else ""),
        "map": Picture(outcome),
    }


def evolved_columns(outcome: Released) -> tuple[Applied, ...]:
    """What an evolution did: it may change every key that is released."""
    keys = outcome.original.schema.with_role("key")
    return (Applied(EVOLVED, tuple(name for name in keys if name in outcome.release)),)
