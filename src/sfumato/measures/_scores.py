"""What measures say: a value, the parts it was made of, and how sure it is."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.core import Result


class Score(Result):
    """A judgement: the value (lower is better), the parts it was made of, and the seconds it took."""

    measure: str
    value: float
    parts: dict[str, float]
    seconds: float

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"part": "total", "value": self.value},
            *({"part": k, "value": v} for k, v in self.parts.items()),
        ]


class Estimate(Score):
    """A score estimated from a random sample of records, with its 95 % confidence interval."""

    low: float
    high: float
    sample: int

    def _rows(self) -> list[dict[str, Any]]:
        total, *parts = super()._rows()
        rows = [("low", self.low), ("high", self.high), ("sample", float(self.sample))]
        return [total, *({"part": part, "value": value} for part, value in rows), *parts]


def mean_score(scores: Sequence[Score]) -> Score:
    """One score of several: means of values, of parts that all have, and of the ends of intervals."""
    if len(scores) == 1:
        return scores[0]
    parts = {
        part: float(np.mean([one.parts[part] for one in scores]))
        for part in scores[0].parts
        if all(part in one.parts for one in scores)
    }
    facts: dict[str, Any] = {
        "measure": scores[0].measure,
        "value": float(np.mean([one.value for one in scores])),
        "parts": parts,
        "seconds": sum(one.seconds for one in scores),
    }
    estimates = [one for one in scores if isinstance(one, Estimate)]
    if len(estimates) < len(scores):
        return Score(**facts)
    return Estimate(
        **facts,
        low=float(np.mean([one.low for one in estimates])),
        high=float(np.mean([one.high for one in estimates])),
        sample=sum(one.sample for one in estimates),
    )
