"""Numbers and methods in a few words."""

from collections.abc import Sequence
from typing import TypeVar

from sfumato.core import Method

Part = TypeVar("Part", bound=Method)


def percent(value: float) -> str:
    """A percentage as people read it.

    >>> percent(12.345), percent(0.0)
    ('12.35', '0.00')
    """
    return f"{value:.2f}"


def told_apart(methods: Sequence[Part]) -> dict[str, Part]:
    """Methods by their names; two of the same name are told apart by their parameters.

    >>> from sfumato.masking import Mdav
    >>> list(told_apart([Mdav(k=3), Mdav()])), list(told_apart([Mdav(k=3)]))
    (['mdav(k=3)', 'mdav'], ['mdav'])
    """
    names = [method.name for method in methods]
    return {one.name if names.count(one.name) == 1 else one.plain(): one for one in methods}
