"""What loss and risk PRAM matrices are expected to have, worked out without drawing a file.

Category i of an attribute has T_i records and becomes j with probability p_ij. Then

- DBIL and interval disclosure are linear in P;
- a cell of a table of masked counts has mean and variance that are products of the matrices with the original
  table, and CTBIL is the mean of its distance from the original count, taken as normal;
- EBIL follows from T and P, with what few records make of n log n put right as for Poisson counts;
- a masked record is linked with its nearest original ones wherever it came from, so distance-based linkage is
  a sum of products of probabilities over the pairs of an original cell and a masked one.

All of it is smooth in P, so that a gradient search can follow it. Sampled files are the check.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import erf

from sfumato.data import Table
from sfumato.data.coverage import coverage_of
from sfumato.kernels.markov import expected_count_bits
from sfumato.measures.interval_disclosure import BoundIntervals, IntervalDisclosure
from sfumato.measures.statistics.joint_counts import domain_size
from sfumato.search.matrices.links import Links, expected_links

Matrices = Mapping[str, np.ndarray]
Costs = tuple[float, float]

LEAST = 1e-12  # a variance below it is none


class Expected(NamedTuple):
    """Expected loss and risk in percent, and how both change with every probability."""

    loss: float
    risk: float
    loss_slopes: dict[str, np.ndarray]
    risk_slopes: dict[str, np.ndarray]


class ExpectedCosts:
    """The expectations for some categorical attributes of a table.

    Loss is the mean of DBIL, CTBIL (tables of one and two attributes) and EBIL; risk is the mean of interval
    disclosure and distance-based record linkage. Missing values stay missing, as a category that never moves.
    Linkage is left out, as 0, where the domain has more cells than `matrix_links.LARGEST_SPACE`.

    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> people = Table(Schema([sex]), {"sex": np.repeat([0, 1], [30, 70])})
    >>> costs = ExpectedCosts(people, ["sex"])
    >>> loss, risk = costs({"sex": np.eye(2)})
    >>> round(loss, 6), round(risk, 6)  # nothing changed: all values disclosed, a link is one in 30 or 70
    (0.0, 51.0)
    """

    def __init__(self, original: Table, names: Sequence[str]) -> None:
        self.names, self.n = tuple(names), original.n
        self.codes = {name: original[name].astype(np.int64) for name in names}
        self.sizes = {name: original.schema[name].domain_size for name in names}
        missing = {name: size for name, size in self.sizes.items() if (self.codes[name] < 0).any()}
        digits = {name: np.where(codes < 0, self.sizes[name], codes) for name, codes in self.codes.items()}
        widths = {name: size + (name in missing) for name, size in self.sizes.items()}
        self.widths = widths
        self.counts = {name: np.bincount(digits[name], minlength=widths[name]) for name in names}
        self.tables = {
            (a, b): np.bincount(digits[a] * widths[b] + digits[b], minlength=widths[a] * widths[b]).reshape(
                widths[a], widths[b]
            )
            for a, b in combinations(names, 2)
        }
        self.bits = sum(original.n * np.log2(domain_size(original, name)) for name in names) or 1.0
        self.distances = {name: _distances(original, name, widths[name]) for name in names}
        self.disclosed = _disclosed(original, self.names, widths)
        self.links: Links | None = expected_links(original, self.names, digits, widths)

    def __call__(self, matrices: Matrices) -> Costs:
        found = self.slopes(matrices)
        return found.loss, found.risk

    def slopes(self, matrices: Matrices) -> Expected:
        """The same with their derivatives by each probability."""
        wide = {name: _with_missing(matrices[name], self.widths[name]) for name in self.names}
        loss = risk = 0.0
        losses = {name: np.zeros_like(P) for name, P in wide.items()}
        risks = {name: np.zeros_like(P) for name, P in wide.items()}
        for name, P in wide.items():
            moved = self.counts[name][:, None] * self.distances[name] * (100 / 3 / self.n / len(wide))
            loss += float((moved * P).sum())
            losses[name] += moved
            share, slope = self._entropy(name, P)
            loss += share
            losses[name] += slope
            close = self.disclosed[name] * (50 / len(wide))
            risk += float((close * P).sum())
            risks[name] += close
        loss += self._tables(wide, losses)
        if self.links is not None:
            risk += 50 * self.links.expected([wide[name] for name in self.names], risks, 50.0)
        trim = {name: slice(0, size) for name, size in self.sizes.items()}
        return Expected(
            float(loss),
            float(risk),
            {name: slope[trim[name], trim[name]] for name, slope in losses.items()},
            {name: slope[trim[name], trim[name]] for name, slope in risks.items()},
        )

    def _entropy(self, name: str, P: np.ndarray) -> tuple[float, np.ndarray]:
        """A third of EBIL: Σ n'_j log2 n'_j − Σ n_ij log2 n_ij, both as expected of counts."""
        T = self.counts[name][:, None]
        joint, spread = T * P, 1 - P
        released = joint.sum(axis=0)
        varying = (joint * spread).sum(axis=0)
        total, by_mean, by_share = expected_count_bits(released, varying / np.maximum(released, LEAST))
        cells, cell_mean, cell_share = expected_count_bits(joint, spread)
        scale = 100 / 3 / self.bits
        shares = by_share / np.maximum(released, LEAST)
        from_share = shares * (T * (1 - 2 * P)) - shares * (varying / np.maximum(released, LEAST)) * T
        slope = scale * (T * by_mean + from_share - (T * cell_mean - cell_share))
        return scale * float(total.sum() - cells.sum()), slope

    def _tables(self, wide: Matrices, losses: dict[str, np.ndarray]) -> float:
        """A third of CTBIL; adds its derivatives to those of each attribute."""
        scale = 50 / 3 / self.n / (len(wide) + len(self.tables))
        loss = 0.0
        for name, P in wide.items():
            T = self.counts[name].astype(float)
            off, by_mean, by_variance = _distance(T @ P - T, T @ (P * (1 - P)))
            loss += scale * float(off.sum())
            losses[name] += scale * T[:, None] * (by_mean + by_variance * (1 - 2 * P))
        for (a, b), N in self.tables.items():
            P, Q = wide[a], wide[b]
            NQ, NQ2 = N @ Q, N @ Q**2
            mean = P.T @ NQ
            off, by_mean, by_variance = _distance(mean - N, mean - (P**2).T @ NQ2)
            both = by_mean + by_variance
            loss += scale * float(off.sum())
            losses[a] += scale * (NQ @ both.T - 2 * P * (NQ2 @ by_variance.T))
            losses[b] += scale * ((P.T @ N).T @ both - 2 * Q * (((P**2).T @ N).T @ by_variance))
        return loss


def _distance(mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """E|X| of normal X, and its derivatives by mean and variance."""
    spread = np.sqrt(np.maximum(variance, LEAST))
    bell = np.sqrt(2 / np.pi) * np.exp(-((mean / spread) ** 2) / 2)
    side = erf(mean / spread / np.sqrt(2))
    return spread * bell + mean * side, side, bell / (2 * spread) * (variance > LEAST)


def _with_missing(P: np.ndarray, width: int) -> np.ndarray:
    if len(P) == width:
        return np.asarray(P, float)
    wide = np.zeros((width, width))
    wide[:-1, :-1] = P
    wide[-1, -1] = 1.0
    return wide


def _distances(original: Table, name: str, width: int) -> np.ndarray:
    """How far apart two categories are; missing is last."""
    reading = coverage_of(original.schema[name], original.schema[name])
    codes = np.where(np.arange(width) < reading.size, np.arange(width), -1)
    from_, to = np.repeat(codes, width), np.tile(codes, width)
    return reading.distances(to, from_).reshape(width, width)


def _disclosed(original: Table, names: tuple[str, ...], widths: Mapping[str, int]) -> dict[str, np.ndarray]:
    """The share of the values of an attribute that are disclosed if all of category i become j."""
    bound = BoundIntervals(IntervalDisclosure(attributes=names), original, names)
    readers = bound.disclosed.readers(original.schema)
    found = {}
    for name in names:
        codes = original[name].astype(np.int64)
        present = np.flatnonzero(codes >= 0)
        categories, first = np.unique(codes[present], return_index=True)
        counts = np.bincount(codes[present], minlength=original.schema[name].domain_size)
        shares = np.zeros((widths[name], widths[name]))
        size = len(counts)
        for category, row in zip(categories, present[first], strict=True):
            credit = readers[name](np.arange(size), np.full(size, row))[:, 0]
            shares[category, :size] = counts[category] * credit / max(len(present), 1)
        found[name] = shares
    return found
