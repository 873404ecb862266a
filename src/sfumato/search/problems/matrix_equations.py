"""Matrix equations as a problem: one equation makes the PRAM matrices of all attributes, judged as matrices are."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.core import ParameterError
from sfumato.data import Table
from sfumato.masking.matrices.markov_matrices import frequencies
from sfumato.search.contracts import Costs, Outcome, Problem
from sfumato.search.fitness import Fitness
from sfumato.search.matrices.equations import Equation
from sfumato.search.problems.pram_matrices import PramMatrices

SEARCH, FRESH = 0, 1  # rounds of draws


class MatrixEquations(Problem[Equation, Equation]):
    """Equations for the PRAM matrices of some categorical attributes of a table.

    The same equation serves all attributes, each with its own frequencies (see `masking`). Its matrices are
    judged by the mean loss and risk of `draws` files, the same random numbers for every equation, or with
    `expected` by the expectations of both, which is quicker and free of luck.

    Neither loss nor risk sees an intruder who knows the equation: one that only exchanges categories scores
    well and hides nothing from them. With `most_guessed` below 100 the percent of values that they guess right
    beyond it, on the average of the attributes, is added to both costs.
    """

    def __init__(
        self,
        source: Table,
        names: Sequence[str],
        fitness: Fitness,
        *,
        draws: int = 5,
        seed: int = 0,
        expected: bool = False,
        most_guessed: float = 100.0,
    ) -> None:
        if not 0 <= most_guessed <= 100:
            raise ParameterError(f"most_guessed must be a number from 0 to 100. Got {most_guessed:g}.")
        sizes = {name: source.schema[name].domain_size for name in names}
        start = {name: np.eye(size) for name, size in sizes.items()}
        self.files = PramMatrices(source, start, fitness, draws=draws, seed=seed, expected=expected)
        self.objectives, self.most_guessed = self.files.objectives, most_guessed
        self.counts = {name: frequencies(source[name], size) for name, size in sizes.items()}
        self._judged: dict[bytes, Costs] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_judged": {}}

    def matrices(self, equation: Equation) -> dict[str, np.ndarray]:
        """What an equation makes of the frequencies of each attribute."""
        return {name: equation.matrix(counts) for name, counts in self.counts.items()}

    def judge(self, candidate: Equation) -> Outcome:
        """Loss and risk; equations of the same matrices are judged once."""
        matrices = self.matrices(candidate)
        key = b"".join(P.tobytes() for P in matrices.values())
        if key not in self._judged:
            loss, risk = self.files.costs(matrices, SEARCH)
            excess = max(0.0, self.guessed(matrices) - self.most_guessed)
            self._judged[key] = loss + excess, risk + excess
        return Outcome(self._judged[key])

    def guessed(self, matrices: dict[str, np.ndarray]) -> float:
        """Percent of the values that are guessed right by whoever knows matrices and frequencies."""
        return float(np.mean([guessed_right(P, self.counts[name]) for name, P in matrices.items()]))

    def fresh(self, matrices: dict[str, np.ndarray], draws: int) -> Costs:
        """Mean loss and risk of so many files that the search never saw."""
        return self.files.sampled(matrices, FRESH, draws=draws)

    def score(self, costs: Costs) -> float:
        return self.files.score(costs)

    def identity(self) -> dict[str, Any]:
        known = self.files.identity()
        fitness = {**known["fitness"], "most_guessed": self.most_guessed}
        return {"file": known["file"], "attributes": known["attributes"], "fitness": fitness}


def guessed_right(P: np.ndarray, T: np.ndarray) -> float:
    """Percent of the values guessed right from what they became: the likeliest category, by Bayes' rule.

    >>> guessed_right(np.eye(2)[::-1], np.array([40, 60])), guessed_right(np.full((2, 2), 0.5), np.array([40, 60]))
    (100.0, 60.0)
    """
    return float(100 * (T[:, None] * P).max(axis=0).sum() / max(T.sum(), 1))
