"""EBIL, block by block: the entropy left in original categories, from joint counts."""

import math

from sfumato.large.judging.streamed._contract import Found, Judgement
from sfumato.large.judging.streamed._joint import JointStreamed
from sfumato.large.judging.totals import Totals
from sfumato.measures._joint import conditional_bits


class Ebil(JointStreamed):
    """The entropy of the original category given the masked one, in percent of the most there can be."""

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Sum the bits; an only category loses nothing."""
        lost, most = {}, {}
        for name, pairs in self.pairs(found).items():
            most[name] = totals.n * math.log2(self.domain_size(name, totals))
            lost[name] = conditional_bits(pairs.counts, pairs.by_masked()) if most[name] else 0.0
        parts = {name: 100 * lost[name] / (most[name] or 1.0) for name in self.names}
        return Judgement(100 * sum(lost.values()) / (sum(most.values()) or 1.0), parts)
