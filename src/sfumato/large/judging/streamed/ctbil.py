"""CTBIL, block by block: contingency tables add up."""

from itertools import chain, combinations
from math import prod

from sfumato.large.judging.streamed._contract import Found, Judgement
from sfumato.large.judging.streamed._tables import TablesStreamed
from sfumato.large.judging.totals import Totals


class Ctbil(TablesStreamed):
    """How much the tables of one to a few attributes change."""

    @property
    def tables(self) -> tuple[tuple[str, ...], ...]:
        """All sets of up to so many attributes."""
        sizes = range(1, self.measure.dimension + 1)
        return tuple(chain.from_iterable(combinations(self.names, t) for t in sizes))

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Compare the tables."""
        raw = self.differences(found)
        sizes = {name: self.domain_size(name, totals) for name in self.names}
        cells = sum(prod(sizes[name] for name in table) for table in self.tables)
        parts = {name: 50 * raw[j] / totals.n for j, name in enumerate(self.names)}
        return Judgement(self.mean(raw, totals), parts | {"raw": sum(raw), "actbil": sum(raw) / cells})
