"""Choosing among candidates: of those that meet what is required, the one by which analysts lose least."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from sfumato.attacks import wilson
from sfumato.core import Result, progress
from sfumato.jobs._bench import Bench
from sfumato.jobs._finalists import finalists
from sfumato.jobs._policy import Terms, stand_in
from sfumato.jobs._verdict import Verdict
from sfumato.jobs._words import percent
from sfumato.measures import Estimate, Score
from sfumato.search.maskings.candidates import Candidate
from sfumato.search.maskings.gates import Gate, GateReading
from sfumato.search.maskings.short_names import without_columns

ALTERNATIVES = 2  # that are looked for, among them the best one that changes no value
MOST_ASKED = 3  # candidates that are asked for alternatives, of each kind
MOST_FAILED = 24  # candidates that fail before others of less risk are asked


class Finalist(Result):
    """A candidate with what analysts lose by it, and what it reads of each requirement that it was asked."""

    candidate: Candidate
    loss: float
    gates: tuple[GateReading, ...]

    @property
    def meets(self) -> bool:
        return all(one.holds for one in self.gates)

    @property
    def name(self) -> str:
        return without_columns(self.candidate.masking)

    @property
    def in_words(self) -> str:
        """What it is, loses and gives away, in a line."""
        read = ", ".join(f"{one.gate.subject} {one.reading:.3g}" for one in self.gates)
        return f"{self.name}: analyses lose {percent(self.loss)}; {read}"

    def told(self) -> dict[str, Any]:
        """For whoever watches the work."""
        known = {} if np.isnan(self.loss) else {"analyst_loss": self.loss}
        return {
            "spec": self.candidate.masking.spec(),
            "gates": [one.told() for one in self.gates],
            **known,
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "masking": self.candidate.masking.spec(),
            "analyst_loss": self.loss,
            "gates": [one.to_dict() for one in self.gates],
        }


@dataclass(frozen=True)
class Choice:
    """What was chosen, the verdict on it, and what else would have met the requirements.

    Where the least loss decided, it is told, with how many candidates were `eligible` by what is read of all, and how
    many were `asked` the rest until one met it.
    """

    candidate: Candidate
    gates: tuple[GateReading, ...] = ()
    verdict: Verdict | None = None
    alternatives: tuple[Finalist, ...] = ()
    loss: float = float("nan")
    eligible: int = 0
    asked: int = 0


class Contest:
    """Candidates in the order of what analysts lose by them, asked what is required until it is known who meets it.

    A candidate that fails what is read quickly is never asked further. The others come in the order of the least
    that they can lose; the loss itself is computed when a candidate comes first, so that the order is that of the losses
    and most of them are never needed.
    """

    def __init__(self, candidates: Sequence[Candidate], terms: Terms, bench: Bench) -> None:
        self.candidates, self.terms, self.bench = candidates, terms, bench

    @cached_property
    def eligible(self) -> list[Candidate]:
        """Those that meet what is read of every candidate, and are not seen to fail the rest."""
        return [one for one in self.candidates if self._is_eligible(one)]

    def _is_eligible(self, candidate: Candidate) -> bool:
        if not self._meets_quick(candidate):
            return False
        failing = [reading.told() for reading in self.seen_to_fail(candidate)]
        if failing:
            progress.found("finalist", {"spec": candidate.masking.spec(), "gates": failing})
        return not failing and self._is_accepted(candidate)

    def _is_accepted(self, candidate: Candidate) -> bool:
        """Whether the policy accepts the codes of its release, where it asks for those of the original."""
        if self.terms.policy.rules.codes == "any":
            return True
        schema = self.bench.release(candidate.masking)[1].schema
        return all(one.categories == self.bench.table.schema[one.name].categories for one in schema)

    def _meets_quick(self, candidate: Candidate) -> bool:
        return all(gate.holds(candidate.scores) for gate in self.terms.quick)

    def seen_to_fail(self, candidate: Candidate) -> Iterator[GateReading]:
        """What takes long to read but is surely not met: one attacker by himself, surely, finds more than is allowed."""
        for gate in self.terms.dear:
            quick = stand_in(gate)
            if quick is None or not candidate.masking.of_people:
                continue
            found = candidate.scores[quick.plain()].value
            n = self.bench.table.n
            if not gate.allows(wilson(found * n / 100, n).low):
                yield GateReading(gate=gate, reading=found, holds=False)

    def by_loss(self, candidates: Iterable[Candidate]) -> Iterator[tuple[float, Candidate]]:
        """Candidates with their losses, the least first; of equal ones those of less risk, as the literature has it."""
        heap: list[tuple[float, bool, float, int, Candidate]] = []
        listed = list(candidates)
        with progress.task("What analysts lose", len(listed)) as bar:
            for place, one in enumerate(listed):
                if self.bench.can_judge(one.masking):
                    low = self.bench.loss_at_least(one.masking)
                    heapq.heappush(heap, (low, False, one.risk, place, one))
                bar.advance()
        while heap:
            loss, is_known, risk, place, one = heapq.heappop(heap)
            if is_known:
                yield loss, one
            else:
                heapq.heappush(heap, (self.bench.loss(one.masking), True, risk, place, one))

    def asked(self, loss: float, candidate: Candidate, *, surely: bool = True) -> Finalist:
        """A candidate with all that is required of it; after the first that it does not meet, no more is asked.

        `surely` what one rehearsal leaves open is asked of more; of those that are only named beside the chosen it is not.
        """
        found = [gate.read(candidate.scores) for gate in self.terms.quick]
        for gate in self.terms.dear:
            reading = self._reading(gate, candidate, surely=surely)
            found.append(reading)
            if not reading.holds:
                break
        return Finalist(candidate=candidate, loss=loss, gates=tuple(found))

    def _reading(self, gate: Gate, candidate: Candidate, *, surely: bool) -> GateReading:
        masking = candidate.masking
        if not masking.of_people and gate.asks_whom:
            return GateReading(gate=gate, reading=0.0, holds=True)  # there is nobody to be found
        score: Score | None = self.bench.score(gate.measure, masking)
        if score is None:
            return GateReading(gate=gate, reading=float("nan"), holds=False)
        found = gate.read({gate.label: score})
        if not (surely and gate.with_people_outside and _is_open(gate, score)):
            return found
        surer = self.bench.surer(
            gate.measure, masking
        )  # chance alone should neither condemn nor clear a file
        return found if surer is None else gate.read({gate.label: surer})

    def choice(self) -> Choice | list[Finalist]:
        """The one that meets everything and loses least, with others that meet it too; or, if there is none, all asked."""
        asked: list[Finalist] = []
        for finalist in self.in_turn():
            asked.append(finalist)
            progress.found("finalist", finalist.told())
            if finalist.meets:
                return Choice(
                    finalist.candidate,
                    finalist.gates,
                    alternatives=self._alternatives(asked),
                    loss=finalist.loss,
                    eligible=len(self.eligible),
                    asked=len(asked),
                )
        return asked

    def in_turn(self) -> Iterator[Finalist]:
        """By growing loss; after many that fail, those of the least risk, so that it does not go on for ever."""
        eligible = list(self.eligible)
        failed = 0
        for loss, candidate in self.by_loss(eligible):
            finalist = self.asked(loss, candidate)
            yield finalist
            eligible.remove(candidate)
            failed += not finalist.meets
            if failed == MOST_FAILED:
                break
        if eligible and failed == MOST_FAILED:
            progress.note(
                f"{failed} candidates that lose less do not meet what is required; now those of the least risk are asked."
            )
            for candidate in sorted(eligible, key=lambda one: one.risk)[:MOST_FAILED]:
                yield self.asked(self.bench.loss(candidate.masking), candidate)

    def by_balance(self, score: str) -> Iterator[Finalist]:
        """Those that meet what is read quickly, the best balanced first, asked the rest."""
        for candidate in finalists(self.candidates, self.terms.quick, score):
            yield self.asked(float("nan"), candidate)

    def _alternatives(self, asked: Sequence[Finalist]) -> tuple[Finalist, ...]:
        """Others that meet everything: the best that changes no value, and the next ones whatever they do."""
        chosen, done = asked[-1], {id(one.candidate) for one in asked}
        others = [one for one in self.eligible if id(one) not in done]
        coarsened = [one for one in others if one.masking.only_coarsens]
        found = [] if chosen.candidate.masking.only_coarsens else self._first_of(coarsened, 1)
        done |= {id(one.candidate) for one in found}
        rest = [one for one in others if id(one) not in done]
        found += self._first_of(rest, ALTERNATIVES - len(found))
        return tuple(sorted(found, key=lambda one: one.loss))

    def _first_of(self, candidates: Sequence[Candidate], wanted: int) -> list[Finalist]:
        """The first few that meet everything; the least that they can lose says which are asked, and the loss itself is told."""
        able = [one for one in candidates if self.bench.can_judge(one.masking)]
        ranked = sorted(able, key=lambda one: (self.bench.loss_at_least(one.masking), one.risk))
        asked = (self.asked(self.bench.loss(one.masking), one, surely=False) for one in ranked[:MOST_ASKED])
        return list(islice((one for one in asked if one.meets), wanted))


def _is_open(gate: Gate, score: Score) -> bool:
    """Whether the gate would hold at one end of the interval of an estimate and not at the other."""
    if gate.part or not isinstance(score, Estimate):
        return False
    return gate.allows(score.low) != gate.allows(score.high)
