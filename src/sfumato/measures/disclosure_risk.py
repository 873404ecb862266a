"""Disclosure risk: one number for how much of the original a masked file gives away."""

from typing import ClassVar, Literal

from sfumato.data import Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures.distance_linkage import DistanceLinkage
from sfumato.measures.interval_disclosure import IntervalDisclosure


class DisclosureRisk(Measure):
    """DR = 0.5 · interval disclosure + 0.5 · distance-based record linkage.

    From 0 to 100; the fast form, without probabilistic linkage. It takes attributes of all scales, and
    missing values count as the two measures say. The parts are `interval` and `linkage`.

    Source: Balasch, *thesis*, §3.3; Marés, *thesis*, §2.4.2 and §4.1.3, without probabilistic linkage.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [5.0, 5.0, 7.0, 9.0]}))
    >>> DisclosureRisk().bind(original).score(original).parts
    {'interval': 100.0, 'linkage': 100.0}
    """

    sense: ClassVar[Literal["loss", "risk"]] = "risk"

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Bind both measures."""
        return _BoundRisk(self, original, names)


class _BoundRisk(Bound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.interval = IntervalDisclosure(percent=10, attributes=names).bind(original)
        self.linkage = DistanceLinkage(ties="expected", attributes=names).bind(original)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        interval, linkage = self.interval.judge(masked)[0], self.linkage.judge(masked)[0]
        return (interval + linkage) / 2, {"interval": interval, "linkage": linkage}
