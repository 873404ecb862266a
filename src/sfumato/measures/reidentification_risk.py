"""Re-identification risk by what an intruder wants and knows: prosecutor, journalist or marketer."""

from typing import ClassVar

import numpy as np

from sfumato.core import param
from sfumato.core.method import Aliases
from sfumato.data import Table
from sfumato.measures._contract import Files, Judged, StatisticBound
from sfumato.measures._population import MatchingMeasure, people_of
from sfumato.measures._tracking import Tracker
from sfumato.measures.statistics.key_classes import Classes, ClassTracker

ROUNDING = 1e-12


class ReidentificationRisk(MatchingMeasure):
    """Percent of records that an intruder of some kind finds on average, if she picks among all who are alike.

    Of a combination of key values that occurs f_k times in the masked file and F_k times among people,

    - a prosecutor, who looks for one person and knows that they took part, finds them with probability 1 / f_k: on
      average J / n, with J the number of combinations and n that of records;
    - a journalist, who wants to find anybody and does not know who took part, with 1 / F_k: on average the larger of
      J / Σ F_k over the combinations and Σ f_k / F_k / n;
    - a marketer, who wants as many as she can, finds Σ f_k / F_k / n.

    F_k is the sum of the declared survey weights (at least f_k). Without them, or with `weighted=false`, the file is
    the population, and all three find the same. 0 is nobody found, 100 everybody. The parts are in percent the averages
    of all three, `highest`, the greatest probability of a record for the intruder asked for, and `at_risk`, the records
    with one above the `threshold` (for the marketer as for the journalist). With `missing="category"` a missing value
    is a value like others, and so is each code declared for one; with `"any"` it matches every value, and combinations
    that are compatible count together. It does not see how uncertain F_k is: `individual_risk` does.

    Source: El Emam (2013), *Guide to the De-Identification of Personal Health Information*, ch. 16; ARX.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> weight = Attribute(name="weight", scale="numeric", role="weight")
    >>> file = Table(Schema([town, weight]), {"town": np.array([0, 0, 1]), "weight": np.array([5.0, 15.0, 10.0])})
    >>> score = ReidentificationRisk(intruder="marketer").bind(file).score(file)
    >>> {name: round(part, 2) for name, part in score.parts.items()}
    {'prosecutor': 66.67, 'journalist': 6.67, 'marketer': 6.67, 'highest': 10.0, 'at_risk': 0.0}
    """

    aliases: ClassVar[Aliases] = {
        "prosecutor": {"intruder": "prosecutor"},
        "journalist": {"intruder": "journalist"},
        "marketer": {"intruder": "marketer"},
    }

    intruder: str = param(
        default="prosecutor",
        choices=("prosecutor", "journalist", "marketer"),
        help="who looks for people: for one known to have taken part, for anybody, or for as many as can be",
    )
    threshold: float = param(
        default=10.0, low=0, high=100, help="probability in percent above which records are counted"
    )

    def value(self, files: Files, *found: Classes) -> Judged:
        knows = self.intruder == "prosecutor"
        number = people = certain = at_risk = highest = 0.0
        for classes in found[0].chunks():
            F = np.maximum(classes.people, classes.occurs)
            share = classes.records / classes.occurs  # of a class by itself, 1: the number of classes
            chance = 1 / classes.occurs if knows else 1 / F
            number += float(share.sum())
            people += float(share @ F)
            certain += float(classes.records @ (1 / F))
            at_risk += float(classes.records @ (chance > self.threshold / 100 + ROUNDING))
            highest = max(highest, float(chance.max()))
        averages = {
            "prosecutor": 100 * number / files.n,
            "journalist": 100 * max(number / people, certain / files.n),
            "marketer": 100 * certain / files.n,
        }
        parts = {**averages, "highest": 100 * highest, "at_risk": 100 * at_risk / files.n}
        return averages[self.intruder], parts

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker | None:
        """Keeps the classes, for averages that are sums over them."""
        if self.matches_any or self.intruder == "journalist":
            return None
        if self.intruder == "prosecutor":
            return ClassTracker(bound, masked, np.ones(masked.n), lambda count, people: 1.0)
        people = people_of(bound.original, self)
        return ClassTracker(bound, masked, people, lambda count, people: count / max(people, count))
