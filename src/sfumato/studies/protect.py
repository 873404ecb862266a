"""The main job: find the protection with the best balance of risk and loss that meets the user's gates."""

import time
from collections.abc import Sequence
from dataclasses import field
from typing import Any, ClassVar

from sfumato.core import DataError, GateError, Result
from sfumato.data import Schema, Table
from sfumato.search import Candidate, portfolio
from sfumato.search.candidates import masked_with
from sfumato.search.gates import Gate, GateReading
from sfumato.search.portfolio import beaten
from sfumato.studies.evaluate import Evaluation, evaluate
from sfumato.version import __version__


class Protection(Result):
    """The release, the candidates it was chosen from, and why."""

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
            "score": self.score,
            "original": {"fingerprint": self.original.fingerprint, "records": self.original.n},
            "release": {"fingerprint": self.release.fingerprint, "records": self.release.n},
            "schema": without_identifier_values(self.original.schema).to_toml(),
            "gates": [gate.to_dict() for gate in self.gates],
            "chosen": self.chosen.to_dict(),
            "evaluation": self.evaluation.to_dict(),
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "seconds": self.seconds,
        }

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


def protect(
    table: Table,
    *,
    seed: int = 0,
    methods: Sequence[str] = (),
    require: Sequence[str] = (),
    score: str = "max",
    keep: Sequence[str] = (),
    workers: int = 1,
) -> Protection:
    """Try a portfolio of maskings of the key attributes and choose the best balanced one that may go out.

    `score` is "max" (the larger of loss and risk decides, which favours balance) or "mean". `require` lists
    gates such as "k >= 5". Identifiers are dropped from the release unless named in `keep`.
    """
    if score not in ("max", "mean"):
        raise DataError(f"score must be one of max, mean. Got {score!r}.")
    if table.n == 0:
        raise DataError("The table holds no record: there is nothing to protect.")
    start = time.perf_counter()
    gates = [Gate.parse(text) for text in require]
    kept = released_names(table, keep)
    measures = [gate.make_measure() for gate in gates]
    candidates = portfolio(table, methods=methods, seed=seed, workers=workers, measures=measures)
    if not candidates:
        raise DataError("No method of the portfolio could be applied to this table; see the notes.")
    chosen = choose(candidates, gates, score)
    masked = masked_with(chosen.masking, table, seed=seed)
    return Protection(
        original=table,
        release=masked.select(kept),
        candidates=tuple(candidates),
        chosen=chosen,
        evaluation=evaluate(table, masked),
        gates=tuple(
            GateReading(gate=str(gate), reading=gate.reading(chosen.scores), holds=True) for gate in gates
        ),
        methods=tuple(methods),
        score=score,
        seed=seed,
        seconds=time.perf_counter() - start,
    )


def choose(candidates: Sequence[Candidate], gates: Sequence[Gate], score: str) -> Candidate:
    """The candidate with the best score among those that meet every gate; ties go to the earlier one."""
    allowed = [c for c in candidates if all(gate.holds(c.scores) for gate in gates)]
    if not allowed:
        raise GateError(_shortfall(candidates, gates))
    return min(allowed, key=lambda c: (c.score(score), c.score("mean")))


def released_names(table: Table, keep: Sequence[str]) -> tuple[str, ...]:
    """The columns that go out: all but the identifiers that were not asked for by name."""
    for name in keep:
        table.schema[name]
    return tuple(a.name for a in table.schema if a.role != "identifier" or a.name in keep)


def without_identifier_values(schema: Schema) -> Schema:
    """The schema without the domains of identifiers: such a domain is a list of people."""
    return schema.replace(
        schema[name].evolve(categories=(), covers={}, labels={}, hierarchy=None)
        for name in schema.with_role("identifier")
    )


def _shortfall(candidates: Sequence[Candidate], gates: Sequence[Gate]) -> str:
    for gate in gates:
        readings = [gate.reading(c.scores) for c in candidates]
        best = max(readings) if gate.wants_more else min(readings)
        if not any(gate.holds(c.scores) for c in candidates):
            return f"None of {len(candidates)} candidates meets {gate}: the best reaches {best:g}; nothing was written."
    return f"None of {len(candidates)} candidates meets all of {', '.join(map(str, gates))}; nothing was written."
