"""Candidates: ways to mask a table, each judged by its information loss and disclosure risk."""

import time
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sfumato.core import DataError, Result, Seed, another, progress
from sfumato.data import Table
from sfumato.data.held_out import HeldOut, held_out
from sfumato.masking import Masking, masked_with
from sfumato.measures import Bound, Measure, Score
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.maskings.short_names import in_short
from sfumato.search.trade_off import TradeOff

if TYPE_CHECKING:
    from sfumato.search.maskings.gates import Gate


class Candidate(Result):
    """One way to mask a table and how it was judged."""

    masking: Masking
    scores: dict[str, Score]
    seconds: float

    @property
    def loss(self) -> float:
        return self.scores["information_loss"].value

    @property
    def risk(self) -> float:
        return self.scores["disclosure_risk"].value

    def score(self, how: str = "max") -> float:
        return TradeOff(how).of((self.loss, self.risk))

    def fails(self, gates: Iterable["Gate"]) -> bool:
        """Whether it is known not to meet one of the gates; what it was never asked is not known."""
        return any(gate.label in self.scores and not gate.holds(self.scores) for gate in gates)

    def point(self, part: str, gates: Iterable["Gate"] = ()) -> dict[str, Any]:
        """As a point of the risk-utility map, with what is known of the gates; `part` says of which keys."""
        return {
            "label": in_short(self.masking),
            "part": part,
            "loss": self.loss,
            "risk": self.risk,
            "score": self.score(),
            "spec": self.masking.spec(),
            "gates": [gate.read(self.scores).told() for gate in gates if gate.label in self.scores],
        }

    def to_dict(self) -> dict[str, Any]:
        scores = {name: {"value": s.value, "parts": dict(s.parts)} for name, s in self.scores.items()}
        return {"masking": self.masking.spec(), "scores": scores, "seconds": self.seconds}


class Judge:
    """The original, and the measures that judge maskings of it. Cheap to send; binds when first used."""

    def __init__(self, original: Table, *, seed: Seed, measures: Sequence[Measure] = ()) -> None:
        self.original, self.seed = original, seed
        wanted = [InformationLoss(), DisclosureRisk(), *measures]
        self.measures = {measure.plain(): measure for measure in wanted}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("bounds", "people")}

    def _is_rehearsed(self, name: str) -> bool:
        return self.measures[name].outside != "unused"

    @cached_property
    def people(self) -> HeldOut:
        """The people of a rehearsal: those inside, and others whom the masking never sees."""
        return held_out(self.original, self.seed)

    @cached_property
    def bounds(self) -> dict[str, Bound]:
        return {
            name: measure.bind(*self.people) if self._is_rehearsed(name) else measure.bind(self.original)
            for name, measure in self.measures.items()
        }

    def judge(self, masking: Masking) -> Candidate:
        start = time.perf_counter()
        with (
            progress.without_notes()
        ):  # what is worth saying of the one that is chosen is said when it is applied
            masked = masked_with(masking, self.original, seed=self.seed)
            rehearsed = masked
            if any(map(self._is_rehearsed, self.measures)):
                again = another(self.seed, "rehearsal", 0)
                rehearsed = masked_with(masking, self.people.inside, seed=again)
        scores = {
            name: bound.score(rehearsed if self._is_rehearsed(name) else masked)
            for name, bound in self.bounds.items()
        }
        return Candidate(masking=masking, scores=scores, seconds=time.perf_counter() - start)


def judged(
    table: Table,
    masking: Masking,
    *,
    seed: Seed,
    measures: Sequence[Measure] = (),
    gates: Sequence["Gate"] = (),
) -> Candidate:
    """One masking as a candidate; where it cannot be applied, the error says why."""
    check_keys(table)
    with progress.task("Trying the masking", 1) as work:
        found = Judge(table, seed=seed, measures=measures).judge(masking)
        progress.found("candidate", found.point("all", gates))
        work.advance()
    return found


def check_keys(table: Table) -> None:
    """Refuse a table of which nobody says what an intruder may know."""
    if not table.schema.with_role("key"):
        raise DataError("No attribute has the role key: say in the schema what an intruder may know.")


def best_spread(candidates: Sequence[Candidate], kept: int) -> list[Candidate]:
    """The candidates worth combining: first those no other one beats, then the best balanced."""
    ranked = sorted(candidates, key=lambda c: (beaten(c, candidates), c.score("max"), c.score("mean")))
    return ranked[:kept]


def beaten(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether another candidate is at least as good in loss and in risk, and better in one."""
    return any(
        other.loss <= candidate.loss
        and other.risk <= candidate.risk
        and (other.loss < candidate.loss or other.risk < candidate.risk)
        for other in others
    )
