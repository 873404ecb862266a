"""Rank swapping: values trade places with others of nearly the same rank."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, param
from sfumato.data import Table
from sfumato.kernels.rank_swapping import swap_partners
from sfumato.masking._parts import InParts, Whole


class RankSwapping(InParts):
    """Each value is swapped with one of the next w values in rank order, chosen at random.

    One attribute after the other, by itself: the n values present are sorted (equal ones in file order). The
    walk goes up the ranks; at rank i, if its value is still unswapped, it trades places with a value drawn
    uniformly from the still unswapped ones at ranks i < l ≤ i + w, where

        w = max(1, ⌊p·n / 100⌋).

    A value for which none is left keeps its place. Every value is swapped at most once and moves at most w
    ranks, so each attribute keeps its distribution exactly, while relations between attributes blur as p
    grows. The published example (p as a count of 2 on 10 records) is `p=20`.

    Missing values have no rank and stay where they are; n counts the values present. With strata, ranks
    and n are those of the stratum, and no value leaves it. In a file larger than memory the ranks are cut into
    ranges, if possible several times as long as w, and no value leaves its range.

    Source: Moore (1996), as in Marés, *thesis*, §2.3.4 and Table 2.1.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [31.0, 64.0, 18.0, 45.0, 27.0, 52.0]}))
    >>> masked = RankSwapping(p=40).apply(people, np.random.default_rng(1))
    >>> masked["age"].tolist()
    [52.0, 45.0, 27.0, 64.0, 18.0, 31.0]
    """

    scales = ("numeric", "ordinal")
    parted_by = "ranks"
    grid: ClassVar = {"p": (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40)}
    for_users: ClassVar[Advice] = Advice(
        done="In each variable by itself, values were exchanged between records of similar rank.",
        effect="The distribution of each variable is exact; correlations and other relations between "
        "variables are weaker than they were.",
        remedy="Use means, quantiles and shares of single variables as they are; take relations, and "
        "differences between small groups, as understated.",
    )

    p: float = param(
        default=10.0, low=0, high=100, help="how far a value may move, in percent of the records"
    )

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        return part.replace({name: self._swapped(part, name, rng, whole) for name in names})

    def reach(self, n: int) -> int:
        return self.window(n)

    def window(self, n: int) -> int:
        return max(1, int(self.p * n / 100 + 1e-9))  # 2.3 % of 1000 is 23, not 22.999…

    def _swapped(self, part: Table, name: str, rng: np.random.Generator, whole: Whole) -> np.ndarray:
        values, rows = part[name], np.flatnonzero(~part.missing(name))
        by_rank = rows[np.argsort(values[rows], kind="stable")]
        partner = swap_partners(rng.random(len(rows)), self.window(whole.present(name)))
        masked = values.copy()
        masked[by_rank] = values[by_rank[partner]]
        return masked
