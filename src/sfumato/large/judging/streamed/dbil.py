"""DBIL, block by block: distances of the pairs of categories, weighed by how often they occur."""

from sfumato.data.coverage import coverage_of
from sfumato.large.judging.streamed._contract import Found, Judgement
from sfumato.large.judging.streamed._joint import JointStreamed
from sfumato.large.judging.totals import Totals


class Dbil(JointStreamed):
    """The mean distance of masked and original categories."""

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Average over pairs, then over attributes."""
        parts = {}
        for name, pairs in self.pairs(found).items():
            reading = coverage_of(self.subject.original[name], self.subject.masked[name])
            apart = reading.distances(reading.of(pairs.masked), pairs.original)
            parts[name] = 100 * float(pairs.counts @ apart) / totals.n
        return Judgement(sum(parts.values()) / len(parts), parts)
