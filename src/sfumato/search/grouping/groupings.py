"""Groupings: the ways to divide attributes into groups, in a form that knows no clones.

A grouping is the group of each attribute, where groups are numbered in the order in which they first appear
(a *restricted growth string*). Chromosomes that only name their groups differently, the clones of the
grouping genetic algorithm, are therefore equal: AABBA and BBAAB are both (0, 0, 1, 1, 0).
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence

Grouping = tuple[int, ...]


def canonical(labels: Iterable[Hashable]) -> Grouping:
    """The grouping that gives attributes with equal labels the same group.

    >>> canonical("AABBA") == canonical("BBAAB") == (0, 0, 1, 1, 0)
    True
    """
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) for label in labels)


def members(grouping: Grouping) -> tuple[tuple[int, ...], ...]:
    """The attributes of each group.

    >>> members((0, 0, 1, 1, 0))
    ((0, 1, 4), (2, 3))
    """
    groups: list[list[int]] = [[] for _ in range(count(grouping))]
    for attribute, group in enumerate(grouping):
        groups[group].append(attribute)
    return tuple(map(tuple, groups))


def count(grouping: Grouping) -> int:
    return max(grouping, default=-1) + 1


def grouping_of(groups: Sequence[Sequence[int]], size: int) -> Grouping:
    """The grouping with these groups of 0, 1, … size − 1, each of which must be in one.

    >>> grouping_of([(2, 3), (0, 1, 4)], 5)
    (0, 0, 1, 1, 0)
    """
    labels = {attribute: number for number, group in enumerate(groups) for attribute in group}
    if sorted(labels) != list(range(size)) or sum(map(len, groups)) != size:
        raise ValueError(f"every number below {size} must be in exactly one group")
    return canonical(labels[attribute] for attribute in range(size))


def all_groupings(size: int) -> Iterator[Grouping]:
    """Every way to group so many attributes, in lexical order: as many as the Bell number says.

    >>> list(all_groupings(3))
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """

    def longer(start: Grouping, groups: int) -> Iterator[Grouping]:
        if len(start) == size:
            yield start
            return
        for group in range(groups + 1):
            yield from longer((*start, group), max(groups, group + 1))

    return longer((), 0)


def number_of_groupings(size: int) -> int:
    """How many groupings of so many attributes there are: the Bell number.

    >>> [number_of_groupings(size) for size in (0, 1, 3, 7, 8, 12)]
    [1, 1, 5, 877, 4140, 4213597]
    """
    row = [1]
    for _ in range(size):
        following = [row[-1]]
        for number in row:
            following.append(following[-1] + number)
        row = following
    return row[0]
