"""Adequacy of a model: do the outliers of the auxiliary signal agree with those of the true one?"""

import math
from typing import Any

from scipy.special import gammaln

from sfumato.core import DataError, Result
from sfumato.groups.outliers import Outliers

# the largest ln B that is read so
READINGS = (
    (0.0, "negative"),
    (1.0, "bare mention"),
    (3.0, "positive"),
    (5.0, "strong"),
    (math.inf, "decisive"),
)
LEAST = 1.0  # ln B from which on the evidence is positive


class Adequacy(Result):
    """True and auxiliary outliers as a 2×2 table, and what it says.

    `accuracy` counts all places; `youden` is sensitivity + specificity − 1, not defined where all or none of
    the places are true outliers; `ln_b` is the logarithm of the Bayes factor for the hypothesis that both
    lists depend on one another against that they do not.

    Sources: Tavrov & Chertov (2016), eqs. 18-22; Olivetti et al. (2015); Kass & Raftery (1995).
    """

    places: tuple[str, ...]
    true: tuple[int, ...]
    found: tuple[int, ...]

    @property
    def undisclosed(self) -> tuple[str, ...]:
        """True outliers that the model does not see."""
        return tuple(self.places[index] for index in sorted(set(self.true) - set(self.found)))

    @property
    def false(self) -> tuple[str, ...]:
        """Outliers of the model that are none."""
        return tuple(self.places[index] for index in sorted(set(self.found) - set(self.true)))

    @property
    def disclosed(self) -> tuple[str, ...]:
        """True outliers that the model sees."""
        return tuple(self.places[index] for index in sorted(set(self.true) & set(self.found)))

    @property
    def confusion(self) -> tuple[int, int, int, int]:
        """True positives, false positives, false negatives, true negatives."""
        tp, fp, fn = len(self.disclosed), len(self.false), len(self.undisclosed)
        return tp, fp, fn, len(self.places) - tp - fp - fn

    @property
    def accuracy(self) -> float:
        tp, _, _, tn = self.confusion
        return (tp + tn) / len(self.places)

    @property
    def youden(self) -> float:
        tp, fp, fn, tn = self.confusion
        if not (tp + fn and fp + tn):
            return math.nan
        return tp / (tp + fn) + tn / (fp + tn) - 1

    @property
    def ln_b(self) -> float:
        return log_bayes_factor(*self.confusion)

    @property
    def reading(self) -> str:
        """How strong the evidence is, in the usual words."""
        return next(word for limit, word in READINGS if self.ln_b <= limit or limit == math.inf)

    @property
    def is_adequate(self) -> bool:
        """Whether the model can violate the anonymity of the group: positive evidence, and in the right sense."""
        return self.ln_b >= LEAST and self.youden > 0

    def to_dict(self) -> dict[str, Any]:
        tp, fp, fn, tn = self.confusion
        return {
            "true_positives": tp,
            "false_positives": fp,
            "false_negatives": fn,
            "true_negatives": tn,
            "accuracy": self.accuracy,
            "youden": None if math.isnan(self.youden) else self.youden,
            "ln_b": self.ln_b,
            "reading": self.reading,
            "disclosed": list(self.disclosed),
            "undisclosed": list(self.undisclosed),
            "false": list(self.false),
        }


def adequacy(true: Outliers, found: Outliers) -> Adequacy:
    """Compare the outliers of the true signal with those of the auxiliary one."""
    if true.places != found.places:
        raise DataError("adequacy: the two signals must be over the same places.")
    return Adequacy(places=true.places, true=true.indices, found=found.indices)


def log_bayes_factor(tp: int, fp: int, fn: int, tn: int) -> float:
    """ln B = ln p(M | dependent) − ln p(M | independent).

    With m₁ = TP + FN, m₂ = FP + TN and m = m₁ + m₂,

        p(M | dependent) = 1 / ((m₁ + 1)(m₂ + 1)),
        p(M | independent) = C(m₁, TP) C(m₂, FP) / (C(m, TP + FP) (m + 1)).

    >>> round(log_bayes_factor(2, 0, 0, 2), 4)  # (1 / 9) / (1 / 30)
    1.204
    """
    m1, m2 = tp + fn, fp + tn
    dependent = -math.log(m1 + 1) - math.log(m2 + 1)
    independent = _log_choose(m1, tp) + _log_choose(m2, fp) - _log_choose(m1 + m2, tp + fp)
    return dependent - independent + math.log(m1 + m2 + 1)


def _log_choose(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
