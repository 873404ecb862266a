"""Remembering what was worked out about a problem or a genome, for as long as it lives."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Given = ParamSpec("Given")
Found = TypeVar("Found")


def remembered(work_out: Callable[Given, Found]) -> Callable[Given, Found]:
    """Work something out once for each last argument, and forget it together with that.

    >>> class Thing: pass
    >>> thing, calls = Thing(), []
    >>> about = remembered(lambda thing: calls.append(thing) or len(calls))
    >>> about(thing), about(thing), about(Thing())
    (1, 1, 2)
    """
    known: WeakKeyDictionary[object, Found] = WeakKeyDictionary()

    @wraps(work_out, updated=())
    def found(*given: Given.args, **named: Given.kwargs) -> Found:
        about = given[-1]
        if about not in known:
            known[about] = work_out(*given, **named)
        return known[about]

    return found
