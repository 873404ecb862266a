"""Bars: what a number of ours must reach for a published finding to hold."""

import operator
import re
from dataclasses import dataclass
from typing import Self

from sfumato.core import ParameterError

COMPARISONS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt}
WITHIN = "within"
PUBLISHED = "published"

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_LIMIT = rf"(?P<limit>{PUBLISHED}|{_NUMBER})"
_COMPARED = re.compile(
    rf"(?P<comparison><=|>=|<|>) ?{_LIMIT}(?: ?(?P<sign>[+-]) ?(?P<percent>{_NUMBER}) ?%)?"
)
_NEAR = re.compile(rf"{WITHIN} (?P<percent>{_NUMBER}) ?% of {_LIMIT}")


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A comparison and its limit: a number, or the published value where `limit` is nothing.

    `percent` is how far from the limit a value may be with "within", and otherwise by how many percent of
    itself the limit is moved: up if positive, down if negative.

    >>> print(Bar.parse("<= published"), Bar.parse("< 42.32"), Bar.parse("within 5 % of published"), sep="; ")
    <= published; < 42.32; within 5 % of published
    >>> Bar.parse("<= published + 5 %").holds(10.4, published=10.0)
    True
    >>> Bar.parse("within 5 % of 38").holds(41.0)
    False
    """

    comparison: str
    limit: float | None = None
    percent: float = 0.0

    def __post_init__(self) -> None:
        if self.comparison not in (*COMPARISONS, WITHIN):
            raise ParameterError(
                f"A bar compares by one of {', '.join((*COMPARISONS, WITHIN))}. Got {self.comparison!r}."
            )

    def __str__(self) -> str:
        limit = PUBLISHED if self.limit is None else f"{self.limit:g}"
        if self.comparison == WITHIN:
            return f"{WITHIN} {self.percent:g} % of {limit}"
        moved = f" {'+' if self.percent > 0 else '-'} {abs(self.percent):g} %" if self.percent else ""
        return f"{self.comparison} {limit}{moved}"

    def holds(self, ours: float, published: float | None = None) -> bool:
        """Whether a number of ours is on the right side; one that is no number never is."""
        limit = published if self.limit is None else self.limit
        if limit is None:
            raise ParameterError(f"The bar {str(self)!r} needs a published value.")
        slack = abs(limit) * self.percent / 100
        if self.comparison == WITHIN:
            return abs(ours - limit) <= slack
        return bool(COMPARISONS[self.comparison](ours, limit + slack))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a bar as it is printed."""
        found = _COMPARED.fullmatch(text.strip()) or _NEAR.fullmatch(text.strip())
        if found is None:
            raise ParameterError(
                f"A bar reads '<= published', '< 42.32', '<= published + 5 %' or 'within 5 % of published'. "
                f"Got {text!r}."
            )
        given = found.groupdict()
        percent = float(given["percent"] or 0) * (-1 if given.get("sign") == "-" else 1)
        limit = None if given["limit"] == PUBLISHED else float(given["limit"])
        return cls(comparison=given.get("comparison") or WITHIN, limit=limit, percent=percent)
