"""A search ends when its population has not changed, as its mean score tells."""

from sfumato.core import param
from sfumato.search.stop_rules._contract import Countdown, Progress


class Settled(Countdown):
    """Successive populations with the same mean score are the same, where the best survive.

    Source: Balasch, *thesis*, §3.1, who names it for GOMM with one generation.
    """

    limit: int = param(low=1, help="stop when the mean score stayed the same for so many generations")

    def used(self, now: Progress) -> float:
        return now.settled

    def reason(self) -> str:
        return f"the mean score stayed the same for {self.limit} generations"
