"""A search ends when its best score has not fallen for so many generations."""

from sfumato.core import param
from sfumato.search.stop_rules._contract import Countdown, Progress


class Stagnation(Countdown):
    """Where a front is sought, a front that grows counts as a score that falls."""

    limit: int = param(low=1, help="stop when the best score did not fall for so many generations")

    def used(self, now: Progress) -> float:
        return now.unchanged

    def reason(self) -> str:
        return f"the best score did not fall for {self.limit} generations"
