"""Numbers and methods in a few words."""

from collections.abc import Sequence
from typing import TypeVar

from sfumato.core import Method
from sfumato.large.judging.estimates import Estimate
from sfumato.measures import Score

Part = TypeVar("Part", bound=Method)


def percent(value: float) -> str:
    """A percentage as people read it.

    >>> percent(12.345), percent(0.0)
    ('12.35', '0.00')
    """
    return f"{value:.2f}"


def estimate_in_words(score: Score) -> str:
    """How sure a score is that was found from a sample; empty where nothing is left to chance.

    >>> estimate_in_words(Estimate(measure="x", value=2, parts={}, seconds=0, low=1, high=3.25, sample=10_000))
    'estimated from 10,000 records, 95 % interval 1.00 to 3.25'
    """
    if not isinstance(score, Estimate) or score.low == score.high:
        return ""
    return f"estimated from {score.sample:,} records, 95 % interval {score.low:.2f} to {score.high:.2f}"


def told_apart(methods: Sequence[Part]) -> dict[str, Part]:
    """Methods by their names; two of the same name are told apart by their parameters.

    >>> from sfumato.masking import Mdav
    >>> list(told_apart([Mdav(k=3), Mdav()]))
    ['mdav(k=3)', 'mdav']
    """
    names = [method.name for method in methods]
    return {one.name if names.count(one.name) == 1 else one.plain(): one for one in methods}
