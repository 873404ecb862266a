"""SUDA2: records that are alone already in few attributes, and how likely a match with them is right."""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from sfumato.core import Result, param
from sfumato.core.method import Aliases
from sfumato.data import Table
from sfumato.measures._contract import Bound, Judged
from sfumato.measures._population import MatchingMeasure, PopulationBound, people_of
from sfumato.measures._rare_sets import RareSet, rare_sets

ROUNDING = 1e-12


class Suda2(MatchingMeasure):
    """100 · mean over records of the DIS-SUDA score: how likely a match with a special unique is right.

    A minimal sample unique (MSU) of a record is a set of attributes in which no record is like it, while some record
    is in every part of the set. Each MSU of m of the M attributes, up to the `size` S, scores Π_(i = m)^T (M − i) with
    T = min(S, M − 1): the fewer attributes single a record out, the more. A record's SUDA score s is the sum over its
    MSUs. That a unique match in the file is right has the probability DIS = π n₁ / (π n₁ + (1 − π) n₂), where n₁
    records are unique, n₂ are in pairs, and π is the share of the population that is in the file. It is shared among
    the u records that score by

        d = 1 / (1 + u (1 / DIS − 1) / (s^q · Σ s^(−q))),   q = 1 + (8 − M) / 20,

    which is DIS where all scores are the same. π is the `fraction` if given, else the number of records per people
    that the declared weights stand for; without either the file is the population, and d = 1 for all who score.

    0 is no special unique; 100 is a file of nothing else with everybody in it. The parts are the percent of all SUDA
    scores that each attribute has a part in (a set counts for all its attributes); `special_uniques` and
    `sample_uniques`, the percent of records with an MSU up to the size and of those alone in all attributes; `above`,
    that of records whose d is above the `threshold`; and in percent `largest`, the greatest d, and `dis`. With
    `missing="category"` a missing value is a value like others, and so is each code declared for one; with `"any"` it
    matches every value. It does not see which attributes an intruder is likely to know, nor wrong values.

    Source: Elliot, Manning & Ford (2002), *A computational algorithm for handling the special uniques problem*;
    Manning, Haglin & Keane (2008), *A recursive search algorithm for statistical disclosure assessment*; DIS: Skinner
    & Elliot (2002), *A measure of disclosure risk for microdata*; DIS-SUDA: Elliot & Manning (2003), with q as usual.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> trade = Attribute(name="trade", scale="nominal", role="key", categories=("baker", "smith"))
    >>> file = Table(Schema([town, trade]), {"town": np.array([0, 0, 1, 1]), "trade": np.array([0, 1, 1, 1])})
    >>> bound = Suda2().bind(file)
    >>> bound.scores(file).tolist()  # the only baker; and the only smith of a
    [1.0, 1.0, 0.0, 0.0]
    >>> bound.score(file).parts["special_uniques"]
    50.0
    """

    quick = 1_000_000
    joinable = False
    aliases: ClassVar[Aliases] = {"SUDA": {}, "DIS-SUDA": {}}

    size: int = param(default=3, low=1, help="largest number of attributes in a minimal sample unique")
    fraction: float | None = param(
        default=None,
        low=0.000001,
        high=1,
        help="share of the population in the file (default: by the weights)",
    )
    threshold: float = param(
        default=10.0, low=0, high=100, help="score in percent above which records are counted"
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundSuda2(self, original, names)


class Contributions(Result):
    """Which categories the special uniques of a file are made of: the percent of all SUDA scores each has a part in."""

    percents: dict[str, dict[str, float]]

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"attribute": attribute, "category": category, "percent": percent}
            for attribute, shares in self.percents.items()
            for category, percent in shares.items()
        ]


class _Scored(NamedTuple):
    scores: np.ndarray  # of each record
    of_attribute: np.ndarray  # one row for each attribute: the part of the scores it has a part in


