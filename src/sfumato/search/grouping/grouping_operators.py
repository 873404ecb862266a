"""The operators of GOMM: from one or two groupings of attributes to new ones.

Each is a small function of groupings and a generator. Groups keep no names: what an operator makes is
renumbered, so that renaming, which the chromosomes of the source need, comes by itself.

Source: Balasch, *thesis*, §3.4, after Falkenauer's grouping genetic algorithm.
"""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from sfumato.search.grouping.groupings import Grouping, canonical, count, members

Mutation = Callable[[Grouping, np.random.Generator], Grouping]


def injected(grouping: Grouping, groups: Iterable[Iterable[int]]) -> Grouping:
    """These groups of attributes as they are; all other attributes grouped as they were.

    From AABABC inject A and C into DEFEFE: what is left, attributes 3 and 5, stays together as in F.

    >>> injected(canonical("DEFEFE"), [(0, 1, 3), (5,)]) == canonical("AAFAFC")
    True
    """
    labels = list(grouping)
    for number, group in enumerate(groups, start=1):
        for attribute in group:
            labels[attribute] = -number
    return canonical(labels)


def crossover(one: Grouping, other: Grouping, rng: np.random.Generator) -> tuple[Grouping, Grouping]:
    """Two children: a section of the groups of each parent, injected into the other parent.

    >>> crossover((0, 0, 0), (0, 0, 0), np.random.default_rng(1))
    ((0, 0, 0), (0, 0, 0))
    """
    return injected(other, _section(one, rng)), injected(one, _section(other, rng))


def _section(grouping: Grouping, rng: np.random.Generator) -> tuple[tuple[int, ...], ...]:
    """The groups between two crossing sites, at least one."""
    groups = members(grouping)
    first, last = sorted(rng.integers(len(groups), size=2).tolist())
    return groups[first : last + 1]


def group_create(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """A new group of any number of attributes drawn at random; the rest stays as it was.

    >>> group_create((0, 1), np.random.default_rng(0)) in {(0, 0), (0, 1)}
    True
    """
    size = int(rng.integers(1, len(parent) + 1))
    return injected(parent, [rng.choice(len(parent), size, replace=False).tolist()])


def group_eliminate(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """A group is dissolved, and each of its attributes goes to one of the others; a single group stays.

    >>> group_eliminate((0, 0, 1), np.random.default_rng(0))
    (0, 0, 0)
    """
    groups = count(parent)
    if groups == 1:
        return parent
    gone = int(rng.integers(groups))
    others = [group for group in range(groups) if group != gone]
    homes = rng.integers(groups - 1, size=len(parent)).tolist()
    return canonical(
        others[home] if group == gone else group for group, home in zip(parent, homes, strict=True)
    )


def group_split(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """A group is split at random into halves, of equal size if possible; a single attribute stays.

    >>> group_split((0, 0), np.random.default_rng(0))
    (0, 1)
    """
    groups = members(parent)
    group = groups[int(rng.integers(len(groups)))]
    half = rng.choice(group, len(group) // 2, replace=False).tolist()
    return injected(parent, [half])


def element_swap(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """Two attributes change places.

    >>> element_swap((0, 1), np.random.default_rng(0))
    (0, 1)
    """
    labels = list(parent)
    if len(labels) > 1:
        a, b = rng.choice(len(labels), 2, replace=False).tolist()
        labels[a], labels[b] = labels[b], labels[a]
    return canonical(labels)


def element_move(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """An attribute moves to another group; in a single group it stays.

    >>> element_move((0, 1), np.random.default_rng(0))
    (0, 0)
    """
    groups = count(parent)
    if groups == 1:
        return parent
    attribute = int(rng.integers(len(parent)))
    labels = list(parent)
    labels[attribute] = (parent[attribute] + int(rng.integers(1, groups))) % groups
    return canonical(labels)


def random_grouping(size: int, rng: np.random.Generator) -> Grouping:
    """Each attribute in one of as many groups as there are attributes, as GOMM starts.

    >>> len(random_grouping(5, np.random.default_rng(0)))
    5
    """
    return canonical(rng.integers(size, size=size).tolist())


CROSSOVER = "crossover"
MUTATIONS: Mapping[str, Mutation] = {
    "group_create": group_create,
    "group_eliminate": group_eliminate,
    "group_split": group_split,
    "element_swap": element_swap,
    "element_move": element_move,
}
OPERATORS = (CROSSOVER, *MUTATIONS)
