"""Estimates: scores found from a sample of the records, and how sure they are."""

from typing import Any

import numpy as np

from sfumato.attacks._contract import Rate, wilson
from sfumato.measures import Score


class Estimate(Score):
    """A score estimated from a random sample of records, with its 95 % confidence interval."""

    low: float
    high: float
    sample: int

    def _rows(self) -> list[dict[str, Any]]:
        total, *parts = super()._rows()
        rows = [("low", self.low), ("high", self.high), ("sample", float(self.sample))]
        return [total, *({"part": part, "value": value} for part, value in rows), *parts]


def estimated_rate(outcomes: np.ndarray, weights: np.ndarray | None, n: int) -> Rate:
    """The rate of all n records, from the outcomes (0 to 1) of a random sample of them without repetition.

    The interval is Wilson's for the number of records that a sample of a very large file would need to tell
    as much: more than those drawn where they are a good part of the file, and fewer where weights differ
    (Kish). It is wide enough for outcomes between 0 and 1, which vary less than those of 0 or 1. With all
    records nothing is left to chance.

    >>> rate = estimated_rate(np.array([1.0, 0.0, 0.0, 0.0] * 25), None, 10**9)
    >>> rate.value, round(rate.low, 1), round(rate.high, 1)
    (25.0, 17.5, 34.3)
    """
    value = 100 * float(np.average(outcomes, weights=weights))
    drawn = len(outcomes)
    if drawn >= n:
        return Rate(value=value, low=value, high=value)
    told = drawn if weights is None else float(weights.sum() ** 2 / (weights * weights).sum())
    told *= (n - 1) / (n - drawn)
    interval = wilson(value / 100 * told, told)
    return Rate(value=value, low=interval.low, high=interval.high)
