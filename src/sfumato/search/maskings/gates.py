"""Gates: what a release must meet, such as "k_anonymity.smallest >= 5"."""

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, ParameterError, UnknownNameError, registry
from sfumato.core.results import Result
from sfumato.data import Table
from sfumato.data.held_out import held_out
from sfumato.measures import Estimate, Measure, Score
from sfumato.search.maskings.requirement_words import requirement_in_words

FEW = 300  # records on which it is tried whether a measure that takes long can judge a table
COMPARISONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
SHORT = {
    "k": "k_anonymity.smallest",
    "household_k": "household_anonymity.smallest",
    "linkage": "distance_linkage",
    "loss": "information_loss",
    "risk": "disclosure_risk",
    "actbil": "ctbil.actbil",
}
REQUIREMENT = r"\s*([\w-]+)(\(.*\))?(?:\.(\w+))?\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*%?\s*"


@dataclass(frozen=True)
class Gate:
    """One requirement: a measure, or one part of it, on the right side of a limit.

    >>> Gate.parse("k >= 5")
    Gate(measure=KAnonymity(), part='smallest', comparison='>=', limit=5.0)
    >>> str(Gate.parse("distance_linkage<=2.5")), str(Gate.parse("k(missing=any) >= 5"))
    ('distance_linkage <= 2.5', 'k_anonymity(missing=any).smallest >= 5')
    """

    measure: Measure
    part: str
    comparison: str
    limit: float

    noun: ClassVar[str] = "a requirement such as 'k >= 5' or 'distance_linkage <= 2'"
    word: ClassVar[str] = "RULE"
    listed: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"{self.subject} {self.comparison} {np.format_float_positional(self.limit, trim='-')}"

    @property
    def label(self) -> str:
        """The measure with its parameters, under which its score is found."""
        return self.measure.plain()

    @property
    def subject(self) -> str:
        """The measure and, if any, the part that is looked at."""
        return f"{self.label}.{self.part}" if self.part else self.label

    @property
    def in_words(self) -> str:
        """What it asks, as a board would read it, and of whom.

        >>> Gate.parse("people_found(scenario=neighbour) <= 1").in_words
        'an intruder finds at most 1 person in 100 (scenario neighbour)'
        """
        words = requirement_in_words(self.measure.name, self.part, least=self.wants_more, limit=self.limit)
        if self.measure.attributes:
            words += f" (of {', '.join(self.measure.attributes)})"
        return f"{words} (scenario {self.measure.scenario})" if self.measure.scenario else words

    @property
    def with_people_outside(self) -> bool:
        """Whether it is judged on a release that some people never were in."""
        return self.measure.outside != "unused"

    @property
    def asks_whom(self) -> bool:
        """Whether it is about whose record is whose, which means nothing where records are nobody's."""
        return self.measure.name == "people_found"

    @property
    def is_dear(self) -> bool:
        """Whether reading it takes long, so that it is asked of few candidates."""
        return self.measure.headline or self.with_people_outside

    @property
    def wants_more(self) -> bool:
        """Whether larger values are the safer ones."""
        return self.comparison.startswith(">")

    def reading(self, scores: Mapping[str, Score]) -> float:
        score = scores[self.label]
        if not self.part:
            return score.value
        if self.part not in score.parts:
            raise UnknownNameError(f"part of {self.measure.name}", self.part, score.parts)
        return score.parts[self.part]

    def read(self, scores: Mapping[str, Score]) -> "GateReading":
        """What it reads, and whether that will do; of an estimate, the end of the interval that is less safe.

        Headline measures are read as they are: of a small file their intervals are so wide that no file, not even one of
        other people, could be shown to be safe. The verdict tells them beside the value.
        """
        score, reading = scores[self.label], self.reading(scores)
        if isinstance(score, Estimate) and not self.part and not self.measure.headline:
            reading = score.low if self.wants_more else score.high
        return GateReading(gate=self, reading=reading, holds=self.allows(reading))

    def holds(self, scores: Mapping[str, Score]) -> bool:
        return self.read(scores).holds

    def allows(self, reading: float) -> bool:
        return bool(COMPARISONS[self.comparison](reading, self.limit))

    @classmethod
    def convert(cls, value: "str | Gate") -> "Gate":
        return cls.parse(value) if isinstance(value, str) else value

    @classmethod
    def parse(cls, text: str) -> "Gate":
        found = re.fullmatch(REQUIREMENT, text)
        if found is None:
            raise DataError(
                f"A requirement reads MEASURE <= NUMBER or MEASURE.PART >= NUMBER, such as 'k >= 5'. Got {text!r}."
            )
        name, given, part, comparison, limit = found.groups()
        if part is None:
            name, _, part = SHORT.get(name.casefold(), name).partition(".")
        return cls(registry.make("measures", name + (given or "")), part, comparison, float(limit))


def check_gates(gates: Sequence[Gate], original: Table) -> None:
    """Refuse, before any search, a gate whose measure cannot judge the table or has no such part."""
    few = original.take(np.arange(min(original.n, FEW)))
    for gate in gates:
        asked = few if gate.is_dear else original
        inside, outside = held_out(asked, 0) if gate.with_people_outside else (asked, None)
        bound = gate.measure.bind(inside, outside)
        if gate.part:
            gate.reading({gate.label: bound.score(inside)})


def check_rehearsed(gates: Sequence[Gate], rehearsals: int) -> None:
    """Refuse a gate that asks for people outside where nobody is held out."""
    for gate in gates:
        if gate.with_people_outside and not rehearsals:
            raise ParameterError(
                f"{gate} compares the people in the file with others outside: leave out --rehearsals 0."
            )


class GateReading(Result):
    """What a gate required and what the release shows."""

    gate: Gate
    reading: float
    holds: bool

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "gate": str(self.gate)}

    def told(self) -> dict[str, Any]:
        """For whoever watches the work: nothing that could not be read is a number."""
        return {**self.to_dict(), "reading": self.reading if np.isfinite(self.reading) else None}
