"""What a script is made of: the file, what is known of it, and the steps with the table before and after each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from sfumato.data import Attribute, CsvOptions, Table
from sfumato.data.edit_rules import COMPARE, Condition
from sfumato.masking import ByHand, Masking, TopBottomCoding, Whole
from sfumato.version import __version__


class Step(NamedTuple):
    """A masking, and the table that it was applied to and made."""

    masking: Masking
    before: Table
    after: Table

    @property
    def names(self) -> tuple[str, ...]:
        return self.masking.targets(self.before)


@dataclass(frozen=True, kw_only=True)
class Script:
    """What is told in another language. `arguments` are those of the function `protect`, but for the steps.

    `file` and `output` are paths from where the script lies. `whole` is false where the steps were tried on a sample:
    then what a step found in the records is that of the sample.
    """

    file: str
    text: CsvOptions
    arguments: Mapping[str, Any]
    by_hand: ByHand
    steps: tuple[Step, ...]
    original: Table
    whole: bool = True

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.file).suffix.lower()

    @property
    def output(self) -> str:
        """Where a script writes what the steps made: never over a file of ours."""
        path = PurePosixPath(self.file)
        return str(path.with_name(f"{path.stem}-by-hand.csv"))

    def heading(self) -> list[str]:
        """What every script begins with, as lines of a comment."""
        told = [
            f"Steps by hand on {PurePosixPath(self.file).name}, written by sfumato {__version__}.",
            "It names categories and limits that were chosen by looking at the file: keep it with the owner.",
        ]
        if not self.whole:
            told.append("Limits that a step found in the records are those of a random sample of the file.")
        return told


def new_categories(step: Step, name: str) -> dict[str, list[str]]:
    """The categories that a step made of others in a column, each with those it took the place of.

    >>> from sfumato.masking import Recoding
    >>> from sfumato.data import Schema
    >>> size = Attribute(name="size", scale="ordinal", role="key", categories=("S", "M", "L"))
    >>> table = Table(Schema([size]), {"size": [0, 1, 2]})
    >>> recode = Recoding(to={"large": ["M", "L"]})
    >>> new_categories(Step(recode, table, recode.apply(table, np.random.default_rng(0))), "size")
    {'large': ['M', 'L']}
    """
    before, after = step.before.schema[name], step.after.schema[name]
    originals = {category: _originals(before, category) for category in before.categories}
    found: dict[str, list[str]] = {}
    for new in after.categories:
        if new not in originals:
            covered = _originals(after, new)
            members = [old for old, of in originals.items() if of <= covered and old not in after.categories]
            if members:
                found[new] = members
    return found


class CodedEnd(NamedTuple):
    """An end of a column that was coded: beyond which number, and what became of it."""

    kind: str
    limit: float
    value: float


def coded_ends(step: Step, name: str) -> Iterator[CodedEnd]:
    """The ends that top and bottom coding hid in a column of numbers."""
    masking, before, after = step.masking, step.before[name], step.after[name]
    assert isinstance(masking, TopBottomCoding)
    top, bottom = masking.top, masking.bottom
    if not masking.is_given and not step.before.missing(name).all():
        tails = Whole.of(step.before).tails(name, masking.percent)
        top = None if masking.side == "bottom" else tails.high
        bottom = None if masking.side == "top" else tails.low
    for kind, limit, beyond in (("top", top, np.greater), ("bottom", bottom, np.less)):
        if limit is not None:
            hidden = beyond(before, limit)
            yield CodedEnd(kind, limit, float(after[hidden][0]) if hidden.any() else limit)


def _originals(attribute: Attribute, category: str) -> set[str]:
    return set(attribute.covers.get(category, (category,)))


def categories_that_hold(condition: Condition, attribute: Attribute) -> list[str]:
    """The categories of which a condition is true, so that no order has to be known where it is read."""
    holds = condition.holds(attribute, np.arange(attribute.domain_size))
    return [category for category, found in zip(attribute.categories, holds, strict=True) if found]


def limits_of(condition: Condition) -> tuple[str, list[float]]:
    """The sign of a condition on numbers, and what stands on its right side."""
    return condition.sign, [float(value) for value in condition.values]


def is_comparison(sign: str) -> bool:
    return sign in COMPARE


def number(value: float) -> str:
    """A number as any language reads it.

    >>> number(30.0), number(0.1)
    ('30', '0.1')
    """
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def runs(values: Sequence[str], length: int) -> list[list[str]]:
    """Values in runs of at most so many."""
    numbered = enumerate(values)
    return [[value for _, value in group] for _, group in groupby(numbered, lambda pair: pair[0] // length)]
