"""Distance-based record linkage of a file that does not fit into memory: estimated from a sample."""

from dataclasses import replace

from sfumato.large.judging.linkage import Sampled, SampledLinks
from sfumato.large.judging.streamed._contract import Found, Judgement, Statistic, Streamed
from sfumato.large.judging.totals import Totals


class DistanceLinkage(Streamed):
    """The share of records whose nearest record is their own, with a confidence interval."""

    def check(self) -> None:
        """Refuse what needs all records at once."""
        if self.measure.distance == "mahalanobis":
            raise self.refused("distance=mahalanobis")
        if self.measure.ties == "miss":
            raise self.refused("ties=miss")
        if self.measure.subsets:
            raise self.refused("subsets")

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """The links of a sample."""
        return (SampledLinks(replace(self.measure, attributes=self.names)),)

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """The estimate."""
        sampled: Sampled = found[self.needs[0]]
        return Judgement(sampled.rate.value, {}, sampled.rate, sampled.records)
