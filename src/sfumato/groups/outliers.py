"""Outliers of a signal: the modified Thompson τ technique with robust estimates."""

import math
from collections.abc import Collection
from typing import Any

import numpy as np
from scipy.special import stdtrit

from sfumato.core import ParameterError, Result, UnknownNameError
from sfumato.groups.named_values import known_names
from sfumato.groups.signals import Signal

NORMAL = 1.349  # the interquartile range of a normal distribution with standard deviation 1
FEWEST = 3  # values that τ is defined for
SIGNIFICANCE = 0.001  # for people's places: of a hundred ordinary ones hardly one shall be called an outlier

SIDES = ("both", "high", "low")


class Outliers(Result):
    """The places whose value is at odds with the rest.

    `found` are the indices that the technique gave, in the order of removal; `struck` those that an expert
    took off the list; `indices` what is left, in the order of the places.
    """

    places: tuple[str, ...]
    found: tuple[int, ...]
    struck: tuple[int, ...]
    alpha: float

    @property
    def indices(self) -> tuple[int, ...]:
        return tuple(sorted(set(self.found) - set(self.struck)))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.places[index] for index in self.indices)

    @property
    def flags(self) -> np.ndarray:
        flags = np.zeros(len(self.places), bool)
        flags[list(self.indices)] = True
        return flags

    def to_dict(self) -> dict[str, Any]:
        struck = [self.places[index] for index in self.struck]
        return {"alpha": self.alpha, "outliers": list(self.names), "struck": struck}

    def _rows(self) -> list[dict[str, Any]]:
        return [{"place": self.places[index], "struck": index in self.struck} for index in sorted(self.found)]


def outliers(
    signal: Signal, *, alpha: float = 0.05, side: str = "both", strike: Collection[int | str] = ()
) -> Outliers:
    """The outliers of a signal. `strike` takes places, by index or name, off the list.

    >>> signal = Signal(kind="quantity", label="", places=tuple("abcdefg"),
    ...     values=np.array([3.0, 4, 5, 4, 60, 5, 4]), records=np.ones(7))
    >>> outliers(signal).names, outliers(signal, strike=["e"]).names
    (('e',), ())
    """
    found = mttt(signal.values, alpha=alpha, side=side)
    named = [place for place in strike if isinstance(place, str)]
    indices = [place for place in strike if not isinstance(place, str)]
    meant: tuple[int | str, ...] = (*indices, *known_names(named, signal.places))
    struck = tuple(sorted({_index(place, signal.places) for place in meant}))
    return Outliers(places=signal.places, found=tuple(found), struck=struck, alpha=alpha)


def mttt(values: np.ndarray, *, alpha: float = 0.05, side: str = "both") -> list[int]:
    """Indices of the outliers by the modified Thompson τ technique, in the order of removal.

    While the largest deviation from the median exceeds τ·S, that value is removed (of equals the first) and
    all is worked out anew, with

        S = IQR / 1.349,    τ = t (n − 1) / (√n √(n − 2 + t²)),

    t the Student quantile of α/2 with n − 2 degrees of freedom. The quartiles are the medians of the upper
    and lower half, which share the middle value where n is odd. Where the interquartile range is zero, since
    more than half of the values agree, S is the standard deviation: else all others would be outliers.
    `side` looks at deviations upwards or downwards only. Values that are missing are never outliers.

    Sources: Tavrov & Chertov, *SpringerPlus* 5 (2016); ASME PTC 19.1; Lanzante (1996).

    >>> mttt(np.array([1.0, 2, 3, 4, 5, 6, 7, 30]))
    [7]
    """
    _check(alpha, side)
    values = np.asarray(values, np.float64)
    left = np.flatnonzero(np.isfinite(values))
    found: list[int] = []
    while len(left) >= FEWEST:
        centre, scale = median_and_scale(values[left])
        away = values[left] - centre
        away = np.abs(away) if side == "both" else away if side == "high" else -away
        worst = int(np.argmax(away))
        if not away[worst] > thompson(len(left), alpha) * scale:
            break
        found.append(int(left[worst]))
        left = np.delete(left, worst)
    return found


def thompson(n: int, alpha: float) -> float:
    """The τ of n values: the largest deviation, in units of S, that is still ordinary.

    >>> [round(thompson(n, 0.05), 4) for n in (3, 10, 30)]
    [1.1511, 1.7984, 1.9114]
    """
    t = -float(stdtrit(n - 2, alpha / 2))
    return t * (n - 1) / (math.sqrt(n) * math.sqrt(n - 2 + t * t))


def median_and_scale(values: np.ndarray) -> tuple[float, float]:
    """The median, and the pseudo-standard deviation.

    >>> median_and_scale(np.array([1.0, 2, 3, 4, 5]))  # halves 1 2 3 and 3 4 5
    (3.0, 1.4825796886582654)
    """
    ordered = np.sort(values)
    half = (len(ordered) + 1) // 2
    spread = float(np.median(ordered[-half:]) - np.median(ordered[:half]))
    return float(np.median(ordered)), spread / NORMAL if spread > 0 else float(np.std(ordered, ddof=1))


def _check(alpha: float, side: str) -> None:
    if not 0 < alpha < 1:
        raise ParameterError(f"outliers: alpha must lie between 0 and 1. Got {alpha!r}.")
    if side not in SIDES:
        raise ParameterError(f"outliers: side must be one of {', '.join(SIDES)}. Got {side!r}.")


def _index(place: int | str, places: tuple[str, ...]) -> int:
    if isinstance(place, str):
        if place not in places:
            raise UnknownNameError("place to strike", place, places)
        return places.index(place)
    if not 0 <= place < len(places):
        raise ParameterError(f"strike: indices of places run from 0 to {len(places) - 1}. Got {place}.")
    return place
