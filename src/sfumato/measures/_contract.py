"""What every measure does: learn the original once, then judge many masked versions of it."""

import time
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np

from sfumato.core import DataError, Method, Result, param
from sfumato.data import SCALES, Scale, Table
from sfumato.measures._tracking import RecomputingTracker, Tracker


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


class Bound(ABC):
    """A measure that knows the original. A subclass keeps what it needs and writes `judge`."""

    def __init__(
        self,
        measure: "Measure",
        original: Table,
        names: tuple[str, ...],
        weights: np.ndarray | None = None,
    ) -> None:
        self.measure, self.original, self.names = measure, original, names
        # given, where the table is a part of a larger one, whose mean weight is 1
        self.weights = (
            survey_weights(original, measure.name) if measure.weighted and weights is None else weights
        )

    @abstractmethod
    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        """The value and its parts, for a masked table that fits the original."""

    def track(self, masked: Table) -> Tracker:
        """Follow the value while the masked table changes; measures with an incremental form say how."""
        self._check(masked)
        return RecomputingTracker(self, masked)

    def score(self, masked: Table) -> Score:
        """Judge a masked version of the original: same records, in the same order."""
        start = time.perf_counter()
        self._check(masked)
        value, parts = self.judge(masked) if masked.n else (0.0, {})
        seconds = time.perf_counter() - start
        return Score(measure=self.measure.name, value=value, parts=parts, seconds=seconds)

    def _check(self, masked: Table) -> None:
        if masked.n != self.original.n:
            raise DataError(
                f"{self.measure.name}: the masked file must hold the records of the original in the same order. "
                f"Got {masked.n} records where the original has {self.original.n}."
            )
        for name in self.names:
            if name not in masked:
                raise DataError(f"{self.measure.name}: the masked file has no column {name}.")
            if masked.schema[name].is_numeric != self.original.schema[name].is_numeric:
                raise DataError(
                    f"{self.measure.name}: column {name} is {self.original.schema[name].scale} in the original "
                    f"and {masked.schema[name].scale} in the masked file."
                )


class Measure(Method, ABC):
    """A measure of information loss, of disclosure risk, or a score of both. A subclass writes `bound`.

    Values are percents, 0 is best, and no value of a `bounded` measure is above 100. A measure whose work
    grows much faster than the file says up to how many records it is `quick`; beyond, it is used where it
    is asked for by name.
    """

    kind: ClassVar[str] = "measures"
    noun: ClassVar[str] = "a measure such as pil or ctbil(dimension=3)"
    sense: ClassVar[Literal["loss", "risk", "score"]]
    scales: ClassVar[tuple[Scale, ...]] = SCALES
    bounded: ClassVar[bool] = True
    quick: ClassVar[int] = 10_000_000

    attributes: tuple[str, ...] = param(
        default=(), help="columns to judge (default: the key attributes it can take)"
    )
    weighted: bool = param(default=False, help="count each record by its survey weight")
    by_stratum: bool = param(default=False, help="judge each stratum by itself, and average by its records")

    @abstractmethod
    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Do the costly work on the original once."""

    def bind(self, original: Table) -> Bound:
        """The measure, ready to judge masked versions of this table."""
        names = self.judged(original)
        return self._by_stratum(original, names) if self.by_stratum else self.bound(original, names)

    def judged(self, original: Table) -> tuple[str, ...]:
        """The attributes it judges, checked: those named, or the key attributes that fit."""
        names = self.attributes or self.fitting(original)
        for position, name in enumerate(names):
            if name in names[:position]:
                raise DataError(f"{self.name}: column {name} is named twice.")
            scale = original.schema[name].scale
            if scale not in self.scales:
                raise DataError(
                    f"{self.name}: column {name} is {scale}; the measure takes {' and '.join(self.scales)}."
                )
        if not names:
            raise DataError(
                f"{self.name}: no key attribute is {' or '.join(self.scales)}; name the columns to judge."
            )
        return names

    def _by_stratum(self, original: Table, names: tuple[str, ...]) -> "Bound":
        if not original.schema.with_role("stratum"):
            raise DataError(f"{self.name}: no attribute has the role stratum; leave out by_stratum.")
        return StratifiedBound(self, original, names)

    def fitting(self, original: Table) -> tuple[str, ...]:
        """The key attributes of a table that the measure can judge."""
        keys = original.schema.with_role("key")
        return tuple(name for name in keys if original.schema[name].scale in self.scales)


class StratifiedBound(Bound):
    """A measure bound to each stratum by itself; the value is the mean over records (or their weights)."""

    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.strata = [
            (label, rows, measure.bound(original.take(rows), names)) for label, rows in original.strata()
        ]

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        """The mean over strata, and the value of each as its part."""
        values = {label: bound.judge(masked.take(rows))[0] for label, rows, bound in self.strata}
        sizes = [
            len(rows) if self.weights is None else self.weights[rows].sum() for _, rows, _ in self.strata
        ]
        return float(np.average(list(values.values()), weights=sizes)), values


def survey_weights(table: Table, owner: str) -> np.ndarray:
    """The survey weights of a table, scaled to a mean of 1."""
    names = table.schema.with_role("weight")
    if len(names) != 1:
        raise DataError(
            f"{owner}: weighted needs exactly one attribute with the role weight. Got {len(names)}."
        )
    weights = table.numbers(names)[:, 0]
    if np.isnan(weights).any() or (weights < 0).any() or (table.n and weights.sum() == 0):
        raise DataError(
            f"{owner}: column {names[0]}: weights must be present, not negative, and not all zero."
        )
    return weights / weights.mean() if table.n else weights
