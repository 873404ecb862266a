"""What `ctbil` and `bivariate` share: contingency tables before and after masking, and how they differ."""

from abc import abstractmethod

from sfumato.data.coverage import coverage_of
from sfumato.large.judging.frequencies import BothTables, CrossCounts
from sfumato.large.judging.streamed._contract import Found, Statistic, Streamed
from sfumato.large.judging.totals import Totals
from sfumato.measures._tables import table_difference


class TablesStreamed(Streamed):
    """A measure of contingency tables. A subclass lists them."""

    @property
    @abstractmethod
    def tables(self) -> tuple[tuple[str, ...], ...]:
        """The attributes of each table."""

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """The tables of both files."""
        return tuple(CrossCounts(table, self.weighted) for table in self.tables)

    def differences(self, found: Found) -> list[float]:
        """Σ|a − a'| over the cells of each table."""
        pairs = zip(self.tables, self.needs, strict=True)
        return [self._difference(table, found[need]) for table, need in pairs]

    def mean(self, differences: list[float], totals: Totals) -> float:
        """The mean over tables, in percent; 0 where there is no table."""
        return 50 * sum(differences) / (totals.n * len(differences)) if differences else 0.0

    def _difference(self, table: tuple[str, ...], both: BothTables) -> float:
        readings = [coverage_of(self.subject.original[name], self.subject.masked[name]) for name in table]
        before, after = both
        return table_difference(before.codes(), after.codes(), readings, before.counts, after.counts)
