"""Interval disclosure: how often the original value is close to the masked one."""

from typing import ClassVar, Literal

import numpy as np

from sfumato.core import param
from sfumato.data import Table
from sfumato.data.reading import original_codes, read
from sfumato.measures._contract import Bound, Measure


class IntervalDisclosure(Measure):
    """ID = 100 · share of original values whose rank is within ±p % of the rank of the masked value.

    Averaged over p = 1, 2, … `percent`, then over attributes; from 0 to 100. Ranks are positions among the
    original values that are present, p % is taken of their number, and tied values share the middle of
    their positions. The rank of an ordinal category is the middle of its records. A nominal value is
    disclosed where it is unchanged. A recoded category counts as a uniform draw from those it covers: it
    discloses a nominal value by 1 / |covered|, an ordinal one by the share of the covered that are close.
    A value that is missing on one side only is not disclosed; missing on both sides it is not counted.
    The parts are the disclosure of each attribute.

    Source: Marés, *thesis*, §2.4.2, after Domingo-Ferrer & Torra (2001).

    >>> from sfumato.data import Attribute, Schema
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> original = Table(Schema([x]), {"x": np.arange(100.0)})
    >>> masked = original.replace({"x": original["x"] + 4})  # 4 ranks off: inside for p = 4 to 10
    >>> round(IntervalDisclosure().bind(original).score(masked).value, 2)  # the last 4 pass the end, and are nearer
    70.6
    """

    sense: ClassVar[Literal["loss", "risk"]] = "risk"

    percent: int = param(default=10, low=1, high=100, help="widest interval, in percent of the records")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Sort the values and rank the categories."""
        return _BoundInterval(self, original, names)


class _BoundInterval(Bound):
    def __init__(self, measure: IntervalDisclosure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.percent = measure.percent
        self.present = {name: ~original.missing(name) for name in names}
        self.counts = {name: int(present.sum()) for name, present in self.present.items()}
        self.ordered, self.ranks = {}, {}
        for name in names:
            present = original[name][self.present[name]]
            if original.schema[name].is_numeric:
                self.ordered[name] = np.sort(present)
                self.ranks[name] = _positions(self.ordered[name], original[name])
            else:
                self.ranks[name] = _middle_ranks(present, original.schema[name].domain_size)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        parts = {name: 100 * self._share(name, masked) for name in self.names}
        return sum(parts.values()) / len(parts), parts

    def _share(self, name: str, masked: Table) -> float:
        here = ~masked.missing(name)
        both, counted = here & self.present[name], int((here | self.present[name]).sum())
        if not both.any():
            return 0.0
        if self.original.schema[name].is_numeric:
            rank = _positions(self.ordered[name], masked[name][both])
            disclosed = self._close(name, rank, self.ranks[name][both])
        else:
            disclosed = self._disclosed_categories(name, masked, both)
        return float(disclosed.sum()) / counted

    def _disclosed_categories(self, name: str, masked: Table, rows: np.ndarray) -> np.ndarray:
        reading = read(self.original.schema[name], masked.schema[name])
        released, original = reading.of(masked[name][rows]), original_codes(self.original[name][rows])
        if not reading.ordinal:
            return reading.drawn(np.equal, released, original)
        ranks = self.ranks[name]
        return reading.drawn(lambda a, b: self._close(name, ranks[a], ranks[b]), released, original)

    def _close(self, name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The share of p = 1 … percent for which the ranks are within p % of each other."""
        narrowest = np.maximum(np.ceil(100 * np.abs(a - b) / self.counts[name]), 1)
        share: np.ndarray = np.maximum(self.percent + 1 - narrowest, 0) / self.percent
        return share


def _positions(ordered: np.ndarray, values: np.ndarray) -> np.ndarray:
    middle: np.ndarray = (np.searchsorted(ordered, values) + np.searchsorted(ordered, values, "right")) / 2
    return middle


def _middle_ranks(codes: np.ndarray, size: int) -> np.ndarray:
    counts = np.bincount(codes, minlength=size)
    middle: np.ndarray = np.cumsum(counts) - counts / 2
    return middle
