"""Recoding: coarser domains, of sets or of intervals, that remember which original categories they stand for."""

from collections.abc import Iterable, Sequence

import numpy as np

from sfumato.data import MISSING, Attribute, Hierarchy
from sfumato.data.attribute import free_name

Part = tuple[str, Sequence[int]]  # a new category, and the codes of the old ones it stands for
LISTED = 4  # a nominal set of at most so many categories is written out


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


def lifted(attribute: Attribute, hierarchy: Hierarchy, level: int) -> tuple[Attribute, np.ndarray]:
    """The attribute with every category replaced by its ancestor at a level, and a lookup as of `recoded`.

    New categories come in the order in which the first of those they stand for came; levels above are kept.
    """
    hierarchy.check_covers(attribute.name, attribute.categories)
    ancestor = hierarchy.ancestors(level)
    parts: dict[str, list[int]] = {}
    for code, category in enumerate(attribute.categories):
        parts.setdefault(ancestor[category], []).append(code)
    rows = dict.fromkeys(row[level:] for row in hierarchy.rows)
    above = Hierarchy(tuple(rows)) if level < hierarchy.depth else None
    return recoded(attribute, list(parts.items()), above)


def merged(attribute: Attribute, members: Sequence[int], *, at: int) -> tuple[Attribute, np.ndarray]:
    """The attribute with some categories made one, which stands in the place of code `at`.

    A run of adjacent ordinal categories is called "first..last", anything else "other"; a number follows
    where the name is taken. In a hierarchy the new category has the ancestors that its members share, and
    stands for itself on the levels below.
    """
    if len(members) < 2:
        return recoded(attribute, [(c, [i]) for i, c in enumerate(attribute.categories)], attribute.hierarchy)
    above = () if attribute.hierarchy is None else attribute.hierarchy.rows
    new = free_name(merged_name(attribute, members), taken_names(attribute).union(*above))
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


def merged_name(attribute: Attribute, members: Sequence[int]) -> str:
    """What categories are called that became one: "first..last" if they are a run of ordinal ones, else "other"."""
    adjacent = list(members) == list(range(members[0], members[-1] + 1))
    if attribute.scale != "ordinal" or not adjacent:
        return "other"
    return f"{_ends(attribute, members[0])[0]}..{_ends(attribute, members[-1])[1]}"


def _ends(attribute: Attribute, code: int) -> tuple[str, str]:
    # "1..2" merged with "3" is "1..3"
    category, originals = attribute.categories[code], _originals(attribute, code)
    is_run = category == f"{originals[0]}..{originals[-1]}"
    return (originals[0], originals[-1]) if is_run else (category, category)


def taken_names(attribute: Attribute) -> set[str]:
    """The names that a new category must not have."""
    return {*attribute.categories, *attribute.missing}.union(*attribute.covers.values())


def _merged_hierarchy(attribute: Attribute, new: str, members: Iterable[int]) -> Hierarchy | None:
    if attribute.hierarchy is None:
        return None
    attribute.hierarchy.check_covers(attribute.name, attribute.categories)
    gone = {attribute.categories[code] for code in members}
    paths = [row for row in attribute.hierarchy.rows if row[0] in gone]
    shared = (cells[0] if len(set(cells)) == 1 else new for cells in zip(*paths, strict=True))
    rows = [row for row in attribute.hierarchy.rows if row[0] not in gone]
    return Hierarchy((*rows, tuple(shared)))


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
    taken = taken_names(attribute)
    for _, first, last in intervals.tolist():
        members = [attribute.categories[code] for code in order[first : last + 1]]
        covered = (original for member in members for original in attribute.covers.get(member, (member,)))
        originals = tuple(dict.fromkeys(covered))
        name = members[0] if first == last else free_name(_listed(attribute, members, originals), taken)
        taken.add(name)
        categories.append(name)
        if originals != (name,):
            covers[name] = originals
        if first == last and name in attribute.labels:
            labels[name] = attribute.labels[name]
    changed = attribute.evolve(categories=tuple(categories), covers=covers, labels=labels, hierarchy=None)
    return changed, codes


def _listed(attribute: Attribute, members: Sequence[str], originals: Sequence[str]) -> str:
    if attribute.scale == "ordinal":
        return f"{originals[0]}..{originals[-1]}"
    return "|".join(members) if len(members) <= LISTED else f"{members[0]}|…|{members[-1]}"
