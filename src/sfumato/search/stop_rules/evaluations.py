"""A search ends after so many evaluations."""

from sfumato.core import param
from sfumato.search.stop_rules._contract import Countdown, Progress


class Evaluations(Countdown):
    """Whatever is tried and judged counts, the start too. A generation that has begun is made to its end."""

    limit: int = param(low=1, help="stop when so many candidates were judged")

    def used(self, now: Progress) -> float:
        return now.evaluations

    def reason(self) -> str:
        return f"{self.limit} candidates were judged"
