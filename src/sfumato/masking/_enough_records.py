"""When a record is like enough others: at least k, and an individual risk that is small enough."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.kernels.population_risk import individual_risk, weight_unit

LARGEST = (
    64  # records; more of them need no fewer people than so many do, which is at most two percent too strict
)
MOST_PEOPLE = 1e15


@dataclass(frozen=True)
class EnoughRecords:
    """At least k records, whose people make the individual risk at most so much; 0 is any risk.

    >>> EnoughRecords(k=3).safe(np.array([2, 3]), np.array([9.0, 9.0])).tolist()
    [False, True]
    >>> EnoughRecords(k=1, risk=0.1).safe(np.array([1, 1, 5]), np.array([30.0, 50.0, 5.0])).tolist()
    [False, True, False]
    """

    k: int
    risk: float = 0.0

    @cached_property
    def least(self) -> np.ndarray:
        """How many people 0, 1, 2 … records must stand for: infinitely many where they are too few themselves."""
        sizes = np.arange(max(self.k, LARGEST if self.risk > 0 else 0) + 1)
        people = np.zeros(len(sizes))
        if self.risk > 0:
            people[1:] = self._fewest_people(sizes[1:])
        people[: self.k] = np.inf
        people[0] = np.inf
        return people

    def safe(self, records: np.ndarray, people: np.ndarray) -> np.ndarray:
        """Whether so many records that stand for so many people are enough."""
        enough: np.ndarray = people >= self.least[np.minimum(records, len(self.least) - 1)]
        return enough

    def _fewest_people(self, records: np.ndarray) -> np.ndarray:
        """By halving: the risk falls as people become more."""
        low, high = records.astype(float), np.full(len(records), MOST_PEOPLE)
        enough = individual_risk(records, low) <= self.risk
        for _ in range(100):
            middle = np.sqrt(low * high)
            safe = individual_risk(records, middle) <= self.risk
            low, high = np.where(safe, low, middle), np.where(safe, middle, high)
        return np.where(enough, 0.0, high)


def whole_people(weights: np.ndarray) -> np.ndarray:
    """Weights as multiples of a power of two, so that their sums are exact in whatever order they are added."""
    unit = weight_unit(float(weights.sum()))
    rounded: np.ndarray = np.maximum(np.floor(weights / unit) * unit, 0.0)
    return rounded