class BoundSuda2(PopulationBound):
    """The measure with the sampling fraction; it also tells scores of records and shares of categories."""

    measure: Suda2

    def __init__(self, measure: Suda2, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        given = measure.fraction
        people = float(people_of(original, measure).sum())
        self.fraction = min(1.0, original.n / max(people, 1e-300)) if given is None else given

    def judge(self, masked: Table) -> Judged:
        f, _ = self.frequencies(masked)
        scored = self._scored(masked)
        chances, dis = self._chances(scored.scores, f), self._dis(f)
        total = float(scored.scores.sum())
        shares = 100 * scored.of_attribute.sum(axis=1) / total if total else np.zeros(len(self.names))
        parts = {name: float(share) for name, share in zip(self.names, shares, strict=True)} | {
            "special_uniques": 100 * float(np.mean(scored.scores > 0)),
            "sample_uniques": 100 * float(np.mean(f == 1)),
            "above": 100 * float(np.mean(chances > self.measure.threshold / 100 + ROUNDING)),
            "largest": 100 * float(chances.max()),
            "dis": 100 * dis,
        }
        return 100 * float(chances.mean()), parts

    def records(self, masked: Table) -> np.ndarray:
        """The DIS-SUDA score of each record, from 0 to 1."""
        f, _ = self.frequencies(masked)
        return self._chances(self.scores(masked), f)

    def scores(self, masked: Table) -> np.ndarray:
        """The SUDA score of each record; 0 where it has no minimal sample unique."""
        return self._scored(masked).scores

    def minimal_uniques(self, masked: Table) -> list[RareSet]:
        """Every set of attributes, by their places, with the records of which it is a minimal sample unique."""
        self.check(masked)
        measure = self.measure
        return list(rare_sets(masked, self.names, k=2, largest=measure.size, matches_any=measure.matches_any))

    def contributions(self, masked: Table) -> Contributions:
        """By category of each categorical attribute; for the eyes of those who protect the file."""
        scored = self._scored(masked)
        total = float(scored.scores.sum()) or 1.0
        percents = {}
        for name, scores in zip(self.names, scored.of_attribute, strict=True):
            if not masked.schema[name].is_numeric:
                labels = (*masked.schema[name].categories, "missing")
                sums = np.bincount(masked[name].astype(np.int64) % len(labels), scores, minlength=len(labels))
                percents[name] = {
                    label: 100 * float(sum_) / total for label, sum_ in zip(labels, sums, strict=True) if sum_
                }
        return Contributions(percents=percents)

    def _scored(self, masked: Table) -> _Scored:
        values = weights_by_size(len(self.names), self.measure.size)
        scores, of_attribute = np.zeros(masked.n), np.zeros((len(self.names), masked.n))
        for places, rows in self.minimal_uniques(masked):
            scores[rows] += values[len(places)]
            for j in places:
                of_attribute[j, rows] += values[len(places)]
        return _Scored(scores, of_attribute)

    def _dis(self, f: np.ndarray) -> float:
        right = self.fraction * np.count_nonzero(f == 1)
        return float(right / max(right + (1 - self.fraction) * np.count_nonzero(f == 2), 1e-300))

    def _chances(self, scores: np.ndarray, f: np.ndarray) -> np.ndarray:
        """The probability of a right match for each record."""
        dis, scoring = self._dis(f), scores > 0
        chances = np.zeros(len(scores))
        if scoring.any():
            powers = (scores[scoring] / scores.max()) ** (1 + (8 - len(self.names)) / 20)
            odds = np.count_nonzero(scoring) * (1 / dis - 1)
            chances[scoring] = 1 / (1 + odds / (powers * np.sum(1 / powers)))
        return chances


def weights_by_size(attributes: int, size: int) -> list[float]:
    """What a minimal sample unique scores by its number of attributes, from 0 of them on.

    >>> weights_by_size(4, 3)[1:]
    [6.0, 2.0, 1.0]
    """
    last = min(size, attributes - 1)
    sizes = range(min(size, attributes) + 1)
    return [float(np.prod([attributes - i for i in range(max(m, 1), last + 1)], dtype=float)) for m in sizes]
