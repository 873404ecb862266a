"""Groupings by correlation, the two recipes of the literature: alike attributes together, or apart.

Together loses little, since attributes that go along with each other have clusters in common; apart hides more, since
records that are near each other in one group are near in the next one too.

Source: Balasch, *thesis*, §2.1.2, after Nin, Herranz & Torra; neither prints an algorithm. Here groups grow one
attribute at a time.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from sfumato.core import ParameterError
from sfumato.search.grouping.groupings import Grouping, grouping_of


def correlated(likeness: np.ndarray, size: int) -> Grouping:
    """Groups of so many attributes, each with those it is most alike to; the last may be smaller.

    A group begins with the two attributes left that are most alike, and takes the one most alike to all it has.

    >>> correlated(np.array([[1, 0.1, 0.9], [0.1, 1, 0.2], [0.9, 0.2, 1]]), 2)
    (0, 1, 0)
    """
    left, groups = list(range(len(likeness))), list[list[int]]()
    while left:
        sums = {j: max((likeness[j, i] for i in left if i != j), default=0.0) for j in left}
        group = [max(left, key=lambda j: (sums[j], -j))]
        left.remove(group[0])
        while left and len(group) < size:
            nearest = max(left, key=lambda j: (likeness[j, group].sum(), -j))
            group.append(nearest)
            left.remove(nearest)
        groups.append(group)
    return grouping_of(groups, len(likeness))


def uncorrelated(likeness: np.ndarray, size: int) -> Grouping:
    """As many groups, but attributes that are alike in different ones.

    Attributes are dealt in the order of how alike they are to all others, each to the group with room that it is
    least alike to.

    >>> uncorrelated(np.array([[1, 0.1, 0.9], [0.1, 1, 0.2], [0.9, 0.2, 1]]), 2)
    (0, 0, 1)
    """
    count = -(-len(likeness) // size)
    groups: list[list[int]] = [[] for _ in range(count)]
    for j in sorted(range(len(likeness)), key=lambda j: (-likeness[j].sum(), j)):
        open_groups = [group for group in groups if len(group) < size]
        min(open_groups, key=lambda group: (likeness[j, group].sum(), len(group))).append(j)
    return grouping_of([group for group in groups if group], len(likeness))


RECIPES: dict[str, Callable[[np.ndarray, int], Grouping]] = {
    "correlated": correlated,
    "uncorrelated": uncorrelated,
}


def likeness_of(values: np.ndarray) -> np.ndarray:
    """|Pearson's correlation| of all columns, of the records that have both; 0 where one does not vary."""
    alike = np.eye(values.shape[1])
    for i, j in combinations(range(len(alike)), 2):
        pair = values[:, [i, j]]
        whole = pair[~np.isnan(pair).any(axis=1)]
        if len(whole) > 1 and whole.std(axis=0).all():
            alike[i, j] = alike[j, i] = abs(np.corrcoef(whole, rowvar=False)[0, 1])
    return alike


def by_recipe(text: str, values: np.ndarray) -> Grouping | None:
    """The grouping of a text such as "correlated 3"; nothing where it names no recipe."""
    name, _, size = text.strip().partition(" ")
    if name not in RECIPES:
        return None
    if not size.strip().isdigit() or int(size) < 1:
        raise ParameterError(f"{name}: give the attributes of a group, as in '{name} 3'. Got {text!r}.")
    return RECIPES[name](likeness_of(values), int(size))
