"""How kernels are compiled: cached on disk, and without the interpreter lock."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called, and keep the result for later runs."""
    compiled: Callable[P, R] = njit(cache=True, nogil=True)(function)
    return compiled
