"""When a record is like enough others: at least k, and an individual risk that is small enough."""

from dataclasses import dataclass
from functools import cache, cached_property

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
        people = np.zeros(self.k + 1) if self.risk <= 0 else _fewest_people(self.risk).copy()
        people = np.pad(people, (0, max(self.k + 1 - len(people), 0)), mode="edge")
        people[: self.k] = np.inf
        return people

    def safe(self, records: np.ndarray, people: np.ndarray) -> np.ndarray:
        """Whether so many records that stand for so many people are enough."""
        enough: np.ndarray = people >= self.least[np.minimum(records, len(self.least) - 1)]
        return enough


@cache
def _fewest_people(risk: float) -> np.ndarray:
    """How many people 0, 1, 2 … records must stand for, by halving: the risk falls as people become more.

    It lies between 1 / F and f / (f − 1) / F.
    """
    f = np.arange(LARGEST + 1)
    low = np.maximum(f, 1 / risk).astype(float)
    high = np.maximum(low, np.divide(f, (f - 1) * risk, out=np.full(len(f), MOST_PEOPLE), where=f > 1))
    for _ in range(45):
        middle = np.sqrt(low * high)
        safe = individual_risk(np.maximum(f, 1), middle) <= risk
        low, high = np.where(safe, low, middle), np.where(safe, middle, high)
    return np.where(individual_risk(np.maximum(f, 1), f.astype(float)) <= risk, 0.0, high)


def whole_people(weights: np.ndarray) -> np.ndarray:
    """Weights as multiples of a power of two, so that their sums are exact in whatever order they are added."""
    unit = weight_unit(float(weights.sum()))
    rounded: np.ndarray = np.maximum(np.floor(weights / unit) * unit, 0.0)
    return rounded
