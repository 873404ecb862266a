"""A search ends after so many seconds."""

import dataclasses
from typing import Self

from sfumato.core import param
from sfumato.core.quantities import Duration
from sfumato.search.stop_rules._contract import Countdown, Progress


class Seconds(Countdown):
    """Seconds of the search itself, those before it was cut off and resumed among them."""

    option = "--for"
    metavar = "TIME"

    limit: Duration = param(help="stop after 60s, 5m, 1h, or 300g (generations)")

    def used(self, now: Progress) -> float:
        return now.seconds

    def reason(self) -> str:
        return f"{self.limit:g} seconds were over"

    def divided(self, parts: int) -> Self:
        return dataclasses.replace(self, limit=Duration(self.limit / parts))
