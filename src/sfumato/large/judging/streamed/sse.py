"""SSE, block by block: squared differences and squares of standardised numbers add up."""

from dataclasses import dataclass

import numpy as np

from sfumato.large.judging.streamed._contract import Found, Gathered, Judgement, Pair, Statistic, Streamed
from sfumato.large.judging.totals import Numbers, Totals
from sfumato.measures.sse import lost_share


@dataclass(frozen=True)
class Squares(Gathered):
    """For each column, the squared differences of masked and original values, and the squares of these."""

    names: tuple[str, ...]
    weighted: bool

    def gather(self, pair: Pair) -> np.ndarray:
        """The sums of a block."""
        weights = pair.weights(self.weighted)
        whole = pair.totals.weighted if self.weighted else pair.totals.original
        return np.array([_squares(pair, name, whole[name], weights) for name in self.names])


def _squares(pair: Pair, name: str, whole: Numbers, weights: np.ndarray | None) -> tuple[float, float]:
    unit = whole.spread or 1.0
    z, masked = (np.nan_to_num((table[name] - whole.centre) / unit) for table in (pair.original, pair.masked))
    lost, total = (masked - z) ** 2, z * z
    if weights is not None:
        lost, total = weights * lost, weights * total
    return float(lost.sum()), float(total.sum())


class Sse(Streamed):
    """100 · SSE / SST."""

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """The sums of squares."""
        return (Squares(self.names, self.weighted),)

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Divide."""
        sums, all_squares = found[self.needs[0]].T
        return Judgement(*lost_share(self.names, sums, all_squares.tolist()))
