"""Figures 5.1–5.3 and 5.5–5.7: loss and risk of each method over k and the number of clusters, and their trends."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sfumato.jobs import Line
from sfumato.reproductions._curves import Curve, Curves


class Tried(NamedTuple):
    """A protection by k and clusters, 0 where there are none, with its loss and risk."""

    k: int
    clusters: int
    loss: float
    risk: float


def surface(title: str, tried: Sequence[Tried]) -> Curves:
    """Loss and risk over k, a curve for each number of clusters."""
    return Curves(
        title=title,
        across="k",
        panels={
            name: {
                f"c = {c}" if c else "whole file": _over_k(tried, c, at)
                for c in sorted({t.clusters for t in tried})
            }
            for name, at in (("IL", 2), ("DR", 3))
        },
    )


def trend_lines(where: str, tried: Sequence[Tried]) -> Iterator[Line]:
    """What §5.4 says: loss falls with c and rises with k, risk the other way; mean change from one end to the other.

    The source prints surfaces and no numbers, so that lines say whether the direction is the same, and no more.
    """
    for name, at, sign in (("IL", 2, -1), ("DR", 3, 1)):
        for across, over, fixed, direction in (("c", 1, 0, sign), ("k", 0, 1, -sign)):
            change = _mean_change(tried, at, over, fixed)
            if change is not None:
                says = "falls" if direction < 0 else "rises"
                stands = "as in print" if change * direction > 0 else "not as in print"
                what = f"{where}: mean change of {name} from the least to the largest {across}, which {says} [{stands}]"
                yield Line.of(what, ours=change)


def _over_k(tried: Sequence[Tried], c: int, at: int) -> Curve:
    return tuple(sorted((float(t.k), float(t[at])) for t in tried if t.clusters == c))


def _mean_change(tried: Sequence[Tried], at: int, over: int, fixed: int) -> float | None:
    """The mean, over what is fixed, of the value at the largest of the other less that at the least."""
    by_fixed: dict[float, dict[float, float]] = {}
    for one in tried:
        by_fixed.setdefault(one[fixed], {})[one[over]] = one[at]
    changes = [line[max(line)] - line[min(line)] for line in by_fixed.values() if len(line) > 1]
    return sum(changes) / len(changes) if changes else None


def surfaces(file: str, title: str, tried: Mapping[str, Sequence[Tried]]) -> dict[str, Curves]:
    return {
        f"{file}-{method.replace(' ', '-')}-over-k": surface(f"{title}, {method}", found)
        for method, found in tried.items()
        if found
    }
