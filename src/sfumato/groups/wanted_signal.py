"""The wanted signal: what each place should hold of the group, as fuzzy sets."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.core import DataError, ParameterError
from sfumato.groups.outliers import FEWEST, median_and_scale, mttt, thompson
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.kernels.wanted_signal import memberships

ROUNDS = 20  # of finding out what is ordinary once the surplus is spread
ROOM = 0.8  # of the way from the median to an outlier: so far may a place that takes come

Trapezoid = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class WantedSignal:
    """For each place the corners of a trapezoid: how many records of the group it may well have.

    The membership is 0 up to the first corner, 1 from the second to the third, and 0 again from the fourth
    on. The degree of a signal is the product of its memberships.

    >>> wanted = WantedSignal(np.array([[-np.inf, -np.inf, 2, 42], [-np.inf, -np.inf, np.inf, np.inf]]))
    >>> wanted.degree(np.array([2, 90])), wanted.degree(np.array([22, 70]))
    (1.0, 0.5)
    """

    corners: np.ndarray

    def __post_init__(self) -> None:
        if np.isnan(self.corners).any() or (self.corners[:, :-1] > self.corners[:, 1:]).any():
            raise ParameterError(
                "wanted signal: the four corners of a place must be numbers that do not fall."
            )

    def memberships(self, signal: np.ndarray) -> np.ndarray:
        return memberships(np.asarray(signal, np.float64), self.corners)

    def degree(self, signal: np.ndarray) -> float:
        return float(self.memberships(signal).prod())


@dataclass(frozen=True, eq=False)
class Target:
    """What swaps are to reach: which places give, which take, the wanted signal, and what is too much now."""

    givers: np.ndarray
    takers: np.ndarray
    wanted: WantedSignal
    surplus: int

    @property
    def most(self) -> int:
        """More swaps than this are never tried."""
        return 2 * self.surplus


def target(
    files: Submicrofiles,
    named: Collection[str],
    *,
    limit: float | None = None,
    kind: str = "quantity",
    alpha: float = 0.05,
    wanted: Mapping[str, Trapezoid] | None = None,
) -> Target:
    """What hides the named places: they become ordinary, and no other place comes to have too many.

    With a `limit` each named place is to hold at most so many records of the group, as the source has it.
    Without one it is to lie between the quartiles of all places, as they will be once the surplus is spread
    over the others. Those may take records as long as they do not come near to standing out by too many;
    places that did before, and were not named, are left alone. `kind` says of which signal the places are
    outliers: of a "concentration", what is ordinary grows with the records of a place. `wanted` overrules
    all of this for single places.
    """
    if not named:
        raise DataError("No place is named that is to be hidden: there is nothing to protect.")
    givers = np.array(sorted({files.number(name) for name in named}))
    size = files.records.astype(float) if kind == "concentration" else np.ones(len(files.names))
    takers = _takers(files, givers, size, alpha)
    ordinary = _ordinary(files, givers, takers, size, limit, alpha)
    corners = np.tile([-np.inf, -np.inf, np.inf, np.inf], (len(size), 1))
    quantity = files.quantity.astype(float)
    corners[givers] = _slopes(ordinary.low, ordinary.high, quantity)[givers]
    ceiling = np.maximum(ordinary.ceiling, quantity)
    corners[takers] = _slopes(np.full(len(size), -np.inf), ceiling, quantity)[takers]
    for name, trapezoid in (wanted or {}).items():
        corners[files.number(name)] = trapezoid
    surplus = int(np.ceil(np.maximum(quantity - corners[:, 2], 0)[givers].sum()))
    if not surplus:
        raise DataError(
            "The named places hold no more of the group than they may: there is nothing to protect."
        )
    return Target(givers, takers, WantedSignal(corners), surplus)


def _takers(files: Submicrofiles, givers: np.ndarray, size: np.ndarray, alpha: float) -> np.ndarray:
    """Places that do not stand out by having many of the group, and have others to give in return."""
    now = files.quantity / np.maximum(size, 1)
    may = np.diff(files.others.first) > 0
    may[mttt(now, alpha=alpha, side="high")] = False
    may[givers] = False
    if not may.any():
        raise DataError("No place is left that could take a record: name fewer places to be hidden.")
    return np.flatnonzero(may)


@dataclass(frozen=True, eq=False)
class _Ordinary:
    """What is ordinary, in records of each place: from one quartile to the other, and the most there may be."""

    low: np.ndarray
    high: np.ndarray
    ceiling: np.ndarray


def _ordinary(
    files: Submicrofiles,
    givers: np.ndarray,
    takers: np.ndarray,
    size: np.ndarray,
    limit: float | None,
    alpha: float,
) -> _Ordinary:
    """What will be ordinary once the surplus of the givers is spread over the takers by their size."""
    involved = np.concatenate([givers, takers])
    chances = files.records[takers] / files.records[takers].sum()
    after = files.quantity.astype(float)
    found = _now_ordinary((after / np.maximum(size, 1))[involved], size, limit, alpha)
    for _ in range(ROUNDS):
        after = files.quantity.astype(float)
        surplus = np.maximum(after - found.high, 0)[givers]
        after[givers] -= surplus
        after[takers] += np.floor(surplus.sum() * chances)
        found = _now_ordinary((after / np.maximum(size, 1))[involved], size, limit, alpha)
    return found


def _now_ordinary(values: np.ndarray, size: np.ndarray, limit: float | None, alpha: float) -> _Ordinary:
    half = (len(values) + 1) // 2
    ordered = np.sort(values)
    low = np.ceil(np.median(ordered[:half]) * size - 1e-9)
    high = np.maximum(np.floor(np.median(ordered[-half:]) * size + 1e-9), low)
    if limit is not None:
        low, high = np.full(len(size), -np.inf), np.full(len(size), float(limit))
    if len(values) < FEWEST:
        return _Ordinary(low, high, np.full(len(size), np.inf))
    centre, scale = median_and_scale(values)
    away = ROOM * thompson(len(values), alpha) * scale
    return _Ordinary(low, high, np.floor((centre + away) * size + 1e-9))


def _slopes(low: np.ndarray, high: np.ndarray, quantity: np.ndarray) -> np.ndarray:
    """Trapezoids that are 1 from low to high, and still above 0 for what there is now, and for none at all."""
    a = np.where(low > 0, np.minimum(quantity, 0) - 1, -np.inf)
    b = np.where(low > 0, low, -np.inf)
    d = np.where(np.isfinite(high), np.maximum(quantity, 2 * high) + 1, np.inf)
    return np.column_stack([a, b, high, d])
