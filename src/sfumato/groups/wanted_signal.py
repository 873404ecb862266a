"""The wanted signals: what each place should hold of the group, as each attacker sees it, as fuzzy sets."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.core import DataError, ParameterError
from sfumato.groups.outliers import FEWEST, median_and_scale, mttt, thompson
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.groups.views import View, Views
from sfumato.kernels.wanted_signal import memberships

ROUNDS = 20  # of finding out what is ordinary once the surplus is spread
ROOM = 0.8  # of the way from the median to an outlier: so far may a place that takes come, to either side

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
    """What swaps are to reach: which places give, which take, the wanted signal of each view, and what is too much now.

    `wanted` is that of the first view, and `others` are those of the views after it. Where there are several groups,
    `hidden` are the places to hide from each view; else all that give.
    """

    givers: np.ndarray
    takers: np.ndarray
    wanted: WantedSignal
    surplus: int
    others: tuple[WantedSignal, ...] = ()
    hidden: tuple[np.ndarray, ...] = ()

    def hidden_from(self, view: int) -> np.ndarray:
        """The places that this view must not see."""
        return self.hidden[view] if self.hidden else self.givers

    @property
    def most(self) -> int:
        """More swaps than this are never tried."""
        return 2 * self.surplus

    @property
    def corners(self) -> np.ndarray:
        """The corners by place and view."""
        return np.stack([one.corners for one in (self.wanted, *self.others)], axis=1)


def target(
    files: Submicrofiles,
    named: Collection[str],
    *,
    views: Views | None = None,
    limit: float | None = None,
    kind: str = "quantity",
    alpha: float = 0.05,
    wanted: Mapping[str, Trapezoid] | None = None,
) -> Target:
    """What hides the named places: they become ordinary in every view, and no other place comes to stand out.

    With a `limit` each named place is to hold at most so many records of the group, as the source has it.
    Without one it is to lie between the quartiles of all places, as they will be once the surplus is spread
    over the others. Those may take records as long as they do not come near to standing out; places that did
    before, and were not named, are left alone. `kind` says of which signal the places are
    outliers: of a "concentration", what is ordinary grows with the records of a place. `wanted` overrules
    all of this for single places, and speaks of the first view, by default the count of the group; `limit` speaks of the
    first view of each group.

    Of several groups a place may hide one only: to views of the others it is a place like those that take records.
    """
    if not named:
        raise DataError("No place is named that is to be hidden: there is nothing to protect.")
    views = views or counting(files)
    givers = _numbers(files, named)
    hidden = [givers if view.hides is None else _numbers(files, view.hides) for view in views.listed]
    size = views.counted(files.places) if kind == "concentration" else np.ones(len(files.names))
    signals = views.signals(files.places)
    takers = _takers(files, givers, signals[:, views.attackers] / np.maximum(size, 1)[:, None], alpha)
    firsts = [views.first_of(group) for group in views.groups]
    corners = [
        _corners(
            _Scene(files.records, here, np.setdiff1d(givers, here), takers, size, alpha),
            signals[:, at],
            view.whole,
            limit if at in firsts else None,
        )
        for at, (view, here) in enumerate(zip(views.listed, hidden, strict=True))
    ]
    for name, trapezoid in (wanted or {}).items():
        corners[0][files.number(name)] = trapezoid
    surplus = _surplus(files, views, signals, np.stack(corners, axis=1)[:, :, 2], givers)
    if not surplus:
        raise DataError(
            "The named places hold no more of the group than they may: there is nothing to protect."
        )
    first, *others = map(WantedSignal, corners)
    return Target(givers, takers, first, surplus, tuple(others), tuple(hidden))


def _numbers(files: Submicrofiles, names: Collection[str]) -> np.ndarray:
    return np.array(sorted({files.number(name) for name in names}), np.int64)


def counting(files: Submicrofiles) -> Views:
    """The one view of whoever knows the group and counts it."""
    return Views((View(name="counting", amounts=files.member.astype(np.float64), whole=True),))


def _surplus(
    files: Submicrofiles, views: Views, signals: np.ndarray, most: np.ndarray, givers: np.ndarray
) -> int:
    """About how many records must go: those the first view wants gone, and what the others still see without them."""
    found = 0
    for giver in givers.tolist():
        left = signals[giver] - most[giver]
        for at, view in enumerate(views.listed):
            rows = files.members.at(giver)
            rows = rows[view.telling[rows]]
            if left[at] > 0 and len(rows):
                typical = views.amounts[rows].mean(axis=0)
                count = min(int(np.ceil(left[at] / typical[at])), len(rows))
                found += count
                left = left - count * typical
    return found


def _takers(files: Submicrofiles, givers: np.ndarray, now: np.ndarray, alpha: float) -> np.ndarray:
    """Places that do not stand out by having many of the group, and have others to give in return."""
    may = np.diff(files.others.first) > 0
    for seen in now.T:
        may[mttt(seen, alpha=alpha, side="high")] = False
    may[givers] = False
    if not may.any():
        raise DataError("No place is left that could take a record: name fewer places to be hidden.")
    return np.flatnonzero(may)


@dataclass(frozen=True, eq=False)
class _Scene:
    """The places by how many records they have, and what one record of a place counts in the signal.

    The places `aside` give records of other groups only.
    """

    records: np.ndarray
    givers: np.ndarray
    aside: np.ndarray
    takers: np.ndarray
    size: np.ndarray
    alpha: float


@dataclass(frozen=True, eq=False)
class _Ordinary:
    """What is ordinary, in records of each place: from one quartile to the other, and the least and most there may be."""

    low: np.ndarray
    high: np.ndarray
    floor: np.ndarray
    ceiling: np.ndarray


def _corners(scene: _Scene, now: np.ndarray, whole: bool, limit: float | None) -> np.ndarray:
    """The trapezoids of one view."""
    ordinary = _ordinary(scene, now, whole, limit)
    corners = np.tile([-np.inf, -np.inf, np.inf, np.inf], (len(now), 1))
    corners[scene.givers] = _slopes(ordinary.low, ordinary.high, now)[scene.givers]
    ceiling = np.maximum(ordinary.ceiling, now)
    for like in (scene.takers, scene.aside):
        corners[like] = _slopes(ordinary.floor, ceiling, now)[like]
    return corners


def _ordinary(scene: _Scene, now: np.ndarray, whole: bool, limit: float | None) -> _Ordinary:
    """What will be ordinary once the surplus of the givers is spread over the takers by their size."""
    givers, takers = scene.givers, scene.takers
    involved = np.concatenate([givers, takers, scene.aside])
    chances = scene.records[takers] / scene.records[takers].sum()
    after = now.astype(float)
    for _ in range(ROUNDS):
        found = _now_ordinary((after / np.maximum(scene.size, 1))[involved], scene, whole, limit)
        after = now.astype(float)
        surplus = np.maximum(after - found.high, 0)[givers]
        after[givers] -= surplus
        spread = surplus.sum() * chances
        after[takers] += np.floor(spread) if whole else spread
    return _now_ordinary((after / np.maximum(scene.size, 1))[involved], scene, whole, limit)


def _now_ordinary(values: np.ndarray, scene: _Scene, whole: bool, limit: float | None) -> _Ordinary:
    size = scene.size
    half = (len(values) + 1) // 2
    ordered = np.sort(values)
    low, high = np.median(ordered[:half]) * size, np.median(ordered[-half:]) * size
    if whole:
        low = np.ceil(low - 1e-9)
        high = np.maximum(np.floor(high + 1e-9), low)
    if limit is not None:
        low, high = np.full(len(size), -np.inf), np.full(len(size), float(limit))
    if len(values) < FEWEST:
        nothing, everything = np.full(len(size), -np.inf), np.full(len(size), np.inf)
        return _Ordinary(low, high, nothing, everything)
    centre, scale = median_and_scale(values)
    away = ROOM * thompson(len(values), scene.alpha) * scale
    floor, ceiling = (centre - away) * size, (centre + away) * size
    return (
        _Ordinary(low, high, np.ceil(floor - 1e-9), np.floor(ceiling + 1e-9))
        if whole
        else _Ordinary(low, high, floor, ceiling)
    )


def _slopes(low: np.ndarray, high: np.ndarray, quantity: np.ndarray) -> np.ndarray:
    """Trapezoids that are 1 from low to high, and still above 0 for what there is now, and for none at all."""
    a = np.where(low > 0, np.minimum(quantity, 0) - 1, -np.inf)
    b = np.where(low > 0, low, -np.inf)
    d = np.where(np.isfinite(high), np.maximum(quantity, 2 * high) + 1, np.inf)
    return np.column_stack([a, b, high, d])
