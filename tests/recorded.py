"""Texts that are kept beside the tests: lines for people to read, of which numbers may differ in their last digits.

A file of a folder holds what one case gives. Whoever changes one on purpose writes it anew, and looks at what differs.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import ndiff
from itertools import zip_longest
from pathlib import Path

NUMBER = re.compile(r"(?<![\w.#])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]*\w)")
RELATIVE, ABSOLUTE = 2e-5, 1e-9  # numbers are written with six digits
MOST_TOLD = 12  # lines that differ


def number(value: float) -> str:
    """A number with six digits; what is nothing but for rounding is nothing.

    >>> number(0.1 + 0.2), number(-1e-17), number(2.0)
    ('0.3', '0', '2')
    """
    return "0" if abs(value) < 1e-12 else format(float(value), ".6g")


def numbers(values: Sequence[float]) -> str:
    return " ".join(map(number, values))


def differences(expected: str, found: str, *, exact: bool = False) -> str:
    """The lines that differ by more than the last digits of numbers, as they were and as they are; nothing if none do.

    What is `exact` may not differ in these either.
    """
    was, now = expected.splitlines(), found.splitlines()
    if len(was) != len(now):
        told = [line for line in ndiff(was, now) if line[:1] in "+-"]
    else:
        pairs = [
            (one, two)
            for one, two in zip_longest(was, now)
            if one != two and (exact or not _is_like(one, two))
        ]
        told = [line for one, two in pairs for line in (f"- {one}", f"+ {two}")]
    return "\n".join(told[: 2 * MOST_TOLD])


def _is_like(one: str, two: str) -> bool:
    if NUMBER.split(one) != NUMBER.split(two):
        return False
    pairs = zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(two)), strict=True)
    return all(abs(a - b) <= ABSOLUTE + RELATIVE * max(abs(a), abs(b)) for a, b in pairs)


def check(folder: Path, name: str, found: str, *, exact: bool = False) -> None:
    """Fail, and say how, where a case does not give what is kept of it."""
    path = folder / f"{name}.txt"
    assert path.exists(), f"{path.name} is not in {folder.name}: write it, and read it before you keep it"
    told = differences(path.read_text(encoding="utf-8"), found, exact=exact)
    assert not told, f"{name} is not as {folder.name}/{path.name} has it:\n{told}"


def write(folder: Path, cases: Mapping[str, Callable[[], str]], beginning: str = "") -> None:
    """Write what cases give whose name begins so; files of cases that are no more go."""
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.txt"):
        if path.stem not in cases:
            path.unlink()
    for name, case in cases.items():
        if name.startswith(beginning):
            (folder / f"{name}.txt").write_text(case() + "\n", encoding="utf-8")
