"""Domains of intervals: categories that stand for a run of others, and may overlap."""

from collections.abc import Sequence

import numpy as np

from sfumato.data import MISSING, Attribute

LISTED = 4  # a nominal set of at most so many categories is written out


def interval_domain(
    attribute: Attribute, order: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[Attribute, np.ndarray]:
    """The attribute over the intervals order[low] … order[high], and the code of each; −1 where low is below 0.

    Ordinal intervals are called "first..last", nominal ones list their members, or the first and the last
    where they are many. They come in the order of their middles. Where every interval is a single category
    the attribute stays as it is.

    >>> size = Attribute(name="size", scale="ordinal", categories=("S", "M", "L"))
    >>> coarse, codes = interval_domain(size, np.arange(3), np.array([1, 0, -1, 2]), np.array([2, 1, -1, 2]))
    >>> coarse.categories, coarse.covers, codes.tolist()
    (('S..M', 'M..L', 'L'), {'S..M': ('S', 'M'), 'M..L': ('M', 'L')}, [1, 0, -1, 2])
    """
    present = low >= 0
    if np.array_equal(low[present], high[present]):
        return attribute, np.where(present, np.append(order, MISSING)[low], MISSING)
    keys = np.column_stack([low + high, low, high])[present]
    intervals, inverse = np.unique(keys, axis=0, return_inverse=True)
    codes = np.full(len(low), MISSING)
    codes[present] = inverse.ravel()
    categories: list[str] = []
    covers, labels = {}, {}
    taken = {*attribute.categories, *attribute.missing}.union(*attribute.covers.values())
    for _, first, last in intervals.tolist():
        members = [attribute.categories[code] for code in order[first : last + 1]]
        originals = _originals(attribute, members)
        name = members[0] if first == last else _free(_name(attribute, members, originals), taken)
        taken.add(name)
        categories.append(name)
        if originals != (name,):
            covers[name] = originals
        if first == last and name in attribute.labels:
            labels[name] = attribute.labels[name]
    changed = attribute.evolve(categories=tuple(categories), covers=covers, labels=labels, hierarchy=None)
    return changed, codes


def _originals(attribute: Attribute, members: Sequence[str]) -> tuple[str, ...]:
    found = (original for member in members for original in attribute.covers.get(member, (member,)))
    return tuple(dict.fromkeys(found))


def _name(attribute: Attribute, members: Sequence[str], originals: Sequence[str]) -> str:
    if attribute.scale == "ordinal":
        return f"{originals[0]}..{originals[-1]}"
    return "|".join(members) if len(members) <= LISTED else f"{members[0]}|…|{members[-1]}"


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free
