"""What operators do: propose changes of masked files, and remember what they worked out about these."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from sfumato.core import Method
from sfumato.measures import Change
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.problems.masked_files import MaskedFiles

Given = ParamSpec("Given")
Found = TypeVar("Found")


class Mutation(Method, ABC):
    """Changes one file a little."""

    def fits(self, problem: MaskedFiles) -> bool:
        """Whether there is something it is made for; where there is not, it still does something sensible."""
        return True

    @abstractmethod
    def mutate(self, problem: MaskedFiles, genome: Genome, rng: np.random.Generator, *, size: int) -> Change:
        """A change to try; `size` says how large a step is wanted, in cells or pairs of cells."""


class Crossover(Method, ABC):
    """Exchanges parts of two files."""

    @abstractmethod
    def cross(
        self, problem: MaskedFiles, first: Genome, second: Genome, rng: np.random.Generator
    ) -> tuple[Change, Change]:
        """What the first takes from the second, and the second from the first."""


def present_cell(problem: MaskedFiles, rng: np.random.Generator) -> tuple[int, str]:
    """A cell drawn from those that hold a value in the original; any cell where hardly one does."""
    rows, columns = problem.cells.shape
    for _ in range(100):
        row, column = int(rng.integers(rows)), int(rng.integers(columns))
        if problem.cells[row, column]:
            break
    return row, problem.names[column]


def some_present(genome: Genome, name: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Up to so many distinct records, in the order of the file, that hold a value of an attribute."""
    values = genome.columns[name]
    n = len(values)
    rows = rng.choice(n, min(count, n), replace=False, shuffle=False)
    here = ~np.isnan(values[rows]) if values.dtype.kind == "f" else values[rows] >= 0
    return np.sort(rows[here])


def some_attribute(problem: MaskedFiles, rng: np.random.Generator) -> str:
    return problem.names[int(rng.integers(len(problem.names)))]


def taken(first: Genome, second: Genome, names: tuple[str, ...], rows: np.ndarray) -> tuple[Change, Change]:
    """The exchange of whole records."""
    return (
        Change(rows, {name: second.columns[name][rows] for name in names}),
        Change(rows, {name: first.columns[name][rows] for name in names}),
    )


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
