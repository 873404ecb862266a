"""Telling the listener how a search stands: its best and its front, now and then."""

import time
from collections.abc import Sequence
from typing import Any

from sfumato.core import progress
from sfumato.search.contracts import Costs, Individual, Problem
from sfumato.search.pareto import front
from sfumato.search.tally import Tally

SECONDS = 0.5  # between two tellings
LOSS_AND_RISK = ("information_loss", "disclosure_risk")


class Teller:
    """Tells of a generation if somebody listens and the last telling is a while ago."""

    def __init__(self, problem: Problem[Any, Any], label: str) -> None:
        self.problem, self.label = problem, label
        self._next = float("-inf")
        self._told = -1

    def tell(self, tally: Tally, *, last: bool = False) -> None:
        now = time.monotonic()
        if self.problem.shows_candidates or progress.listener() is None:
            return
        if tally.best is None or tally.number == self._told:
            return
        if last or now >= self._next:
            self._next, self._told = now + SECONDS, tally.number
            progress.found("generation", self._point(tally, tally.best))

    def _point(self, tally: Tally, best: Individual[Any]) -> dict[str, Any]:
        loss, risk = self._loss_and_risk([best.costs])[0]
        unbeaten = self._loss_and_risk([one.costs for one in front(tally.population)])
        return {
            "label": f"{self.label}, generation {tally.number}",
            "generation": tally.number,
            "best": tally.score,
            "score": tally.score,
            "costs": dict(zip(self.problem.objectives, best.costs, strict=True)),
            "loss": loss,
            "risk": risk,
            "front": [pair for pair in unbeaten if None not in pair],
        }

    def _loss_and_risk(self, costs: Sequence[Costs]) -> list[list[float | None]]:
        """Of each; nothing where a search has other objectives."""
        names = self.problem.objectives
        places = [names.index(name) if name in names else None for name in LOSS_AND_RISK]
        return [[None if place is None else float(one[place]) for place in places] for one in costs]
