"""What every stop rule does: look how far a search is, and say whether it ends there."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sfumato.core import Method


@dataclass(frozen=True)
class Progress:
    """How far a search is: so many were judged; for so many generations the best score, or the mean of all, is the same."""

    generation: int
    seconds: float
    best: float
    unchanged: int
    settled: int = 0
    evaluations: int = 0


class StopRule(Method, ABC):
    """A rule that ends a search at its `limit`; a subclass says of what, and of which type.

    `option` is how the command line spells it, `--` and its name unless the class says otherwise, and `metavar`
    how it names the limit. A rule that `may_never_hold`, such as a target, cannot be the only one of a search
    that has no end of its own; what it says counts before what others say.
    """

    registered_in: ClassVar[str] = "stop_rules"
    noun: ClassVar[str] = "a stop rule such as generations"
    option: ClassVar[str]
    metavar: ClassVar[str] = "N"
    may_never_hold: ClassVar[bool] = False

    limit: Any

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "option" not in vars(cls):
            cls.option = f"--{cls.name.replace('_', '-')}"

    @abstractmethod
    def holds(self, now: Progress) -> bool:
        """Whether the search ends here."""

    @abstractmethod
    def reason(self) -> str:
        """Why it ended, in the words that follow "since"."""

    def share(self, now: Progress) -> float | None:
        """How much of the way to the limit is done; nothing where that cannot be told."""
        return None

    def divided(self, parts: int) -> Self:
        """The rule for each of so many searches that are made one after the other."""
        return self


class Countdown(StopRule):
    """A rule whose limit is an amount above 0, which is used up on the way."""

    @abstractmethod
    def used(self, now: Progress) -> float:
        """How much of the limit is used up."""

    def holds(self, now: Progress) -> bool:
        return bool(self.used(now) >= self.limit)

    def share(self, now: Progress) -> float | None:
        return float(self.used(now) / self.limit)
