"""What measures are made of: statistics of an original and of a masked version of it.

A statistic is a frozen value, found once for all measures that name it. It is *taken* of two tables. That of a
file in blocks is *joined* from those of the blocks, or *sought* in the whole files where it does not add up. While
a masked table changes a little at a time, some are *moved* along.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.core import DataError
from sfumato.data import Table

if TYPE_CHECKING:
    from sfumato.measures._tracking import Change
    from sfumato.measures.statistics.sources import Sources


class Part:
    """Records of an original, all of them or a block, with what is known of the whole original.

    Weights have a mean of 1 over the whole.
    """

    def __init__(
        self, table: Table, weights: np.ndarray | None = None, known: "Mapping[Statistic, Any] | None" = None
    ) -> None:
        self.table, self.known = table, dict(known or {})
        self._weights = weights

    def weights(self, weighted: bool) -> np.ndarray | None:
        """The survey weights of the records, if they count."""
        return self._weights if weighted else None


class Statistic:
    """Something found out about two files. A subclass is a frozen dataclass and writes `take`, or `bound`."""

    @property
    def of_original(self) -> bool:
        """Whether it does not look at the masked file."""
        return False

    @property
    def needs(self) -> "tuple[Statistic, ...]":
        """What must be known of the whole original before."""
        return (MeanWeight(),) if getattr(self, "weighted", False) else ()

    def bound(self, original: Part) -> "BoundStatistic":
        """Do the costly work on the original once; nothing by default."""
        return BoundStatistic(self, original)

    def take(self, original: Part, masked: Table) -> Any:
        """The statistic of two tables: whole files, or a block of each."""
        raise NotImplementedError

    def packed(self, taken: Any) -> Any:
        """What is kept of a block: the same, unless it can be made smaller."""
        return taken

    def join(self, one: Any, other: Any) -> Any:
        """The statistic of two parts together: arrays are added, other things say how they are `joined`."""
        return one.joined(other) if hasattr(one, "joined") else one + other


class Sought(Statistic, ABC):
    """A statistic that does not add up: in files larger than memory it is looked for as a whole."""

    @abstractmethod
    def seek(self, sources: "Sources") -> Any:
        """The statistic of two files in blocks."""


class BoundStatistic:
    """A statistic that knows the original, all of it or a block. A subclass writes `take`, and may `follow`."""

    def __init__(self, statistic: Any, original: Part) -> None:
        self.statistic, self.original = statistic, original

    def take(self, masked: Table) -> Any:
        return self.statistic.take(self.original, masked)

    def follow(self, masked: Table) -> "Moved | None":
        """The statistic of a masked table that changes; none where it is quicker to take it anew."""
        return None


class Moved(ABC):
    """A statistic that is moved along while a masked table changes: `now` is its value."""

    now: Any

    @abstractmethod
    def propose(self, change: "Change") -> Any:
        """Its value after a change; keeps what `commit` needs, and changes nothing else."""

    @abstractmethod
    def commit(self) -> None:
        """Make the change that was proposed last."""


def with_needs(statistics: Iterable[Statistic]) -> list[Statistic]:
    """Statistics with all that they need, each after what it needs."""
    found: dict[Statistic, None] = {}
    for statistic in statistics:
        for one in (*with_needs(statistic.needs), statistic):
            found.setdefault(one)
    return list(found)


@dataclass(frozen=True)
class OfEither(Statistic):
    """A statistic of some columns of one of the files: of the masked one, or of the original alone."""

    names: tuple[str, ...]
    weighted: bool
    masked: bool

    @property
    def of_original(self) -> bool:
        return not self.masked

    def table(self, original: Part, masked: Table) -> Table:
        return masked if self.masked else original.table


class OfOriginal(Statistic):
    """A statistic of the original alone: found once, however many masked files are judged."""

    @property
    def of_original(self) -> bool:
        return True


@dataclass(frozen=True)
class MeanWeight(OfOriginal):
    """The number of records of the original, and the mean of their survey weights."""

    def take(self, original: Part, masked: Table) -> tuple[int, float]:
        """Of the one column with the role weight, checked."""
        weights = checked_weights(original.table)
        return len(weights), float(weights.mean()) if len(weights) else 0.0

    def join(self, one: tuple[int, float], other: tuple[int, float]) -> tuple[int, float]:
        n = one[0] + other[0]
        return n, (one[0] * one[1] + other[0] * other[1]) / n if n else 0.0


def checked_weights(table: Table, owner: str = "") -> np.ndarray:
    """The survey weights of a table, of which nothing is missing or negative."""
    name = table.schema.weight
    if not name:
        raise DataError(f"{owner}: weighted needs an attribute with the role weight. Got none.")
    weights: np.ndarray = table.numbers([name])[:, 0]
    if np.isnan(weights).any() or (weights < 0).any():
        raise unusable_weights(name, owner)
    return weights


def unusable_weights(name: str, owner: str = "") -> DataError:
    column = f"{owner}: column" if owner else "Column"
    return DataError(f"{column} {name}: weights must be present, not negative, and not all zero.")
