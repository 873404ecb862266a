"""k-anonymity of a file that does not fit into memory: from the sizes of its classes."""

from sfumato.large.judging.classes import ClassSizes, Sizes
from sfumato.large.judging.streamed._contract import Found, Judgement, Statistic, Streamed
from sfumato.large.judging.totals import Totals


class KAnonymity(Streamed):
    """Percent of records whose combination of key values occurs in fewer than k records."""

    def check(self) -> None:
        """A missing value is a value like others."""
        if self.measure.missing == "any":
            raise self.refused("missing=any")

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """The sizes of all classes."""
        return (ClassSizes(self.names, self.weighted),)

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Count records in small classes."""
        sizes: Sizes = found[self.needs[0]]
        parts = {
            "smallest": float(sizes.sizes[0]),
            "uniques": sizes.share(sizes.sizes == 1),
            "classes": float(sizes.classes.sum()),
        }
        return Judgement(sizes.share(sizes.sizes < self.measure.k), parts)
