"""Rank-swapping linkage: intersect the windows of ranks that the swapped values can come from."""

import numpy as np

from sfumato.attacks._contract import Attack
from sfumato.attacks.linkage.rank_windows import RankWindows, Windows
from sfumato.core import param
from sfumato.data import Table


class RankSwappingLinkage(Attack):
    """The intruder knows that values were swapped within p % of the ranks.

    A released value can then only come from the known values at most w = max(1, ⌊p·n / 100⌋) ranks away.
    The candidates of a released record are the known records inside the window of every attribute; the
    intruder takes one of them at random. If the file was made by `rank_swapping` with this p or a smaller
    one, the own record is always a candidate, and few others are where there are several attributes.

    Ranks are those of the known values present, n is their number, and equal values have all of their
    ranks. A missing value was not swapped: it comes from a record where it is missing. A recoded category
    comes from the window from the lowest to the highest category it covers. Ranks are counted in the whole
    file, whatever its strata.

    Source: Nin, Herranz & Torra (2008), *Rethinking rank swapping to decrease disclosure risk*.

    >>> from sfumato.datasets import business_survey
    >>> from sfumato.masking import RankSwapping
    >>> firms = business_survey(200, seed=1)
    >>> released = RankSwapping(p=10).apply(firms, np.random.default_rng(1))
    >>> result = RankSwappingLinkage(p=10).run(released, firms, np.random.default_rng(1))
    >>> result.attack.value > 90
    True
    """

    scales = ("numeric", "ordinal")

    p: float = param(
        default=10.0, low=0, high=100, help="how far values were swapped, in percent of the ranks"
    )

    def outcomes(
        self, released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> np.ndarray:
        if not known.n:
            return np.zeros(0)
        ranks = RankWindows(known, names, self.p)
        return ranks.outcomes(Windows(ranks, released.schema).spans(released), ranks.known.own)
