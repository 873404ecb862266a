"""Loss and risk as one number: the only place where they become one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sfumato.core import ParameterError

How = Literal["max", "mean", "weighted"]
WAYS = ("max", "mean", "weighted")


@dataclass(frozen=True)
class TradeOff:
    """How costs that are all to be small are weighed against each other.

    "max" is the largest of them, which favours balance, and "mean" their mean; "weighted" counts the first of
    two, the loss, with its `weight` and the risk with the rest.

    >>> TradeOff("weighted", 0.25).of((20.0, 40.0)), TradeOff().of((20.0, 40.0))
    (35.0, 40.0)
    """

    how: str = "max"
    weight: float = 0.5

    def __post_init__(self) -> None:
        if self.how not in WAYS:
            raise ParameterError(f"fitness: how must be one of {', '.join(WAYS)}. Got {self.how!r}.")
        if not 0 <= self.weight <= 1:
            raise ParameterError(f"fitness: weight must be from 0 to 1. Got {self.weight:g}.")

    def of(self, costs: Sequence[float]) -> float:
        if self.how == "max":
            return max(costs)
        if self.how == "mean":
            return sum(costs) / len(costs)
        loss, risk = costs
        return self.weight * loss + (1 - self.weight) * risk


LARGEST, MEAN = TradeOff("max"), TradeOff("mean")
