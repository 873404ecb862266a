"""Probabilistic record linkage: weigh in which attributes a released and a known record agree."""

from typing import ClassVar

import numpy as np

from sfumato.attacks._contract import Attack
from sfumato.attacks.linkage.fellegi_sunter import MOST_ATTRIBUTES, FellegiSunterLinker
from sfumato.core import Aliases, param
from sfumato.data import Table


class ProbabilisticLinkage(Attack):
    """The intruder links records that agree in attributes where agreement is rare unless they match.

    A category agrees with a known one if it is equal, or stands for it after recoding. A number agrees if
    it is within `tolerance` standard deviations of the known values. A missing value agrees only with a
    missing one. From the patterns of agreement of all pairs, EM estimates m_j = P(agree in j | match),
    u_j = P(agree in j | no match) and the share of matches, without knowing who is who; the share is at
    most 1/n, since a record has one match. A pair weighs Σ log2(m_j / u_j) over the attributes that agree
    plus Σ log2((1 − m_j) / (1 − u_j)) over the others. EM always starts from the same values, and keeps
    m_j above u_j; weights are rounded to 2⁻²⁰ bits, so that equal ones are tied.

    With `link="best"` each released record is linked to its heaviest partner; of several, one is drawn, and
    the success is 1 / their number. With `link="assignment"` links are one to one and the sum of their
    weights is greatest; records that are alike share their links. At most 20 attributes are compared; of
    more key attributes, the first 20 unless others are named.

    Source: Fellegi & Sunter (1969); Jaro (1989), as in Marés, *thesis*, §2.4.2.

    >>> from sfumato.datasets import business_survey
    >>> from sfumato.masking import RankSwapping
    >>> firms = business_survey(200, seed=1)
    >>> released = RankSwapping(p=5).apply(firms, np.random.default_rng(1))
    >>> result = ProbabilisticLinkage().run(released, firms, np.random.default_rng(1))
    >>> result.attack.low > result.control.high
    True
    """

    aliases: ClassVar[Aliases] = {"PRL": {}}

    tolerance: float = param(
        default=0.1, low=0, help="how far apart numbers may be and agree, in standard deviations"
    )
    link: str = param(default="best", choices=("best", "assignment"), help="how records are linked")

    def targets(self, released: Table, known: Table) -> tuple[str, ...]:
        """The attributes the intruder uses, as many as can be compared unless they are named."""
        names = super().targets(released, known)
        return names if self.attributes else names[:MOST_ATTRIBUTES]

    def outcomes(
        self, released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> np.ndarray:
        if not known.n:
            return np.zeros(0)
        linker = self.linker(known, names)
        found = linker.compare(released)
        weights = linker.weights(found.pairs)
        if self.link == "assignment":
            return linker.assigned_links(found, weights, rng)
        return linker.best_links(found, weights)

    def linker(self, known: Table, names: tuple[str, ...]) -> FellegiSunterLinker:
        """Learn the known records; the linker also classifies pairs by two thresholds.

        >>> from sfumato.datasets import business_survey
        >>> firms = business_survey(100, seed=1)
        >>> ProbabilisticLinkage().linker(firms, firms.names).classify(firms).matches["linked"]
        100
        """
        return FellegiSunterLinker(known, names, self.tolerance)
