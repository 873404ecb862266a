"""A measure of what a release tells about people in the file beyond what it tells about people outside it."""

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np

from sfumato.attacks.insiders.columns import check_outside, telling_columns
from sfumato.attacks.insiders.people import in_order
from sfumato.core import ParameterError, stream
from sfumato.data import Table
from sfumato.data.shared_terms import in_terms_of
from sfumato.measures._contract import Bound, Judged, Measure, Outside
from sfumato.measures._scores import Estimate, Score


class Finding(NamedTuple):
    """A difference between people inside and outside in percent, before it is cut off at 0, and its parts."""

    difference: float
    parts: dict[str, float]
    margin: float
    """Half the 95 % interval."""
    sample: int
    """How many people it was found on."""


class OutsideMeasure(Measure):
    """A subclass writes `beside`. Each person counts once, and strata are not judged apart."""

    sense = "risk"
    joinable: ClassVar[bool] = False
    headline: ClassVar[bool] = True
    from_sample: ClassVar[bool] = True
    aligned: ClassVar[bool] = False
    outside: ClassVar[Outside] = "needed"

    def check(self) -> None:
        """People outside have no weight that fits the sample, and may have no stratum."""
        if self.weighted or self.by_stratum:
            raise ParameterError(
                f"{self.name} compares people one by one: leave out weighted and by_stratum."
            )

    @abstractmethod
    def beside(self, original: Table, outside: Table, names: tuple[str, ...]) -> "OutsideBound":
        """Do the costly work on the original and on people outside, who are in its terms, once."""

    def fitting(self, original: Table) -> tuple[str, ...]:
        """All columns but identifiers and numbers of households, or those of the scenario."""
        return telling_columns(original.schema, self.scenario)

    def bound_beside(self, original: Table, outside: Table | None, names: tuple[str, ...]) -> Bound:
        needed = self.columns(original.schema, names)
        others = check_outside(self.name, original.schema, outside, needed)
        rng = stream(0, self.name, "outside")
        return self.beside(
            original, in_terms_of(original.schema, in_order(others, needed), needed, rng), names
        )


class OutsideBound(Bound):
    """Such a measure that knows the original and people outside. A subclass writes `finding`."""

    @abstractmethod
    def finding(self, released: Table) -> Finding:
        """Compare what a release tells about both."""

    def difference(self, parts: Mapping[str, float]) -> float | None:
        """The difference that parts come to, before it is cut off at 0; nothing where they do not say."""
        return None

    def pooled(self, scores: Sequence[Score]) -> Score:
        """What the means of the parts come to: the mean of what was worst each time would mostly be chance."""
        found = super().pooled(scores)
        difference = self.difference(found.parts)
        if len(scores) == 1 or difference is None or not isinstance(found, Estimate):
            return found
        margin = found.high - float(np.mean([self.difference(one.parts) for one in scores]))
        low, high = _percent(difference - margin), _percent(difference + margin)
        return replace(found, value=_percent(difference), low=low, high=high)

    def judge(self, masked: Table) -> Judged:
        found = self.finding(masked)
        return _percent(found.difference), found.parts

    def score(self, masked: Table) -> Score:
        start = time.perf_counter()
        self.check(masked)
        if not masked.n:
            return super().score(masked)
        found = self.finding(masked)
        return Estimate(
            measure=self.measure.name,
            value=_percent(found.difference),
            parts=found.parts,
            seconds=time.perf_counter() - start,
            low=_percent(found.difference - found.margin),
            high=_percent(found.difference + found.margin),
            sample=found.sample,
        )


def _percent(difference: float) -> float:
    return min(max(difference, 0.0), 100.0)
