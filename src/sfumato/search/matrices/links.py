"""Which original cells a masked cell is nearest to: what distance-based linkage needs to know of a file."""

from collections.abc import Mapping, Sequence
from math import lcm, prod

import numpy as np

from sfumato.data import Table
from sfumato.data.coverage import coverage_of
from sfumato.kernels.distinct_records import distinct

LARGEST_SPACE = 100_000  # cells of the product of the domains
BLOCK = 2_000_000  # distances held at a time


class Links:
    """Pairs of an original cell and a masked one that is nearest to it, and the chance of a true link.

    `chances` holds, for each pair, the share of all records that the original cell has, times 1 / m, where m
    records are equally near to the masked cell. `before` and `after` are the categories, pairs by attributes.
    """

    def __init__(
        self, names: Sequence[str], before: np.ndarray, after: np.ndarray, chances: np.ndarray
    ) -> None:
        self.names, self.before, self.after, self.chances = tuple(names), before, after, chances

    def expected(
        self, matrices: Sequence[np.ndarray], slopes: Mapping[str, np.ndarray], scale: float
    ) -> float:
        """The expected share of true links; adds `scale` times its derivatives to the slopes."""
        moves = [P[b, a] for P, b, a in zip(matrices, self.before, self.after, strict=True)]
        for j, (name, P) in enumerate(zip(self.names, matrices, strict=True)):
            others = self.chances * scale
            for k, move in enumerate(moves):
                if k != j:
                    others = others * move
            flat = self.before[j] * len(P) + self.after[j]
            slopes[name].ravel()[:] += np.bincount(flat, others, minlength=P.size)
        return float(np.prod(moves, axis=0) @ self.chances)


def expected_links(
    original: Table, names: Sequence[str], digits: Mapping[str, np.ndarray], widths: Mapping[str, int]
) -> Links | None:
    """The pairs for some attributes of a table; nothing where their domain is too large."""
    shape = tuple(widths[name] for name in names)
    if prod(shape) > LARGEST_SPACE or not original.n:
        return None
    records = distinct([digits[name] for name in names])
    cells = np.column_stack([digits[name][records.first] for name in names])
    steps = _whole_steps(original, names, widths)
    space = np.stack(np.unravel_index(np.arange(prod(shape)), shape), axis=1)
    found = [
        _nearest(space[start : start + max(BLOCK // len(cells), 1)], cells, steps, records.counts)
        for start in range(0, len(space), max(BLOCK // len(cells), 1))
    ]
    masked = np.concatenate([at for at, _, _ in found])
    known = np.concatenate([own for _, own, _ in found])
    near = np.concatenate([m for _, _, m in found])
    chances = records.counts[known] / near / original.n
    before = np.ascontiguousarray(cells[known].T)
    return Links(names, before, np.ascontiguousarray(masked.T), chances)


def _nearest(
    space: np.ndarray, cells: np.ndarray, steps: Sequence[np.ndarray], counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masked cells, the original cells nearest to them, and how many records these hold together."""
    apart = np.zeros((len(space), len(cells)), np.int64)
    for j, step in enumerate(steps):
        apart += step[space[:, j, None], cells[:, j]]
    ties = apart == apart.min(axis=1, keepdims=True)
    at, own = np.nonzero(ties)
    return space[at], own, (ties @ counts)[at]


def _whole_steps(original: Table, names: Sequence[str], widths: Mapping[str, int]) -> list[np.ndarray]:
    """Distances over a common denominator, so that equal ones are equal."""
    readings = {name: coverage_of(original.schema[name], original.schema[name]) for name in names}
    whole = lcm(*(reading.span for reading in readings.values()))
    steps = []
    for name in names:
        reading, width = readings[name], widths[name]
        codes = np.arange(width)
        step = reading.steps(codes[:, None], codes) * (whole // reading.span)
        if width > reading.size:
            step[-1], step[:, -1] = whole, whole
            step[-1, -1] = 0
        steps.append(step)
    return steps
