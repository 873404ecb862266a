"""Bivariate counts, block by block: tables of two attributes add up."""

from sfumato.large.judging.streamed._contract import Found, Judgement
from sfumato.large.judging.streamed._tables import TablesStreamed
from sfumato.large.judging.totals import Totals
from sfumato.measures._tables import pairs_of


class Bivariate(TablesStreamed):
    """How much the tables of two attributes change."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The attributes, and those they are crossed with."""
        return (*self.names, *self.measure.crossed)

    @property
    def tables(self) -> tuple[tuple[str, ...], ...]:
        """The pairs."""
        return tuple(pairs_of(self.measure, self.subject.original, self.names, self.measure.crossed))

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Compare the tables."""
        raw = self.differences(found)
        parts = {" × ".join(pair): 50 * r / totals.n for pair, r in zip(self.tables, raw, strict=True)}
        return Judgement(self.mean(raw, totals), parts)
