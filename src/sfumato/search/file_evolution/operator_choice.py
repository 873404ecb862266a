"""Which operator comes next, and how large its steps are."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.core import registry

LEAST_SHARE = 0.2  # of the draws that go to all operators alike
MEMORY = 0.1  # weight of the newest gain


@dataclass(frozen=True)
class Way:
    """An operator and the size of its steps."""

    operator: Any
    size: int


class Choice:
    """Draws operators and sizes: all alike, or by what they gained for the work they were."""

    def __init__(self, operators: Sequence[str], sizes: Sequence[int], *, adaptive: bool) -> None:
        made = [registry.make("operators", name) for name in operators]
        self.ways = [Way(operator, size) for operator in made for size in sizes]
        self.adaptive = adaptive
        self.reward = np.full(len(self.ways), np.nan)

    def way(self, operator: str, size: int) -> Way:
        return next(way for way in self.ways if (way.operator.name, way.size) == (operator, size))

    def copy(self) -> "Choice":
        """One that goes on to learn by itself."""
        other = copy(self)
        other.reward = self.reward.copy()
        return other

    def draw(self, rng: np.random.Generator) -> Way:
        """Those not yet tried come first; what gains nothing is still drawn now and then."""
        if len(self.ways) == 1:
            return self.ways[0]
        p = np.full(len(self.ways), 1 / len(self.ways))
        untried = np.isnan(self.reward)
        if self.adaptive and untried.any():
            p = untried / untried.sum()
        elif self.adaptive and self.reward.sum() > 0:
            p = LEAST_SHARE * p + (1 - LEAST_SHARE) * self.reward / self.reward.sum()
        return self.ways[int(rng.choice(len(p), p=p))]

    def learn(self, way: Way, work: int, gain: float) -> None:
        """Remember what an operator gained for its work; what lies long ago counts less."""
        i = self.ways.index(way)
        found = max(gain, 0.0) / max(work, 1)
        self.reward[i] = (
            found if np.isnan(self.reward[i]) else self.reward[i] + MEMORY * (found - self.reward[i])
        )
