"""PIL, block by block: sums of products, exact quantiles, and the sampling errors of both."""

import numpy as np

from sfumato.large.judging.quantiles import Quantiles
from sfumato.large.judging.sampling_errors import Errors, SamplingErrors
from sfumato.large.judging.streamed._contract import Found, Judgement, Statistic, Streamed
from sfumato.large.judging.streamed.moments import PairSums
from sfumato.large.judging.totals import Totals
from sfumato.measures.pil import BoundPil


class Pil(Streamed):
    """How surely a user would notice that quantiles and moments have changed."""

    @property
    def errors(self) -> SamplingErrors:
        """The sampling errors of the original."""
        return SamplingErrors(self.names, self.weighted)

    @property
    def quantiles(self) -> tuple[Quantiles, ...]:
        """The quantiles of each column."""
        return self.errors.quantiles

    @property
    def sums(self) -> tuple[PairSums, PairSums]:
        """The sums of both files, from which moments follow."""
        return self.errors.sums, PairSums(self.names, self.weighted, masked=True)

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """Sums and outlines, then quantiles, and the sampling errors last, which are made of all of these."""
        outlines = (outlines for quantiles in self.quantiles for outlines in quantiles.outlines)
        return (*self.sums, self.errors.squared_weights, *outlines, *self.quantiles, self.errors)

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Compare the statistics of both files."""
        before, after = (sums.moments(found[sums], totals) for sums in self.sums)
        quantiles = [found[one] for one in self.quantiles]
        known = _KnownPil(self.names, [both.before for both in quantiles], before, found[self.errors])
        return Judgement(*known.compared(np.array([both.after for both in quantiles]), after))


class _KnownPil(BoundPil):
    """The measure bound to statistics that were found block by block."""

    def __init__(
        self, names: tuple[str, ...], quantiles: list[np.ndarray], moments: np.ndarray, errors: Errors
    ) -> None:
        self.names, self.quantiles, self.moments = names, np.array(quantiles), moments
        self.quantile_errors, self.moment_errors = errors
