"""Dependent numbers: columns of which each depends on one other, as a known tree says."""

import numpy as np

from sfumato.core import ParameterError, stream
from sfumato.data import Schema, Table
from sfumato.datasets._attributes import number
from sfumato.datasets._random_columns import checked_size, draw, draw_alike

CLASSES, WIDTH = 10, 100  # intervals of the whole numbers from 1 to 1000
Tree = tuple[tuple[str, str], ...]


def dependent_numbers(n: int = 1000, *, seed: int = 1, attributes: int = 8, clear: float = 0.3) -> Table:
    """Whole numbers from 1 to 1000, in ten intervals of 100; the interval of a column hangs on that of its parent.

    The chances of the intervals of the first column are drawn, and those of each other column for each interval of its
    parent; within an interval all numbers have the same chance. Chances are drawn from a Dirichlet law whose parameter is
    `clear` for each interval: 1 draws them evenly, less makes columns depend more on their parents. The tree is the
    seed's, see `tree_of`. With 8, 16 and 22 attributes these are files like Fayyoumi's Sim_1 to Sim_3, whose trees
    are pictures and whose chances were drawn. All columns are keys.

    >>> dependent_numbers(500, attributes=4)
    Table(500 records × 4 attributes)
    """
    n = checked_size("dependent_numbers", n)
    if attributes < 2 or clear <= 0:
        raise ParameterError(
            "dependent_numbers: there must be two attributes at least, and clear must be above 0."
        )
    rng = stream(seed, "dependent_numbers", "values")
    names = [f"v{j + 1}" for j in range(attributes)]
    classes = {names[0]: draw_alike(rng, rng.dirichlet(np.full(CLASSES, clear)), n)}
    for parent, child in tree_of(attributes, seed):
        chances = rng.dirichlet(np.full(CLASSES, clear), CLASSES)
        classes[child] = draw(rng, chances, classes[parent])
    schema = Schema(number(name, low=1, high=CLASSES * WIDTH) for name in names)
    return Table(
        schema,
        {name: WIDTH * classes[name].astype(float) + rng.integers(1, WIDTH + 1, n) for name in names},
    )


def tree_of(attributes: int, seed: int) -> Tree:
    """Pairs of parent and child: each column after the first hangs on one before it, drawn at random.

    >>> len(tree_of(8, seed=1)), tree_of(8, seed=1)[0]
    (7, ('v1', 'v2'))
    """
    rng = stream(seed, "dependent_numbers", "tree")
    return tuple((f"v{1 + int(rng.integers(j))}", f"v{j + 1}") for j in range(1, attributes))
