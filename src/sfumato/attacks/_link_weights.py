"""Weights of pairs of records, and what they say about pairs by the two thresholds of Fellegi and Sunter."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.core import Result
from sfumato.kernels.fellegi_sunter import pattern_weights

UNIT = 2**-20  # of a bit; weights are whole numbers of it, so that equal ones are equal


@dataclass(frozen=True)
class Weights:
    """What EM found: P(agree | match), P(agree | no match) of each attribute, and the share of matches."""

    m: np.ndarray
    u: np.ndarray
    share: float

    @cached_property
    def gains(self) -> np.ndarray:
        """The weight of agreement minus that of disagreement, in units of 2⁻²⁰ bits; never below 1."""
        bits = np.log2(self.m / self.u) - np.log2((1 - self.m) / (1 - self.u))
        units: np.ndarray = np.rint(bits / UNIT).astype(np.int64)
        return units

    @property
    def least(self) -> float:
        """The weight in bits of a pair that agrees nowhere."""
        return float(np.log2((1 - self.m) / (1 - self.u)).sum())


class Classification(Result):
    """All pairs by the two thresholds of Fellegi and Sunter: links, clerical review, and no links.

    `pairs` counts the pairs in each class, and `matches` those of them that are true.
    """

    upper: float
    lower: float
    pairs: dict[str, int]
    matches: dict[str, int]

    def _rows(self) -> list[dict[str, object]]:
        return [{"class": c, "pairs": self.pairs[c], "matches": self.matches[c]} for c in self.pairs]


def classified(
    pairs: np.ndarray, own: np.ndarray, weights: Weights, false_matches: float, false_non_matches: float
) -> Classification:
    """Classify the pairs of each pattern, and count those that are of a record with its own; see `FellegiSunterLinker`."""
    weight = pattern_weights(weights.gains)
    levels, level = np.unique(weight, return_inverse=True)
    by_match = np.bincount(level, _probabilities(weights.m))
    by_chance = np.bincount(level, _probabilities(weights.u))
    slack = 1 + 1e-9  # for sums of many probabilities
    linked = np.cumsum(by_chance[::-1])[::-1] <= false_matches * slack
    parted = (np.cumsum(by_match) <= false_non_matches * slack) & ~linked
    bits = np.concatenate([[-np.inf], levels * UNIT + weights.least, [np.inf]])
    names = np.where(linked, "linked", np.where(parted, "not linked", "clerical"))[level]
    true = np.bincount(own, minlength=len(weight))
    classes = ("linked", "clerical", "not linked")
    return Classification(
        upper=float(bits[len(levels) - linked.sum() + 1]),
        lower=float(bits[parted.sum()]),
        pairs={c: int(pairs[names == c].sum()) for c in classes},
        matches={c: int(true[names == c].sum()) for c in classes},
    )


def _probabilities(agree: np.ndarray) -> np.ndarray:
    probabilities = np.ones(1)
    for p in agree:  # the last attribute is the highest bit
        probabilities = np.concatenate([probabilities * (1 - p), probabilities * p])
    return probabilities
