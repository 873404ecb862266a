"""What losses share that look at classes of equal key values, and at how far something of them grew."""

from abc import abstractmethod

from sfumato.data import Table
from sfumato.measures._contract import Bound, Judged, Measure


class ClassGrowth(Measure):
    """100 · (a' − a) / (most − a), at least 0: `amount` a of the original grew to a' of the masked file, and may to `most`.

    A subclass also says what the parts are.
    """

    sense = "loss"
    joinable = False

    @abstractmethod
    def amount(self, table: Table, names: tuple[str, ...]) -> float:
        """That of a table, by classes of records that are equal in some columns."""

    @abstractmethod
    def most(self, n: int) -> float:
        """That of n records which are all alike."""

    @abstractmethod
    def parts(self, n: int, before: float, now: float) -> dict[str, float]:
        """What is told beside the loss, of so many masked records; there is one at least."""

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return _BoundGrowth(self, original, names)


class _BoundGrowth(Bound):
    measure: ClassGrowth

    def __init__(self, measure: ClassGrowth, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.before = measure.amount(original, names)

    def judge(self, masked: Table) -> Judged:
        now, most = self.measure.amount(masked, self.names), self.measure.most(masked.n)
        grown = max(now - self.before, 0.0)
        lost = 100 * grown / (most - self.before) if most > self.before else 0.0
        return lost, self.measure.parts(masked.n, self.before, now)
