"""What `dbil` and `ebil` share: pairs of masked and original categories of all records."""

from collections.abc import Mapping

import numpy as np

from sfumato.large.judging.frequencies import Cells, JointCounts
from sfumato.large.judging.streamed._contract import Found, Statistic, Streamed
from sfumato.measures._joint import Joint


class JointStreamed(Streamed):
    """A measure of the pairs of masked and original categories, attribute by attribute."""

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """The joint counts."""
        return tuple(JointCounts(name, self.weighted) for name in self.names)

    def pairs(self, found: Found) -> Mapping[str, Joint]:
        """The joint counts by attribute."""
        return {name: _joint(found[need]) for name, need in zip(self.names, self.needs, strict=True)}


def _joint(cells: Cells) -> Joint:
    masked, original = (
        np.where(codes == width - 1, -1, codes)
        for codes, width in zip(cells.codes(), cells.shape, strict=True)
    )
    return Joint(masked, original, cells.counts)
