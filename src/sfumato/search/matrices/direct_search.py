"""PRAM matrices by direct search: the gradient of the expected costs is followed from several starts.

The yardstick that evolved matrices are held against. Expected loss and risk are smooth in the probabilities, and
rows that are softmax functions of free numbers stay stochastic by themselves, so L-BFGS can be used as it is.
EBIL is concave and draws the search into corners, where a category always becomes the same other one; which
corner is a matter of the start. So several starts are made, and at the end each row is tried at the categories
to which its gradient points.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from sfumato.core import progress, stream
from sfumato.search.contracts import Costs
from sfumato.search.matrices.expectations import ExpectedCosts

Matrices = Mapping[str, np.ndarray]

LEAST = 1e-4  # of a probability at the start, so that each can still grow
STEPS = 400
TRIED = 2  # categories for each row of a corner
SWEEPS = 20
DIGITS = 2  # of percents that are told apart on a front
WEIGHTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class DirectMatrices:
    """Matrices with their expected loss and risk, and the weight of the loss that they are best for."""

    matrices: dict[str, np.ndarray]
    costs: Costs
    weight: float


def direct_matrices(
    expected: ExpectedCosts, start: Matrices, *, weight: float = 0.5, starts: int = 10, seed: int = 0
) -> DirectMatrices:
    """Matrices with the least weight · loss + (1 − weight) · risk found from a start and random ones."""
    found = [
        _cornered(expected, _descended(expected, begun, weight), weight)
        for begun in _starts(expected, start, starts, seed)
    ]
    best = min(found, key=lambda matrices: _value(expected, matrices, weight))
    return DirectMatrices(best, expected(best), weight)


def direct_front(
    expected: ExpectedCosts,
    start: Matrices,
    *,
    weights: Sequence[float] = WEIGHTS,
    starts: int = 4,
    seed: int = 0,
) -> list[DirectMatrices]:
    """Compromises between loss and risk, by growing loss: none of them is beaten in both by another."""
    found = []
    with progress.task("Following the gradient", len(weights)) as work:
        for weight in weights:
            found.append(direct_matrices(expected, start, weight=weight, starts=starts, seed=seed))
            work.advance()
    distinct = {tuple(np.round(one.costs, DIGITS).tolist()): one for one in reversed(found)}
    return [
        distinct[costs]
        for costs in sorted(distinct)
        if not any(_beats(other, costs) for other in distinct if other != costs)
    ]


def _beats(one: Costs, other: Costs) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))


def _starts(expected: ExpectedCosts, start: Matrices, count: int, seed: int) -> Iterator[Matrices]:
    yield start
    for number in range(1, count):
        rng = stream(seed, "direct", number)
        yield {name: rng.dirichlet(np.ones(size), size) for name, size in expected.sizes.items()}


def _value(expected: ExpectedCosts, matrices: Matrices, weight: float) -> float:
    loss, risk = expected(matrices)
    return weight * loss + (1 - weight) * risk


def _descended(expected: ExpectedCosts, start: Matrices, weight: float) -> dict[str, np.ndarray]:
    def value(free: np.ndarray) -> tuple[float, np.ndarray]:
        matrices = _rows(free, expected.sizes)
        found = expected.slopes(matrices)
        slopes = []
        for name, P in matrices.items():
            slope = weight * found.loss_slopes[name] + (1 - weight) * found.risk_slopes[name]
            slopes.append((P * (slope - (slope * P).sum(axis=1, keepdims=True))).ravel())
        return weight * found.loss + (1 - weight) * found.risk, np.concatenate(slopes)

    free = np.concatenate([np.log(np.maximum(start[name], LEAST)).ravel() for name in expected.names])
    ended = minimize(value, free, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return _rows(ended.x, expected.sizes)


def _rows(free: np.ndarray, sizes: Mapping[str, int]) -> dict[str, np.ndarray]:
    """The stochastic matrices of free numbers, by softmax."""
    matrices, first = {}, 0
    for name, size in sizes.items():
        part = free[first : first + size * size].reshape(size, size)
        part = np.exp(part - part.max(axis=1, keepdims=True))
        matrices[name] = part / part.sum(axis=1, keepdims=True)
        first += size * size
    return matrices


def _cornered(
    expected: ExpectedCosts, matrices: dict[str, np.ndarray], weight: float
) -> dict[str, np.ndarray]:
    """Rows moved to single categories as long as that helps."""
    best = _value(expected, matrices, weight)
    for _ in range(SWEEPS):
        before = best
        for name in expected.names:
            found = expected.slopes(matrices)
            slope = weight * found.loss_slopes[name] + (1 - weight) * found.risk_slopes[name]
            promising = np.argsort(slope, axis=1)[:, :TRIED]
            for row in np.flatnonzero(expected.counts[name][: len(slope)]):
                for category in promising[row]:
                    P = matrices[name].copy()
                    P[row] = np.eye(len(P))[category]
                    tried = {**matrices, name: P}
                    value = _value(expected, tried, weight)
                    if value < best:
                        matrices, best = tried, value
        if best >= before - 1e-9:
            break
    return matrices
