"""Values to be inferred, and when an inferred one is right."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.attacks.insiders.nearness import middle_ranks
from sfumato.data import Table

WINDOW = 0.05  # of the people: so far may the rank of an inferred number be off


@dataclass(frozen=True)
class Target:
    """A column of some people to be inferred, as `standings`: the codes of categories, the ranks (0 to 1) of numbers; NaN missing."""

    people: Table
    name: str

    @property
    def is_numeric(self) -> bool:
        return self.people.schema[self.name].is_numeric

    def standings(self, table: Table) -> np.ndarray:
        """Those of a table in the terms of the original."""
        values = table[self.name]
        if self.is_numeric:
            return middle_ranks(self.ordered, values)
        return np.where(table.missing(self.name), np.nan, values.astype(float))

    def right(self, guesses: np.ndarray, truths: np.ndarray) -> np.ndarray:
        """1 where a guess is right, 0 where it is wrong or there is none, NaN where the truth is missing."""
        near = np.abs(guesses - truths) <= (WINDOW if self.is_numeric else 0.0)
        return np.where(np.isnan(truths), np.nan, near.astype(float))

    def chances(self, truths: np.ndarray) -> np.ndarray:
        """How many of the people, as a share, have a value that would be right for each of these."""
        reach = WINDOW if self.is_numeric else 0.0
        low = np.searchsorted(self._sorted, truths - reach, "left")
        high = np.searchsorted(self._sorted, truths + reach, "right")
        chances: np.ndarray = np.maximum(high - low, 1) / max(len(self._sorted), 1)
        return chances

    def weights(self, truths: np.ndarray) -> np.ndarray:
        """1 / √chance: between each person and each value counting alike; 0 where the truth is missing."""
        return np.where(np.isnan(truths), 0.0, 1 / np.sqrt(self.chances(truths)))

    @cached_property
    def ordered(self) -> np.ndarray:
        """The numbers of the people in order."""
        return np.sort(self.people[self.name][~self.people.missing(self.name)])

    @cached_property
    def _sorted(self) -> np.ndarray:
        found = self.standings(self.people)
        return np.sort(found[~np.isnan(found)])
