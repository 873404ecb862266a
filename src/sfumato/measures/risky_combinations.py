"""Risky combinations: records that are rare in a few of their key values together."""

from typing import ClassVar

import numpy as np

from sfumato.core import param
from sfumato.core.method import Aliases
from sfumato.data import Table
from sfumato.measures._contract import Bound, Judged, Measure
from sfumato.measures._rare_sets import rare_sets

LISTED = 20


class RiskyCombinations(Measure):
    """Percent of records that are like fewer than k records in some combination of at most `dimension` keys.

    Every set of one, two, … keys is looked at, as a table of counts; a record is at risk if a cell it falls into holds
    fewer than k records. An intruder need not know all keys: this asks for every few of them that she might know.

    0 is no rare combination, 100 every record in one. Weights count the records of the percentages, not those of a
    combination. With `missing="category"` a missing value is a value like others, and so is each code declared for
    one; with `"any"` it matches every value. The parts are the percent of records at risk by each key, alone or with
    others; and, riskiest first, by each set of keys in which records are rare and in no part of it, up to 20 of them.
    It does not see more keys together than the dimension, nor how many people of the population are like a record.

    Source: Hundepool et al. (2012), *Statistical Disclosure Control*, §3.2, the rule of μ-Argus.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> trade = Attribute(name="trade", scale="nominal", role="key", categories=("baker", "smith"))
    >>> file = Table(Schema([town, trade]), {"town": np.array([0, 0, 1, 1]), "trade": np.array([0, 1, 1, 1])})
    >>> RiskyCombinations(k=2).bind(file).score(file).parts
    {'town': 25.0, 'trade': 50.0, 'trade alone': 25.0, 'town × trade': 25.0}
    """

    sense = "risk"
    quick = 1_000_000
    joinable = False
    aliases: ClassVar[Aliases] = {"mu-Argus": {}}

    dimension: int = param(default=2, low=1, help="largest number of keys in a combination")
    k: int = param(default=3, low=2, help="smallest number of records that a combination must have")
    missing: str = param(default="category", choices=("category", "any"), help="what a missing value is like")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundRiskyCombinations(self, original, names)


class BoundRiskyCombinations(Bound):
    """The measure with the weights; one pass over the sets of keys."""

    measure: RiskyCombinations

    def judge(self, masked: Table) -> Judged:
        weights = np.ones(masked.n) if self.weights is None else self.weights
        total = weights.sum()
        risky, by_key = np.zeros(masked.n, np.bool_), np.zeros((len(self.names), masked.n), np.bool_)
        by_set: dict[str, float] = {}
        measure = self.measure
        for places, rows in rare_sets(
            masked,
            self.names,
            k=measure.k,
            largest=measure.dimension,
            matches_any=measure.missing == "any",
        ):
            risky[rows] = True
            by_key[np.array(places)[:, None], rows] = True
            by_set[self._label(places)] = 100 * float(weights[rows].sum() / total)
        riskiest = sorted(by_set.items(), key=lambda item: -item[1])[:LISTED]
        parts = {
            name: 100 * float(weights[here].sum() / total)
            for name, here in zip(self.names, by_key, strict=True)
        }
        return 100 * float(weights[risky].sum() / total), parts | dict(riskiest)

    def _label(self, places: tuple[int, ...]) -> str:
        names = [self.names[j] for j in places]
        return " × ".join(names) if len(names) > 1 else f"{names[0]} alone"
