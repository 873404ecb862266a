"""Columns at the levels that were chosen for them, and which records are suppressed: what is done to each record."""

from dataclasses import dataclass

import numpy as np

from sfumato.data import MISSING, Attribute, Table
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._lattice import Lattice, Node
from sfumato.masking._levels import Level, Levels


@dataclass(frozen=True)
class GeneralisedColumn:
    """A column at a level: the attribute it is then, and what each of its values becomes."""

    levels: Levels
    level: Level
    attribute: Attribute
    lookup: np.ndarray

    def released(self, states: np.ndarray, gone: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The cells that are released, and the codes of missing ones, if these are kept; some records are to go."""
        empty = len(self.levels.values)
        hidden = gone | (states >= empty) | self.level.blank
        none = np.nan if self.attribute.is_numeric else MISSING
        shown = np.append(self.lookup, none)[np.minimum(states, empty)]
        reasons = np.where(gone, 0, np.maximum(states - empty, 0)) if self.level.codes else None
        return np.where(hidden, none, shown), reasons


@dataclass(frozen=True)
class GeneralisedColumns:
    """Some columns, and the classes that are suppressed: rows of what they show, and of the codes of their strata."""

    columns: tuple[GeneralisedColumn, ...]
    suppressed: np.ndarray

    @classmethod
    def of(cls, lattice: Lattice, node: Node, gone: np.ndarray) -> "GeneralisedColumns":
        """What is done at a node, where some of the distinct records are suppressed."""
        counts, columns = np.where(gone, 0, lattice.finest.counts), []
        for j, level in lattice.at(node):
            levels, states = lattice.columns[j], lattice.states[:, j]
            released = levels.released(level, np.bincount(states, counts, len(level.to)))
            columns.append(GeneralisedColumn(levels, level, *released))
        shown = [level.to[lattice.states[gone, j]] for j, level in lattice.at(node)]
        suppressed = np.unique(np.column_stack([*shown, lattice.codes[gone]]), axis=0)
        return cls(tuple(columns), suppressed)

    def applied(self, part: Table) -> Table:
        """The part with its columns generalised and its rare records suppressed."""
        names = [column.attribute.name for column in self.columns]
        states = [c.levels.states(part[n], part.reasons(n)) for c, n in zip(self.columns, names, strict=True)]
        gone = self._gone(part, states)
        values, reasons = {}, {}
        for column, name, state in zip(self.columns, names, states, strict=True):
            values[name], reasons[name] = column.released(state, gone)
        return part.replace(values, [column.attribute for column in self.columns], reasons=reasons)

    def _gone(self, part: Table, states: list[np.ndarray]) -> np.ndarray:
        """Which records of the part are in a class that is suppressed."""
        if not len(self.suppressed):
            return np.zeros(part.n, bool)
        shown = [column.level.to[state] for column, state in zip(self.columns, states, strict=True)]
        shown += list(part.codes(part.schema.with_role("stratum")).T)
        both = [np.append(one, other) for one, other in zip(self.suppressed.T, shown, strict=True)]
        labels = distinct(both).labels
        gone: np.ndarray = np.isin(labels[len(self.suppressed) :], labels[: len(self.suppressed)])
        return gone
