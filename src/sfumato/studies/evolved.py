"""An evolved file: the release, the search it came from, and what it is worth by other yardsticks."""

from dataclasses import field
from typing import Any, ClassVar

from sfumato.core import Result
from sfumato.data import Table
from sfumato.search.contracts import Individual
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.fitness import Yardstick
from sfumato.search.histories import thinned
from sfumato.search.maskings.gates import GateReading
from sfumato.search.run_record import Run
from sfumato.search.stop import Ending
from sfumato.studies.evaluate import Evaluation
from sfumato.studies.honesty import Honesty
from sfumato.studies.released import without_identifier_values
from sfumato.version import __version__


class Evolved(Result):
    """The release, the run that found it, and how it is judged by what was and was not in the fitness."""

    drawn_by: ClassVar[str] = "population"

    original: Table = field(repr=False)
    release: Table = field(repr=False)
    run: Run = field(repr=False)
    chosen: Individual[Genome] = field(repr=False)
    fitness: Yardstick
    evaluation: Evaluation = field(repr=False)
    honesty: Honesty = field(repr=False)
    gates: tuple[GateReading, ...]
    preset: str
    methods: tuple[str, ...]
    seed: int
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
        """Both in one number."""
        return self.fitness.score(self.chosen.costs)

    @property
    def generations(self) -> int:
        """How many generations were made: as many give the same file again."""
        return self.run.history[-1].generation

    @property
    def best_start(self) -> Individual[Genome]:
        """The best file of the start."""
        return min(self.run.start, key=lambda individual: self.fitness.score(individual.costs))

    @property
    def was_stopped(self) -> bool:
        """Whether the user ended the search."""
        return self.run.ended is Ending.BY_USER

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable record: all that is needed to repeat and to audit the search."""
        return {
            "sfumato": __version__,
            "original": {"fingerprint": self.original.fingerprint, "records": self.original.n},
            "release": {"fingerprint": self.release.fingerprint, "records": self.release.n},
            "schema": without_identifier_values(self.original.schema).to_toml(),
            "gates": [gate.to_dict() for gate in self.gates],
            "evaluation": self.evaluation.to_dict(),
            **self.search_record(),
        }

    def search_record(self) -> dict[str, Any]:
        """The search alone: how it was set up, how it went, what it found and what others say of that."""
        run = self.run.to_dict()
        return {
            "preset": self.preset,
            "methods": list(self.methods),
            "seed": self.seed,
            "fitness": self.fitness.spec(),
            "optimizer": self.run.optimizer,
            "chosen": {
                "origin": str(self.chosen.origin),
                "costs": list(self.chosen.costs),
                "score": self.score,
            },
            "honesty": self.honesty.to_dict(),
            "generations": self.generations,
            "run": {**run, "history": [step.to_dict() for step in thinned(self.run.history)]},
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
