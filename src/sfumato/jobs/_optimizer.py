"""What jobs share that can be told by which optimiser to search."""

import inspect
from typing import Any, ClassVar

from sfumato.core import ParameterError, param, registry
from sfumato.jobs._searching import Searching
from sfumato.search.contracts import Optimizer, Problem


class Optimized(Searching):
    """A search with an optimiser of its own, or with one that is given together with its parameters.

    `problem` is what is searched for; an optimiser takes the place of the settings `replaced`.
    """

    problem: ClassVar[type[Problem[Any, Any]]]
    replaced: ClassVar[tuple[str, ...]] = ()

    optimizer: Optimizer[Any, Any] | None = param(
        default=None,
        word="NAME(…)",
        help="search with this optimiser and its parameters, in place of what is usual",
    )

    def check(self) -> None:
        super().check()
        if self.optimizer is None:
            return
        if not _fits(type(self.optimizer), self.problem):
            known = [n for n in registry.names("optimizers") if _fits(_loaded(n), self.problem)]
            raise ParameterError(
                f"{self.name}: optimizer must be one of {', '.join(known)}. Got {self.optimizer.name!r}."
            )
        given = [name for name in self.replaced if name in self.non_defaults()]
        if given:
            raise ParameterError(
                f"{self.name}: optimizer takes the place of {', '.join(given)}: give one or the other."
            )


def _loaded(name: str) -> type[Optimizer[Any, Any]]:
    optimizer: type[Optimizer[Any, Any]] = registry.load("optimizers", name)
    return optimizer


def _fits(optimizer: type[Optimizer[Any, Any]], problem: type[Problem[Any, Any]]) -> bool:
    """Whether an optimiser searches for solutions of a problem, as its `search` declares."""
    taken = inspect.get_annotations(optimizer.search).get("problem")
    return not isinstance(taken, type) or issubclass(problem, taken)
