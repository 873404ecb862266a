"""Recoding: coarser domains that remember which original categories they stand for."""

from collections.abc import Iterable, Sequence

import numpy as np

from sfumato.data import MISSING, Attribute, Hierarchy

Part = tuple[str, Sequence[int]]  # a new category, and the codes of the old ones it stands for


def recoded(
    attribute: Attribute, parts: Sequence[Part], hierarchy: Hierarchy | None
) -> tuple[Attribute, np.ndarray]:
    """The attribute over new categories, and a lookup from old codes to new; `lookup[-1]` is missing.

    >>> size = Attribute(name="size", scale="ordinal", categories=("S", "M", "L"))
    >>> coarse, lookup = recoded(size, [("S", [0]), ("M..L", [1, 2])], None)
    >>> coarse.categories, coarse.covers, lookup[[2, 0, -1]].tolist()
    (('S', 'M..L'), {'M..L': ('M', 'L')}, [1, 0, -1])
    """
    lookup = np.full(attribute.domain_size + 1, MISSING)
    covers, labels = {}, {}
    for code, (category, members) in enumerate(parts):
        lookup[list(members)] = code
        originals = tuple(o for member in members for o in _originals(attribute, member))
        if originals != (category,):
            covers[category] = originals
        if category in attribute.labels and [attribute.categories[m] for m in members] == [category]:
            labels[category] = attribute.labels[category]
    changes = {"categories": tuple(c for c, _ in parts), "covers": covers, "labels": labels}
    return attribute.evolve(**changes, hierarchy=hierarchy), lookup


def merged(attribute: Attribute, members: Sequence[int], *, at: int) -> tuple[Attribute, np.ndarray]:
    """The attribute with some categories made one, which stands in the place of code `at`.

    A run of adjacent ordinal categories is called "first..last", anything else "other"; a number follows
    where the name is taken. In a hierarchy the new category has the ancestors that its members share, and
    stands for itself on the levels below.
    """
    if len(members) < 2:
        return recoded(attribute, [(c, [i]) for i, c in enumerate(attribute.categories)], attribute.hierarchy)
    new = _free_name(attribute, _name(attribute, members))
    inside = set(members)
    parts: list[Part] = []
    for code, category in enumerate(attribute.categories):
        if code not in inside:
            parts.append((category, [code]))
        if code == at:
            parts.append((new, members))
    return recoded(attribute, parts, _merged_hierarchy(attribute, new, members))


def _originals(attribute: Attribute, code: int) -> tuple[str, ...]:
    category = attribute.categories[code]
    return attribute.covers.get(category, (category,))


def _name(attribute: Attribute, members: Sequence[int]) -> str:
    adjacent = list(members) == list(range(members[0], members[-1] + 1))
    if attribute.scale != "ordinal" or not adjacent:
        return "other"
    return f"{_ends(attribute, members[0])[0]}..{_ends(attribute, members[-1])[1]}"


def _ends(attribute: Attribute, code: int) -> tuple[str, str]:
    # "1..2" merged with "3" is "1..3"
    category, originals = attribute.categories[code], _originals(attribute, code)
    is_run = category == f"{originals[0]}..{originals[-1]}"
    return (originals[0], originals[-1]) if is_run else (category, category)


def _free_name(attribute: Attribute, name: str) -> str:
    taken = {*attribute.categories, *attribute.missing}
    taken.update(*attribute.covers.values())
    if attribute.hierarchy is not None:
        taken.update(*attribute.hierarchy.rows)
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


def _merged_hierarchy(attribute: Attribute, new: str, members: Iterable[int]) -> Hierarchy | None:
    if attribute.hierarchy is None:
        return None
    attribute.hierarchy.check_covers(attribute.name, attribute.categories)
    gone = {attribute.categories[code] for code in members}
    paths = [row for row in attribute.hierarchy.rows if row[0] in gone]
    shared = (cells[0] if len(set(cells)) == 1 else new for cells in zip(*paths, strict=True))
    rows = [row for row in attribute.hierarchy.rows if row[0] not in gone]
    return Hierarchy((*rows, tuple(shared)))
