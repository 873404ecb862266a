"""Figures 5.1–5.3 and 5.5–5.7: loss and risk of each method over k and the number of clusters, and their trends."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sfumato.jobs import Line
from sfumato.reproductions._curves import Curve, Curves

# §5.2 joins the two smallest clusters until all have k records
JOINED = "clusters below k are joined by their size, wherever they lie, which costs more where there are many and k is large"


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

    The source prints surfaces and no numbers, so that lines say whether the direction is the same, and no more. What more
    clusters do is also told for the least k, for which hardly any are joined.
    """
    least = min((one.k for one in tried), default=0)
    few = [one for one in tried if one.k == least]
    generated = "a generated file stands in" if "generated" in where else ""
    for name, at, sign in (("IL", 2, -1), ("DR", 3, 1)):
        yield from _trend(f"{where}: mean change of {name}", _mean_change(tried, at, 1, 0), "c", sign, JOINED)
        yield from _trend(
            f"{where}, k = {least}: change of {name}", _mean_change(few, at, 1, 0), "c", sign, generated
        )
        yield from _trend(f"{where}: mean change of {name}", _mean_change(tried, at, 0, 1), "k", -sign)


def _trend(what: str, change: float | None, across: str, direction: int, why: str = "") -> Iterator[Line]:
    if change is None:
        return
    says = "falls" if direction < 0 else "rises"
    stands = "as in print" if change * direction > 0 else f"not as in print{why and ': '}{why}"
    yield Line.of(f"{what} from the least to the largest {across}, which {says} [{stands}]", ours=change)


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
