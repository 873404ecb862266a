"""Libraries of linear algebra on one thread: sums then have one order, and small ones are quicker."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Hold them to one thread within a block."""
    limits: AbstractContextManager[Any] = _controller().limit(limits=1)
    return limits


@cache
def _controller() -> Any:
    """What knows the libraries of this process, among them those that scikit-learn brings; looking for them takes long."""
    import sklearn.tree  # noqa: F401 -- loads them
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
