"""People found: how many people an intruder who knows their keys finds in the release."""

import time
from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from sfumato.attacks import Rate, rate_of, wilson
from sfumato.attacks.linkage.distance_linker import DistanceLinker
from sfumato.attacks.linkage.record_space import Space
from sfumato.attacks.panel.trial import RELEASED, tried_panel
from sfumato.core import param, stream
from sfumato.data import Table
from sfumato.measures._contract import Bound, Judged, Measure
from sfumato.measures._distance_tracking import GreatestTracker, linkage_tracker
from sfumato.measures._scores import Estimate
from sfumato.measures._tracking import Tracker

DIRECTIONS = {"nearest": "known", "nearest_released": "released"}


class PeopleFound(Measure):
    """People found = 100 · share of known people whose own record the best attacker ranks first; ties are shared.

    0 means that nobody is found, 100 that everybody is. It is to be compared with the part `guess`, the rate of the
    same attackers where each column of the release was shuffled by itself, so that no record is anybody's. The value
    comes with its 95 % interval (Wilson, 1927).

    With `panel="full"`, the verdict, the attackers are those of the attack `people_found`: nearest records by values
    and by ranks in both directions, compatible records, agreement, masking errors, windows of ranks, models of pairs
    learned from other people, one-to-one links. People are halved 100 times; who is best on one half is tried on
    the other, and the value is the mean: the best of many is not better by luck. The parts are each attacker's own
    rate, `guess`, `certain` (those of whom a single record, their own, agrees with all that is known: blanks and merged
    categories agree with what they may hide, numbers that were perturbed are not looked at), and `best_known` and `best_released`, the best of those who look for the record of a person and of
    those who look for the person of a record. Of more than 5000 records, 500 to 2000 people are drawn, always the same,
    and looked for in all records.

    With `panel="nearest"`, the form for searches, the two are the nearest record by the distance of
    `distance_linkage` in both directions, and the value is the larger rate of all people. It can be followed while
    a file changes; a file searched by it is to be judged by the full panel.

    Missing and merged values match what they may hide for the attacker who looks for compatible records, and differ
    as in `distance_linkage` for the nearest. Survey weights count people; the interval is that of the effective
    number of them.

    What it does not see: what is learned about people without finding their record (`learned`), who was in the survey
    (`membership`), and files whose records are nobody's, such as synthetic ones, of which it says nothing. An intruder
    who knows other columns, or more people by whom to learn, may find more.

    Source: the panel is own work, see the attack; known-to-released direction as in Balasch, *thesis*, §3.3.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [1.0, 2.0, 8.0, 9.0]}))
    >>> masked = original.replace({"x": [1.5, 1.5, 8.4, 8.4]})
    >>> score = PeopleFound(panel="nearest").bind(original).score(masked)
    >>> score.parts  # each is nearest to two records that are alike; 8.4 is nearest to 8, and 1.5 to 1 and 2
    {'nearest': 50.0, 'nearest_released': 50.0}
    >>> PeopleFound().bind(original).score(original).value
    100.0
    """

    sense = "risk"
    joinable = False
    headline = True
    from_sample = True

    panel: str = param(
        default="full", choices=("full", "nearest"), help="all attackers, or the nearest record for searches"
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return (
            BoundPanel(self, original, names) if self.panel == "full" else BoundNearest(self, original, names)
        )

    def tracker(self, bound: Bound, masked: Table) -> Tracker | None:
        """Follows the nearest records in both directions."""
        if not isinstance(bound, BoundNearest):
            return None
        followed = [
            linkage_tracker(linker, masked, "expected", bound.weights) for linker in bound.linkers.values()
        ]
        trackers = [tracker for tracker in followed if tracker is not None]
        return GreatestTracker(trackers) if len(trackers) == len(followed) else None


class Found(NamedTuple):
    """How many people are found, of how many, and the parts."""

    rate: Rate
    sample: int
    parts: dict[str, float]


class BoundPeople(Bound):
    """The measure with the people to be found. A subclass writes `found`."""

    @abstractmethod
    def found(self, masked: Table) -> Found:
        """Look for people in a masked table of at least one record."""

    def judge(self, masked: Table) -> Judged:
        found = self.found(masked)
        return found.rate.value, found.parts

    def score(self, masked: Table) -> Estimate:
        start = time.perf_counter()
        self.check(masked)
        nobody = Found(Rate(value=0.0, low=0.0, high=0.0), 0, {})
        rate, sample, parts = self.found(masked) if masked.n else nobody
        return Estimate(
            measure=self.measure.name,
            value=rate.value,
            parts=parts,
            seconds=time.perf_counter() - start,
            low=rate.low,
            high=rate.high,
            sample=sample,
        )

    def rate(self, people: np.ndarray, outcomes: np.ndarray) -> Rate:
        """The share of people found, counted by their weights; the interval is that of their effective number."""
        if self.weights is None or not self.weights[people].any():
            return rate_of(outcomes)
        weights = self.weights[people]
        effective = float(weights.sum() ** 2 / np.square(weights).sum())
        return wilson(float(np.average(outcomes, weights=weights)) * effective, effective)


class BoundPanel(BoundPeople):
    """The whole panel; what is drawn is always the same."""

    def found(self, masked: Table) -> Found:
        trial, guess = tried_panel(masked, self.original, self.names, stream(0, self.measure.name))
        outcomes = trial.outcomes | {
            "best_known": trial.best(trial.outcomes.keys() - RELEASED),
            "best_released": trial.best(RELEASED),
        }
        parts = {name: self.rate(trial.people, one).value for name, one in outcomes.items()}
        parts["guess"] = self.rate(guess.people, guess.best()).value
        if trial.certain is not None:
            parts["certain"] = self.rate(trial.people, trial.certain.astype(float)).value
        return Found(self.rate(trial.people, trial.best()), len(trial.people), parts)


class BoundNearest(BoundPeople):
    """The nearest records in both directions."""

    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        space = Space(original, names)
        self.linkers = {
            part: DistanceLinker(original, space, direction=direction)
            for part, direction in DIRECTIONS.items()
        }

    def found(self, masked: Table) -> Found:
        people = np.arange(masked.n)
        rates = {part: self.rate(people, linker.outcomes(masked)) for part, linker in self.linkers.items()}
        best = max(rates.values(), key=lambda rate: rate.value)
        return Found(best, masked.n, {part: rate.value for part, rate in rates.items()})
