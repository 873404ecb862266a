"""Maskings of the key attributes as a problem: which of them loses little and discloses little?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.core import Seed, SfumatoError
from sfumato.data import Role, Table
from sfumato.masking import NOTHING, ByHand, Masking
from sfumato.measures import Measure, Score
from sfumato.search.contracts import Costs, Outcome, Problem
from sfumato.search.maskings.candidates import Candidate, Judge, check_keys
from sfumato.search.maskings.gates import Gate
from sfumato.search.maskings.steps_before import free_keys, left_to_search
from sfumato.search.trade_off import LARGEST

ALL = "all"
LEFT_OUT = (float("inf"), float("inf"))  # what a masking costs that cannot be applied


@dataclass(frozen=True)
class Attempt:
    """A masking to try, and the part of the keys that it is judged on: numeric, categorical or all."""

    part: str
    masking: Masking


class KeyMaskings(Problem[Candidate, Attempt]):
    """Maskings of a table, each judged by loss, risk and further `measures`.

    Numeric and categorical keys can also be judged by themselves, as if the others were none; that is quicker,
    and the further measures do without. `grouped` are maskings of the numeric keys beyond those of the methods.
    Steps `by_hand` come before every masking that is tried; `table` is then what they leave to the search, and `keys`
    those of its keys that are not fixed. What is known of what is required is shown with every point.
    """

    objectives = ("information_loss", "disclosure_risk")
    shows_candidates = True

    def __init__(
        self,
        table: Table,
        *,
        seed: Seed,
        measures: Sequence[Measure] = (),
        grouped: Sequence[Masking] = (),
        by_hand: ByHand = NOTHING,
        require: Sequence[Gate] = (),
    ) -> None:
        check_keys(table)
        self.require = tuple(require)
        self.by_hand = by_hand.on(table)
        self.table, self.grouped = left_to_search(table, self.by_hand, seed), tuple(grouped)
        self.keys = free_keys(self.table, self.by_hand)
        numeric = tuple(name for name in self.keys if table.schema[name].is_numeric)
        categorical = tuple(name for name in self.keys if name not in numeric)
        self.parts = {"numeric": numeric, "categorical": categorical}
        self.judges = {ALL: Judge(table, seed=seed, measures=measures)}
        for part, names in self.parts.items():
            self.judges[part] = Judge(only_keys(table, names), seed=seed)

    def judge(self, candidate: Attempt) -> Outcome:
        """Loss and risk, and all scores as facts; where the masking cannot be applied, why."""
        try:
            return _outcome(self.judges[candidate.part].judge(self.by_hand.then(candidate.masking)))
        except SfumatoError as error:
            return Outcome(LEFT_OUT, facts=f"{candidate.masking} was left out: {error}")

    def candidate(self, attempt: Attempt, outcome: Outcome) -> Candidate | str:
        """The candidate that an attempt came to, or why there is none."""
        if isinstance(outcome.facts, str):
            return outcome.facts
        seconds, scores = outcome.facts
        whole = attempt.part == ALL
        return Candidate(
            masking=self.by_hand.then(attempt.masking) if whole else attempt.masking,
            scores={
                name: Score(measure=name, value=value, parts=parts, seconds=took)
                for name, (value, parts, took) in scores.items()
            },
            seconds=seconds,
        )

    def point(self, candidate: Attempt, outcome: Outcome) -> dict[str, Any] | None:
        found = self.candidate(candidate, outcome)
        if isinstance(found, str):
            return None
        return found.point(candidate.part, self.require if candidate.part == ALL else ())

    def score(self, costs: Costs) -> float:
        return LARGEST.of(costs)

    def identity(self) -> dict[str, Any]:
        by_hand = {"by_hand": self.by_hand.settings()} if self.by_hand else {}
        return {
            **by_hand,
            "file": self.table.fingerprint,
            "attributes": list(self.keys),
            "fitness": [measure.spec() for measure in self.judges[ALL].measures.values()],
            "grouped": [masking.spec() for masking in self.grouped],
        }


def only_keys(table: Table, names: tuple[str, ...]) -> Table:
    others: dict[str, Role] = {key: "other" for key in table.schema.with_role("key") if key not in names}
    return table.with_schema(table.schema.with_roles(others))


def _outcome(candidate: Candidate) -> Outcome:
    """Numbers of Python's own, whole if they are, so that what a journal keeps reads the same."""
    scores = {
        name: (_number(s.value), {part: _number(value) for part, value in s.parts.items()}, s.seconds)
        for name, s in candidate.scores.items()
    }
    return Outcome((float(candidate.loss), float(candidate.risk)), facts=(candidate.seconds, scores))


def _number(value: Any) -> int | float:
    found: int | float = value.item() if isinstance(value, np.generic) else value
    return found
