"""What a protection came to: the release, the candidates it was chosen from, and why."""

from dataclasses import field
from typing import Any, ClassVar

from sfumato.core import Result
from sfumato.data import Table
from sfumato.search.maskings.candidates import Candidate, beaten
from sfumato.search.maskings.gates import GateReading
from sfumato.studies.evaluate import Evaluation
from sfumato.studies.evolved import Evolved
from sfumato.studies.released import without_identifier_values
from sfumato.version import __version__


class Protection(Result):
    """The release, the candidates it was chosen from, and why.

    `evolution` is what evolving the best candidates came to, if that was asked for; its file is the release
    where it has a better score than the best candidate. `grouped` are the k for which groups of attributes
    were searched. Where the masking was given, there is one candidate, and nothing was `searched`.
    """

    drawn_by: ClassVar[str] = "risk_utility"

    original: Table = field(repr=False)
    release: Table = field(repr=False)
    candidates: tuple[Candidate, ...] = field(repr=False)
    chosen: Candidate
    evaluation: Evaluation = field(repr=False)
    gates: tuple[GateReading, ...]
    methods: tuple[str, ...]
    score: str
    seed: int
    seconds: float
    evolution: Evolved | None = field(default=None, repr=False)
    grouped: tuple[int, ...] = ()
    searched: bool = True

    @property
    def loss(self) -> float:
        """Information loss of the release, in percent."""
        return self.evaluation.loss if self.is_evolved else self.chosen.loss

    @property
    def risk(self) -> float:
        """Disclosure risk of the release, in percent."""
        return self.evaluation.risk if self.is_evolved else self.chosen.risk

    @property
    def is_evolved(self) -> bool:
        """Whether the evolved file is the one that is released."""
        return self.evolution is not None and self.release is self.evolution.release

    @property
    def front(self) -> tuple[Candidate, ...]:
        """The candidates that no other one beats, by growing loss."""
        unbeaten = [c for c in self.candidates if not beaten(c, self.candidates)]
        return tuple(sorted(unbeaten, key=lambda c: (c.loss, c.risk)))

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable record: all that is needed to repeat and to audit the choice."""
        return {
            "sfumato": __version__,
            "seed": self.seed,
            "methods": list(self.methods),
            "grouped": list(self.grouped),
            "searched": self.searched,
            "score": self.score,
            "original": {"fingerprint": self.original.fingerprint, "records": self.original.n},
            "release": {"fingerprint": self.release.fingerprint, "records": self.release.n},
            "schema": without_identifier_values(self.original.schema).to_toml(),
            "gates": [gate.to_dict() for gate in self.gates],
            "chosen": self.chosen.to_dict(),
            "evaluation": self.evaluation.to_dict(),
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "seconds": self.seconds,
            **self._evolution_record(),
        }

    def _evolution_record(self) -> dict[str, Any]:
        if self.evolution is None:
            return {}
        return {"evolution": {"released": self.is_evolved, **self.evolution.search_record()}}

    def _rows(self) -> list[dict[str, Any]]:
        front = set(map(id, self.front))
        return [
            {
                "masking": str(c.masking),
                "loss": c.loss,
                "risk": c.risk,
                "score": c.score(self.score),
                "front": id(c) in front,
                "chosen": c is self.chosen,
            }
            for c in self.candidates
        ]


Release = Protection | Evolved


def evolution_of(release: Release) -> Evolved | None:
    """The evolution that a release came from; none if it is a candidate of the portfolio."""
    if isinstance(release, Evolved):
        return release
    return release.evolution if release.is_evolved else None
