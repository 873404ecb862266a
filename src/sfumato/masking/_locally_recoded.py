"""What every distinct record of a file becomes when the levels of columns differ by class."""

from dataclasses import dataclass

import numpy as np

from sfumato.data import MISSING, Attribute, Table
from sfumato.data.attribute import free_name
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._lattice import Lattice
from sfumato.masking._levels import Levels
from sfumato.masking._local_levels import LocalClass
from sfumato.masking._recoding import taken_names


@dataclass(frozen=True)
class RecodedColumn:
    """A column as it is released: for each distinct record its value, and the code of a missing one, if any is kept."""

    levels: Levels
    attribute: Attribute
    values: np.ndarray
    reasons: np.ndarray | None


@dataclass(frozen=True)
class LocallyRecoded:
    """Distinct records, by their states and the codes of their strata, and what becomes of the columns of each."""

    keys: np.ndarray
    columns: tuple[RecodedColumn, ...]

    @classmethod
    def of(cls, lattice: Lattice, classes: list[LocalClass]) -> "LocallyRecoded":
        columns = [_recoded(lattice, j, classes) for j in range(len(lattice.columns))]
        return cls(np.column_stack([lattice.states[:, :-1], lattice.codes]), tuple(columns))

    def applied(self, part: Table) -> Table:
        """The part with each record as the distinct one it is like."""
        names = [column.attribute.name for column in self.columns]
        states = [c.levels.states(part[n], part.reasons(n)) for c, n in zip(self.columns, names, strict=True)]
        shown = np.column_stack([*states, part.codes(part.schema.with_role("stratum"))])
        labels = distinct([*np.concatenate([self.keys, shown]).T]).labels
        number = np.empty(labels.max() + 1, np.int64)
        number[labels[: len(self.keys)]] = np.arange(len(self.keys))
        rows = number[labels[len(self.keys) :]]
        values = {c.attribute.name: c.values[rows] for c in self.columns}
        reasons = {c.attribute.name: None if c.reasons is None else c.reasons[rows] for c in self.columns}
        return part.replace(values, [column.attribute for column in self.columns], reasons=reasons)


def _recoded(lattice: Lattice, column: int, classes: list[LocalClass]) -> RecodedColumn:
    levels, states = lattice.columns[column], lattice.states[:, column]
    heights, keeps = np.zeros(len(states), np.int64), np.zeros(len(states), bool)
    group, of = np.full(len(states), -1, np.int64), np.zeros(len(states), np.int64)
    for number, one in enumerate(classes):
        level = levels.levels[one.node[column]]
        heights[one.rows], keeps[one.rows], of[one.rows] = level.height, level.codes, number
        shown = (states[one.rows] < len(levels.values)) & (not level.blank)
        group[one.rows] = np.where(shown, level.to[states[one.rows]], -1)
    shown = group >= 0
    empty = len(levels.values)
    codes = np.where(keeps & (states > empty), states - empty, 0)
    reasons = codes.astype(np.int32) if codes.any() else None
    if levels.attribute.is_numeric:
        return RecodedColumn(
            levels, levels.attribute, _numbers(lattice, levels, (states, heights, shown, of)), reasons
        )
    attribute, values = _categories(levels, states, heights, shown)
    return RecodedColumn(levels, attribute, values, reasons)


def _numbers(lattice: Lattice, levels: Levels, cells: tuple[np.ndarray, ...]) -> np.ndarray:
    """Numbers themselves, or the mean of those of their class; a class is in one interval."""
    states, heights, shown, of = cells
    values = np.where(shown, np.append(levels.values, np.nan)[np.minimum(states, len(levels.values))], 0.0)
    counts = lattice.finest.counts * shown
    total = np.maximum(np.bincount(of, counts), 1)
    means = levels.attribute.conform(np.bincount(of, counts * values) / total)[of]
    return np.where(~shown, np.nan, np.where(heights > 0, means, values))


def _categories(
    levels: Levels, states: np.ndarray, heights: np.ndarray, shown: np.ndarray
) -> tuple[Attribute, np.ndarray]:
    """The attribute over all categories that are released, of whatever level, and which each record has."""
    attribute, values = levels.attribute, np.full(len(states), MISSING)
    if not heights[shown].any():
        return attribute, np.where(shown, states, MISSING)
    taken, covers = taken_names(attribute), dict[tuple[int, ...], str]()
    of: list[tuple[np.ndarray, tuple[int, ...]]] = []
    for height in np.unique(heights[shown]).tolist():
        for code in np.unique(states[shown & (heights == height)]).tolist():
            name, members = _ancestor(levels, int(code), height)
            if members not in covers:
                whole = len(members) > 1 and name in taken
                covers[members] = free_name(name, taken) if whole else name
                taken.add(covers[members])
            of.append((np.flatnonzero(shown & (heights == height) & (states == code)), members))
    order = sorted(covers, key=lambda members: (members[0], len(members), members))
    for rows, members in of:
        values[rows] = order.index(members)
    return _attribute(attribute, [(covers[members], members) for members in order]), values


def _ancestor(levels: Levels, code: int, height: int) -> tuple[str, tuple[int, ...]]:
    """What a category is called at a level, and the categories that are so there."""
    attribute = levels.attribute
    if not height or levels.hierarchy is None:
        return attribute.categories[code], (code,)
    ancestors = levels.hierarchy.ancestors(height)
    name = ancestors[attribute.categories[code]]
    return name, tuple(i for i, category in enumerate(attribute.categories) if ancestors[category] == name)


def _attribute(attribute: Attribute, parts: list[tuple[str, tuple[int, ...]]]) -> Attribute:
    """Like `recoded` of `_recoding`, for categories that may lie in each other."""
    covers, labels = {}, {}
    for name, members in parts:
        old = [attribute.categories[m] for m in members]
        originals = tuple(o for category in old for o in attribute.covers.get(category, (category,)))
        if originals != (name,):
            covers[name] = originals
        if old == [name] and name in attribute.labels:
            labels[name] = attribute.labels[name]
    categories = tuple(name for name, _ in parts)
    return attribute.evolve(categories=categories, covers=covers, labels=labels, hierarchy=None)
