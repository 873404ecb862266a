"""How a printed number stands beside ours: reproduced, better, worse and why, or not reproducible and why."""

import dataclasses
import re
from collections.abc import Iterable
from typing import NamedTuple

from sfumato.jobs import Line

NEAR = 1.0  # percent within which a number counts as the same
MORE_IS_BETTER = r"fall|margin|improvement|growth|groups|speed-up|seconds spared"
UNEXPLAINED = "no cause was found"


class Why(NamedTuple):
    """Why lines in which a pattern is found may be worse than print, or, if `wrong`, cannot be as printed.

    A bar that such a line misses is told in words, and no longer asked of it; but a bar without a published number, or of
    one of ours against another, has to hold.
    """

    pattern: str
    reason: str
    wrong: bool = False
    digits: int = 2


def mark(ours: float, published: float, *, same: float, higher: bool = False, why: str = "") -> str:
    """Reproduced where the two are no more than `same` apart; else better, or worse and why.

    Lower is better, unless `higher` is.

    >>> mark(85, 61.2, same=1, higher=True), mark(20, 6.2, same=1, why="small areas")
    ('better', 'worse: small areas')
    """
    if abs(ours - published) <= same:
        return "reproduced"
    if (ours > published) == higher:
        return "better"
    return f"worse: {why}" if why else "worse"


def marked(lines: Iterable[Line], reasons: Iterable[Why] = ()) -> tuple[Line, ...]:
    """Lines that say in brackets how what was published stands; the first reason that fits one counts.

    >>> (line,) = marked([Line.of("IL", ours=5.2, published=5.0)], [Why("IL", "another sample")])
    >>> line.what
    'IL [worse: another sample]'
    """
    known = tuple(reasons)
    return tuple(_marked(line, known) for line in lines)


def stands(
    ours: float, published: float, *, digits: int = 2, near: float = NEAR, more_is_better: bool = False
) -> str:
    """ "reproduced" within some percent or the last printed digit; else which of both is better.

    >>> stands(5.04, 5.0), stands(4.0, 5.0), stands(4.0, 5.0, more_is_better=True), stands(0.4, 0, digits=0)
    ('reproduced', 'better', 'worse', 'reproduced')
    """
    same = max(near / 100 * abs(published), 0.5 * 10.0**-digits)
    return mark(ours, published, same=same, higher=more_is_better)


def _marked(line: Line, reasons: tuple[Why, ...]) -> Line:
    why = next((why for why in reasons if re.search(why.pattern, line.what)), None)
    excused = line.published is not None and " against " not in line.what  # what is ours has to hold
    missed = line.verdict == "fails" and why is not None and excused
    if line.what.endswith("]") or line.published is None:
        return line
    found = _mark(line, why)
    if why is None or not missed:
        return dataclasses.replace(line, what=f"{line.what} [{found}]")
    found = found if why.reason in found else f"{found}: {why.reason}"
    return dataclasses.replace(line, what=f"{line.what} [{found}; asked was {line.bar}]", bar=None)


def _mark(line: Line, why: Why | None) -> str:
    if why is not None and why.wrong:
        return f"not reproducible: {why.reason}"
    digits = 2 if why is None else why.digits
    more = re.search(MORE_IS_BETTER, line.what) is not None
    found = stands(line.ours, line.published or 0.0, digits=digits, more_is_better=more)
    return f"{found}: {UNEXPLAINED if why is None else why.reason}" if found == "worse" else found
