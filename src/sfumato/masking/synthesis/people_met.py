"""People who are met: new records that would equal the record of somebody who is unique."""

from collections.abc import Callable, Collection
from functools import cached_property

import numpy as np

from sfumato.masking.synthesis.deck import Deck
from sfumato.masking.synthesis.marks import Marks, sum_of_marks

Values = Callable[[str, np.ndarray, np.ndarray], np.ndarray]
"""A column, by its name, of some new records that had some donors."""


class PeopleMet:
    """What new records would show with some donors, beside what unique people have.

    `totals` are free columns that are not released as they are dealt out, and `values` says what they are.
    """

    def __init__(self, deck: Deck, known: Marks, totals: Collection[str], values: Values) -> None:
        self.deck, self.known = deck, known
        self.totals = [name for name in deck.free if name in totals]
        self.values = values
        self.people = known.people()

    def broken(self, rows: np.ndarray, donors: np.ndarray) -> np.ndarray:
        """Which of some new records would equal somebody unique with these donors."""
        sums = sum_of_marks(
            [self._standing[rows], *(self._given[donors[:, j], j] for j in range(donors.shape[1]))]
        )
        for name in self.totals:
            dealt = self._given[donors[:, self.deck.free.index(name)], self.deck.free.index(name)]
            sums += self._shown(name, rows, donors, dealt) - dealt
        at = np.searchsorted(self.people, sums)
        inside = at < len(self.people)
        inside[inside] = self.people[at[inside]] == sums[inside]
        return inside

    def _shown(self, name: str, rows: np.ndarray, donors: np.ndarray, dealt: np.ndarray) -> np.ndarray:
        """The marks of a total, which is missing, and why, where it was dealt out so."""
        values = self.values(name, rows, donors)
        return np.where(np.isnan(values), dealt, self.known.of_column(name, values))

    @cached_property
    def _given(self) -> np.ndarray:
        """The marks of what each donor gives of each free column; the last row is that of none, who leaves a gap."""
        deck = self.deck
        columns = []
        for name in deck.free:
            given = self.known.of_column(name, deck.values(name), deck.table.reasons(name))
            gap = np.array([np.nan if deck.values(name).dtype.kind == "f" else -1.0])
            columns.append(np.append(given, self.known.of_column(name, gap)))
        return np.column_stack(columns)

    @cached_property
    def _standing(self) -> np.ndarray:
        """The sums of marks of what new records have already."""
        table = self.deck.table if self.deck.stage is None else self.deck.stage.beside
        names = [name for name in self.known.names if name not in self.deck.free]
        nothing = np.zeros(table.n, np.uint64)
        columns = [self.known.of_column(name, table[name], table.reasons(name)) for name in names]
        return sum_of_marks([nothing, *columns])
