"""Maskings in a few words, as maps, reports and pages name them."""

import dataclasses
import itertools
from typing import Any

from sfumato.core import parameters
from sfumato.masking import Masking


def in_short(masking: Masking) -> str:
    """A masking without the list of its columns: what was given, and whatever the portfolio varies.

    >>> from sfumato.masking import Chain, Mdav
    >>> in_short(Chain((Mdav(attributes=("age",)), Mdav(k=3, standardise="range"))))
    'mdav k=5 → mdav k=3 standardise=range'
    """
    return " → ".join(_runs([_single_in_short(single) for single in masking.sequence]))


def _single_in_short(masking: Masking) -> str:
    spec = masking.spec()
    told = [n for n in parameters(type(masking)) if n != "attributes" and (n in spec or n in masking.grid)]
    return " ".join([masking.name, *(f"{name}={plain_value(getattr(masking, name))}" for name in told)])


def without_columns(origin: Masking | str) -> str:
    """What made a file, without the list of its columns; a text as it is.

    >>> from sfumato.masking import Chain, Mdav, Pram
    >>> without_columns(Chain((Mdav(k=50, attributes=("staff", "wages")), Pram(attributes=("sector",)))))
    'mdav (k = 50) then pram'
    """
    if isinstance(origin, str):
        return origin
    return " then ".join(
        _runs([str(dataclasses.replace(single, attributes=())) for single in origin.sequence])
    )


def _runs(steps: list[str]) -> list[str]:
    """Steps in a row that read alike are told once.

    >>> _runs(["a", "a", "b"])
    ['a (2 columns, each by itself)', 'b']
    """
    runs = [(step, len(list(same))) for step, same in itertools.groupby(steps)]
    return [step if count == 1 else f"{step} ({count} columns, each by itself)" for step, count in runs]


def plain_value(value: Any) -> str:
    """A parameter as people write it.

    >>> plain_value(20.0), plain_value(("a", "b"))
    ('20', 'a, b')
    """
    if isinstance(value, tuple):
        return ", ".join(map(plain_value, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
