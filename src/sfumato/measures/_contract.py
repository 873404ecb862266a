"""What every measure does: learn the original once, then judge many masked versions of it."""

import time
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

from sfumato.core import DataError, Method, Result, param
from sfumato.data import SCALES, Scale, Table


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

    def __init__(self, measure: "Measure", original: Table, names: tuple[str, ...]) -> None:
        self.measure, self.original, self.names = measure, original, names

    @abstractmethod
    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        """The value and its parts, for a masked table that fits the original."""

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
    """A measure of information loss or of disclosure risk. A subclass writes `bound`.

    Values are percents, 0 is best, and no value of a `bounded` measure is above 100.
    """

    sense: ClassVar[Literal["loss", "risk"]]
    scales: ClassVar[tuple[Scale, ...]] = SCALES
    bounded: ClassVar[bool] = True

    attributes: tuple[str, ...] = param(
        default=(), help="columns to judge (default: the key attributes it can take)"
    )

    @abstractmethod
    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Do the costly work on the original once."""

    def bind(self, original: Table) -> Bound:
        """The measure, ready to judge masked versions of this table."""
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
        return self.bound(original, names)

    def fitting(self, original: Table) -> tuple[str, ...]:
        """The key attributes of a table that the measure can judge."""
        keys = original.schema.with_role("key")
        return tuple(name for name in keys if original.schema[name].scale in self.scales)
