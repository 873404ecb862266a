"""What a measure does that is judged block by block: say what it needs, and finish from what was found.

What is needed are statistics: values that know how to gather themselves. Those that add up over blocks are
`Gathered` in one pass for all measures at once, in any process; the others are `Sought` in the whole files,
through the database or by a sample. Measures that need the same statistic share it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from sfumato.attacks._contract import Rate
from sfumato.core import DataError
from sfumato.core.crew import Crew
from sfumato.data import Schema, Table
from sfumato.data.blocks import Blocks
from sfumato.large.judging.ranks import RankFiles
from sfumato.large.judging.totals import Totals
from sfumato.measures import Measure


class Pair(NamedTuple):
    """A block of the original and its masked version, with what is known of the whole files."""

    original: Table
    masked: Table
    totals: Totals
    ranks: Mapping[str, RankFiles]

    def weights(self, weighted: bool) -> np.ndarray | None:
        """The survey weights of the records, if they count."""
        return self.totals.weights(self.original) if weighted else None


class Sources(NamedTuple):
    """The whole files, what may be used to look for something in them, and what was found in them before."""

    original: Blocks
    masked: Blocks
    totals: Totals
    folder: Path
    crew: Crew
    seed: int
    sample: int
    memory: int
    found: "Found" = MappingProxyType({})


class Statistic:
    """Something found out about two files. Equal statistics are found once."""

    @property
    def ranked(self) -> tuple[str, ...]:
        """The numeric columns of the original that it must know the ranks of."""
        return ()


class Gathered(Statistic, ABC):
    """A statistic that adds up over blocks; what it gathers is small."""

    @abstractmethod
    def gather(self, pair: Pair) -> Any:
        """The statistic of one block."""

    def join(self, one: Any, other: Any) -> Any:
        """That of two parts together; arrays are added unless a subclass knows better."""
        return one + other


class Sought(Statistic, ABC):
    """A statistic that is looked for in the whole files; a measure names before it what it is made of."""

    @abstractmethod
    def seek(self, sources: Sources) -> Any:
        """Find it."""


class Judgement(NamedTuple):
    """The value and its parts; where it was estimated from a sample, also its interval and the records seen."""

    value: float
    parts: dict[str, float]
    rate: Rate | None = None
    sample: int = 0


Found = Mapping[Statistic, Any]


class Refused(DataError):  # noqa: N818 -- a limit, not a mistake
    """A measure, or an option of it, is only for files that fit into memory."""


@dataclass(frozen=True)
class Subject:
    """What is judged: the columns, and how both files declare them."""

    names: tuple[str, ...]
    original: Schema
    masked: Schema


class Streamed(ABC):
    """A measure that is judged block by block. A subclass writes `needs` and `finish`."""

    def __init__(self, measure: Any, subject: Subject) -> None:
        self.measure, self.subject, self.names = measure, subject, subject.names
        self.weighted: bool = measure.weighted
        if measure.by_stratum:
            raise self.refused("by_stratum")
        weights = len(subject.original.with_role("weight"))
        if self.weighted and weights != 1:
            raise DataError(
                f"{measure.name}: weighted needs exactly one attribute with the role weight. Got {weights}."
            )
        self.check()

    def check(self) -> None:  # noqa: B027 -- most have nothing to refuse
        """Refuse what only a file in memory can be judged by."""

    def refused(self, what: str) -> Refused:
        """An error that says what is not done block by block."""
        return Refused(
            f"{self.measure.name}: {what} is not for files larger than memory; leave it out, or judge a sample."
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it looks at: those it judges, unless a subclass needs others as well."""
        return self.names

    def domain_size(self, name: str, totals: Totals) -> int:
        """The number of declared categories, and one more where values of the original are missing."""
        missing = bool(totals.categories[name][-1])
        return max(self.subject.original[name].domain_size + missing, 1)

    @property
    @abstractmethod
    def needs(self) -> tuple[Statistic, ...]:
        """The statistics it is made of."""

    @abstractmethod
    def finish(self, found: Found, totals: Totals) -> Judgement:
        """The judgement, from the statistics."""


def streamed(measure: Measure, subject: Subject) -> Streamed:
    """The streamed form of a measure."""
    from sfumato.core import registry

    form: Streamed = registry.load("streamed", measure.name)(measure, subject)
    return form
