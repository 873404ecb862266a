"""Questions to an original under a privacy budget: the only way in which a file with a formal promise learns of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.core import SfumatoError
from sfumato.data import Table
from sfumato.kernels.exact_noise import SHORT, exponential_choice, fill_with_noise
from sfumato.kernels.table_fitting import distances
from sfumato.masking.synthesis.privacy_budget import choice_cost, counts_cost
from sfumato.masking.synthesis.public_cells import PublicCells

WORDS = 64  # random words for each draw, which are nearly always enough
SLACK = 1e-12  # of rounding, where costs are added up


@dataclass(frozen=True)
class Candidates:
    """Tables that may be asked for, one row each: up to three columns, what each adds to the cell, and the number of cells.

    A table of fewer columns repeats its first one with a step of 0.
    """

    columns: np.ndarray
    steps: np.ndarray
    cells: np.ndarray

    @classmethod
    def of(cls, chosen: Sequence[tuple[int, ...]], sizes: np.ndarray) -> "Candidates":
        columns = np.array([[*one, *[one[0]] * (3 - len(one))] for one in chosen], np.int64).reshape(-1, 3)
        steps, cells = np.zeros_like(columns), np.ones(len(columns), np.int64)
        for row, one in enumerate(chosen):
            for k in reversed(range(len(one))):
                steps[row, k] = cells[row]
                cells[row] *= sizes[one[k]]
        return cls(columns, steps, cells)

    def __len__(self) -> int:
        return len(self.columns)

    def step(self, table: int, column: int) -> int:
        """How many cells further a value that is one more lies; 0 if the table does not show the column."""
        return int(self.steps[table][self.columns[table] == column].sum())


class FormalQuestions:
    """Holds the original's records as cells that are public, answers with noise, and refuses what the budget cannot pay.

    Tables of counts get noise of the discrete Gaussian; which of several tables is furthest from a file is answered by
    the exponential mechanism. Costs are zCDP and add up, also where a question hangs on earlier answers. Two originals
    are neighbours if one record is replaced by another: so their number of records is public.
    """

    def __init__(
        self, table: Table, cells: Sequence[PublicCells], *, rho: float, rng: np.random.Generator
    ) -> None:
        self._records = np.column_stack([one.codes(table) for one in cells]).astype(np.int32, order="C")
        self._groups: np.ndarray | None = None
        self._rng = rng
        self.rho, self.spent, self.answers = rho, 0.0, 0

    @property
    def left(self) -> float:
        return self.rho - self.spent

    def counts(self, column: int, size: int, sigma: int) -> np.ndarray:
        """How many records are in each cell of a column, with noise."""
        self._pay(counts_cost(sigma))
        return self._noised(np.bincount(self._records[:, column], minlength=size), sigma)

    def join(self, groups: Sequence[np.ndarray]) -> None:
        """Ask from now on for tables of groups of cells; which group a cell is in is public."""
        joined = [group[self._records[:, j]] for j, group in enumerate(groups)]
        self._groups = np.column_stack(joined).astype(np.int32, order="C")

    def table(self, candidates: Candidates, chosen: int, sigma: int) -> np.ndarray:
        """How many records are in each cell of a table of groups, with noise."""
        self._pay(counts_cost(sigma))
        cells = self._joined[:, candidates.columns[chosen]] @ candidates.steps[chosen]
        return self._noised(np.bincount(cells, minlength=int(candidates.cells[chosen])), sigma)

    def furthest(self, candidates: Candidates, records: np.ndarray, handicaps: np.ndarray, scale: int) -> int:
        """The table whose sum of absolute gaps to that of other records, less a handicap, is largest, about."""
        self._pay(choice_cost(scale))
        gaps = distances(self._joined, records, candidates.columns, candidates.steps, candidates.cells)
        scores = gaps - handicaps.astype(np.int64)
        bits = np.empty(0, np.uint64)
        chosen = SHORT
        while chosen == SHORT:
            bits = np.concatenate([bits, self._bits(WORDS * len(scores))])
            chosen = exponential_choice(scores.max() - scores, scale, bits)
        return chosen

    @property
    def _joined(self) -> np.ndarray:
        return self._records if self._groups is None else self._groups

    def _pay(self, rho: float) -> None:
        if self.spent + rho > self.rho * (1.0 + SLACK):
            raise SfumatoError(
                f"The privacy budget is spent: a question costs {rho:.3g}, and {max(self.left, 0.0):.3g} are left."
            )
        self.spent += rho
        self.answers += 1

    def _noised(self, counts: np.ndarray, sigma: int) -> np.ndarray:
        noise, done, used = np.empty(len(counts), np.int64), 0, np.zeros(1, np.int64)
        bits = np.empty(0, np.uint64)
        while done < len(noise):
            bits = np.concatenate([bits[used[0] :], self._bits(WORDS * (len(noise) - done))])
            used[0] = 0
            done = fill_with_noise(noise, done, sigma, bits, used)
        found: np.ndarray = counts + noise
        return found

    def _bits(self, words: int) -> np.ndarray:
        return self._rng.integers(0, 2**64, words, dtype=np.uint64)
