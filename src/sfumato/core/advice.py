"""What the users of a protected file are told of a method, without anything that helps to undo it."""

from typing import NamedTuple


class Advice(NamedTuple):
    """What was `done` to the values, in kind; its `effect` on analyses; and the `remedy`: how to allow for it.

    It is published, and stands beside the names of columns: it holds no value, no name, and of the parameters
    only those that a correction needs.
    """

    done: str
    effect: str
    remedy: str
