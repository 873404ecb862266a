"""A search ends when its best score is as low as wanted."""

from sfumato.core import param
from sfumato.search.stop_rules._contract import Progress, StopRule


class Target(StopRule):
    """The score to reach. It may be out of reach, so that another rule must be there too."""

    metavar = "SCORE"
    may_never_hold = True

    limit: float = param(help="stop at this score")

    def holds(self, now: Progress) -> bool:
        return now.best <= self.limit

    def reason(self) -> str:
        return "the target was reached"
