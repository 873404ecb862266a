"""Distances of pairs of records, attribute by attribute, from which weights are learned."""

import numpy as np
from scipy.optimize import minimize

from sfumato.attacks.linkage.record_space import Readings, Space

BLOCK = 256
HARD = 8  # wrong records per released one and round
ROUNDS = 3
PENALTY = 1e-3


class Gaps:
    """The released records of some rows, and candidates among the known ones, as points of a weighted space."""

    def __init__(
        self,
        space: Space,
        readings: Readings,
        released: np.ndarray,
        known: np.ndarray,
        candidates: np.ndarray,
    ) -> None:
        self.released, self.known, self.candidates = released, known, candidates
        self.spreads = list(space.spreads.values())
        self.tables = [_table(readings, name) for name in space.names]

    def between(self, j: int, released: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Distances in one attribute: squared and standardised of numbers, as in `dbil` of categories."""
        table = self.tables[j]
        if table is not None:
            pairs: np.ndarray = table[_codes(released), _codes(known)]
            return pairs
        differences = (released - known) / self.spreads[j]
        squares = differences * differences
        gaps: np.ndarray = np.where(np.isnan(squares), 2.0 * (np.isnan(released) != np.isnan(known)), squares)
        return gaps

    def hard_pairs(self, true: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Distances to the nearest wrong candidates minus those to the true record, one row per pair."""
        blocks = [slice(start, start + BLOCK) for start in range(0, len(self.released), BLOCK)]
        return np.concatenate([self._hard(self.released[rows], true[rows], weights) for rows in blocks])

    def _hard(self, released: np.ndarray, true: np.ndarray, weights: np.ndarray) -> np.ndarray:
        X = self.known[self.candidates]
        total = np.zeros((len(released), len(X)))
        for j in np.flatnonzero(weights).tolist():
            total += weights[j] * self.between(j, released[:, j, None], X[:, j])
        total[true[:, None] == self.candidates] = np.inf
        count = min(HARD, len(X) - 1)
        wrong = np.argpartition(total, count - 1, axis=1)[:, :count].ravel()
        own = np.repeat(self.known[true], count, axis=0)
        released = np.repeat(released, count, axis=0)
        d = released.shape[1]
        return np.column_stack(
            [
                self.between(j, released[:, j], X[wrong, j]) - self.between(j, released[:, j], own[:, j])
                for j in range(d)
            ]
        )


def learned_weights(gaps: Gaps, true: np.ndarray) -> np.ndarray:
    """Weights under which true records are nearer than wrong ones, as a logistic regression has it.

    P(the true record is nearer than a wrong one) = 1 / (1 + exp(−Σ_j w_j · (gap to wrong − gap to true)_j)).
    Each round adds the wrong records that are nearest under the weights so far.
    """
    weights = np.ones(len(gaps.spreads))
    pairs = np.empty((0, len(weights)))
    for _ in range(ROUNDS):
        pairs = np.concatenate([pairs, gaps.hard_pairs(true, weights)])
        weights = _fitted(pairs, weights)
    return weights


def _fitted(pairs: np.ndarray, start: np.ndarray) -> np.ndarray:
    columns = np.ascontiguousarray(pairs.T)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        # column by column: the sums do not depend on how many threads a matrix product would take
        margins = np.zeros(len(pairs))
        for weight, column in zip(weights, columns, strict=True):
            margins += weight * column
        slopes = -np.exp(-np.logaddexp(0.0, margins))
        gradient = np.array([(slopes * column).mean() for column in columns])
        value = np.logaddexp(0.0, -margins).mean() + PENALTY / 2 * np.square(weights).sum()
        return float(value), gradient + PENALTY * weights

    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * len(start))
    weights: np.ndarray = found.x
    return weights


def _codes(values: np.ndarray) -> np.ndarray:
    """Coordinates of categories as positions; a missing one is the last."""
    return np.where(np.isnan(values), -1, values).astype(np.int64)


def _table(readings: Readings, name: str) -> np.ndarray | None:
    if name not in readings:
        return None
    reading = readings[name]
    masked, original = np.arange(reading.width), np.arange(reading.size + 1)
    masked[-1] = original[-1] = -1
    rows = [reading.distances(np.full(len(original), code), original) for code in masked]
    return np.array(rows)
