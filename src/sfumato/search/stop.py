"""When a search ends, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Self

from sfumato.core import ParameterError, registry
from sfumato.search.stop_rules import Progress, StopRule

__all__ = ["Ending", "Progress", "Stop"]


class Ending(Enum):
    """How a search ended; the value says it to people, where no rule does."""

    BY_RULE = "a rule held"
    BY_USER = "the user stopped it"
    NOTHING_LEFT = "there was nothing more to try"


@dataclass(frozen=True, init=False, repr=False)
class Stop:
    """Rules of which the first that holds ends a search, each named with its limit; None stands for no rule.

    >>> stop = Stop(generations=1000, target=5.0)
    >>> stop
    Stop(target=5.0, generations=1000)
    >>> stop.holding(Progress(generation=40, seconds=1.0, best=4.9, unchanged=0))
    Target(limit=5.0)
    >>> stop.share(Progress(generation=40, seconds=1.0, best=6.0, unchanged=0))
    0.04
    """

    rules: tuple[StopRule, ...]

    def __init__(self, **limits: Any) -> None:
        rules = _made(limits)
        if all(rule.may_never_hold for rule in rules):
            raise ParameterError(_endless())
        object.__setattr__(self, "rules", rules)

    def __repr__(self) -> str:
        return f"Stop({', '.join(f'{rule.name}={rule.limit!r}' for rule in self.rules)})"

    @classmethod
    def when_done(cls, **limits: Any) -> Self:
        """For a search that ends by itself when nothing is left to try, if no rule ends it before."""
        return cls._of(_made(limits))

    @classmethod
    def given(cls, limits: Mapping[str, Any], *, usual: Mapping[str, Any]) -> Self:
        """The rules that were given, and the usual ones where none of them is sure to end a search.

        >>> Stop.given({"target": 5.0, "generations": None}, usual={"seconds": 60.0})
        Stop(target=5.0, seconds=60.0)
        """
        endless = all(rule.may_never_hold for rule in _made(limits))
        return cls(**{**limits, **usual} if endless else limits)

    def divided(self, parts: int) -> Self:
        """The rules for each of so many searches that are made one after the other."""
        return self._of(tuple(rule.divided(parts) for rule in self.rules))

    def holding(self, now: Progress) -> StopRule | None:
        return next((rule for rule in self.rules if rule.holds(now)), None)

    def share(self, now: Progress) -> float:
        """How much of the way is done, from 0 to 1, as far as the rules can tell."""
        ways = [share for rule in self.rules if (share := rule.share(now)) is not None]
        return min(1.0, max(ways, default=0.0))

    @classmethod
    def _of(cls, rules: tuple[StopRule, ...]) -> Self:
        made = cls.__new__(cls)
        object.__setattr__(made, "rules", rules)
        return made


def _made(limits: Mapping[str, Any]) -> tuple[StopRule, ...]:
    """The rules, those that may never hold first, since what they say is worth more."""
    rules: list[StopRule] = [
        registry.load("stop_rules", name)(limit=limit) for name, limit in limits.items() if limit is not None
    ]
    return tuple(sorted(rules, key=lambda rule: (not rule.may_never_hold, rule.name)))


def _endless() -> str:
    rules: dict[str, type[StopRule]] = {
        name: registry.load("stop_rules", name) for name in registry.names("stop_rules")
    }
    sure = [name for name, rule in rules.items() if not rule.may_never_hold]
    unsure = [name for name, rule in rules.items() if rule.may_never_hold]
    return f"stop: give {', '.join(sure[:-1])} or {sure[-1]}; a {' or a '.join(unsure)} may never be met."
