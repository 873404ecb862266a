"""How a benchmark is measured and shown."""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measurement: its value, the bar it must not exceed, and a plain twin measured in the same run.

    `growth` is the power of the number of records that the time grows with, `peer` what another program took elsewhere.
    """

    name: str
    value: float
    unit: str = "s"
    bar: float | None = None
    twin: float | None = None
    digits: int = 4
    exactly: bool = False
    growth: float | None = None
    peer: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times cheaper than the twin."""
        return self.twin / self.value if self.twin is not None and self.value > 0 else None

    @property
    def verdict(self) -> str:
        """Whether the bar is met; bars that are published values must be met to the digits shown."""
        if self.bar is None:
            return ""
        met = round(self.value, self.digits) == self.bar if self.exactly else self.value <= self.bar
        return "met" if met else "missed"

    def line(self) -> str:
        """The row of the printed table."""

        def shown(number: float | None) -> str:
            return "" if number is None else f"{number:.{self.digits}f} {self.unit}"

        ratio = "" if self.ratio is None else f"{self.ratio:.1f}x"
        growth = "" if self.growth is None else f"n^{self.growth:.2f}"
        return (
            f"{self.name:<52}{shown(self.value):>12}{shown(self.bar):>12}{shown(self.twin):>12}{ratio:>9}"
            f"{growth:>9}{shown(self.peer):>12}  {self.verdict}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All that is known of the row."""
        return {**dataclasses.asdict(self), "ratio": self.ratio, "verdict": self.verdict}


def best_of(work: Callable[[], Any], repeats: int = 3, *, cpu: bool = False) -> float:
    """The shortest of several runs, in seconds, after one that warms up; of the clock or of all our cores."""
    work()
    return min(once(work, cpu=cpu) for _ in range(repeats))


def once(work: Callable[[], Any], *, cpu: bool = False) -> float:
    """One run, in seconds."""
    clock = time.process_time if cpu else time.perf_counter
    start = clock()
    work()
    return clock() - start
