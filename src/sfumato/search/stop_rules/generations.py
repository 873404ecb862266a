"""A search ends after so many generations."""

from sfumato.core import param
from sfumato.search.stop_rules._contract import Countdown, Progress


class Generations(Countdown):
    """The start is generation 0. As many generations of the same search give the same outcome again."""

    limit: int = param(low=1, help="stop after so many generations")

    def used(self, now: Progress) -> float:
        return now.generation

    def reason(self) -> str:
        return f"{self.limit} generations were made"
