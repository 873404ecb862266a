"""Disclosure risk of a file that does not fit into memory: interval disclosure, and linkage of a sample."""

from collections.abc import Mapping

from sfumato.attacks._contract import Rate
from sfumato.large.judging.streamed._composed import ComposedStreamed
from sfumato.large.judging.streamed._contract import Found, Judgement
from sfumato.large.judging.totals import Totals
from sfumato.measures import Measure
from sfumato.measures.disclosure_risk import combined_risk, risks


class DisclosureRisk(ComposedStreamed):
    """Half interval disclosure, which is exact, and half linkage, which is an estimate: so is the whole."""

    def check(self) -> None:
        """Only distance-based linkage has a form for large files."""
        if self.measure.linkage != "distance":
            raise self.refused(f"linkage={self.measure.linkage}")
        super().check()

    def measures(self) -> Mapping[str, Measure]:
        """The risks it is made of."""
        return risks(self.measure, self.names)

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Combine them; the interval of the linkage is carried over."""
        interval, linkage = self.judgements(found, totals).values()
        assert linkage.rate is not None
        values = {"interval": interval.value, "distance": linkage.value}
        numeric = all(self.subject.original[name].is_numeric for name in self.names)
        value, parts = combined_risk(values, all_numeric=numeric)
        low, high = ((interval.value + end) / 2 for end in (linkage.rate.low, linkage.rate.high))
        return Judgement(value, parts, Rate(value=value, low=low, high=high), linkage.sample)
