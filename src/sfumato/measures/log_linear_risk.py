"""Log-linear risk: sample uniques that are found in the population, by a Poisson log-linear model of the keys."""

from itertools import combinations

import numpy as np

from sfumato.core import DataError, param
from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._contract import Bound, Judged
from sfumato.measures._population import PopulationBound, PopulationMeasure, people_of

MOST_CELLS = 20_000_000
ROUNDS, TOLERANCE = 100, 1e-6


class LogLinearRisk(PopulationMeasure):
    """100 · τ₂ / n: the expected share of records that are alone in the file and found among people.

    The number of people with each combination of key values is taken as Poisson, with a mean that a log-linear model
    of the keys gives; each person is in the file with probability π. The expected numbers λ_k in the masked file are
    fitted to the counts of each key (`order` 1: λ_k = n ∏ share, as if keys were independent) or of all pairs of keys
    (`order` 2, by iterative proportional fitting). A sample unique has besides itself a Poisson number of others, with
    mean μ = λ_k (1 − π) / π, so that over the sample uniques

        τ₁ = Σ exp(−μ), the population uniques among them, and τ₂ = Σ (1 − exp(−μ)) / μ, the expected correct matches.

    π is the `fraction` if given, else the number of records per people that the declared weights stand for; without
    either the file is the population, and all sample uniques are found. 0 is nobody alone, 100 everybody alone and found.
    The parts are in percent of the records `population_uniques` (100 τ₁ / n) and `sample_uniques`, and the number
    `expected`, τ₂. A missing value is a value like others, and so is each code declared for one. It does not see
    records that share their keys with another; and where keys depend on each other more than the model knows, rare
    combinations that are common together look rarer, and impossible ones more common, than they are.

    Source: Skinner & Shlomo (2008), *Assessing identification risk in survey microdata using log-linear models*.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> file = Table(Schema([town]), {"town": np.array([0, 0, 0, 1])})
    >>> parts = LogLinearRisk(fraction=0.5).bind(file).score(file).parts  # b: one of its kind, and one more expected
    >>> {name: round(part, 3) for name, part in parts.items()}
    {'population_uniques': 9.197, 'sample_uniques': 25.0, 'expected': 0.632}
    """

    joinable = False

    order: int = param(default=1, low=1, high=2, help="how many keys together the model has counts of")
    fraction: float | None = param(
        default=None,
        low=0.000001,
        high=1,
        help="share of the population in the file (default: by the weights)",
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundLogLinearRisk(self, original, names)


class BoundLogLinearRisk(PopulationBound):
    """The measure with the sampling fraction."""

    measure: LogLinearRisk

    def __init__(self, measure: LogLinearRisk, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        people = float(people_of(original, measure).sum())
        given = measure.fraction
        self.fraction = min(1.0, original.n / max(people, 1e-300)) if given is None else given

    def judge(self, masked: Table) -> Judged:
        columns = [distinct(masked.shown([name])).labels for name in self.names]
        found = distinct(columns)
        alone = found.first[found.counts == 1]
        expected = self._independent(columns, alone) if self.measure.order == 1 else _by_pairs(columns, alone)
        others = np.maximum(expected * (1 - self.fraction) / self.fraction, 1e-12)
        correct = float(np.sum(-np.expm1(-others) / others))
        parts = {
            "population_uniques": 100 * float(np.exp(-others).sum()) / masked.n,
            "sample_uniques": 100 * len(alone) / masked.n,
            "expected": correct,
        }
        return 100 * correct / masked.n, parts

    def _independent(self, columns: list[np.ndarray], rows: np.ndarray) -> np.ndarray:
        expected = np.full(len(rows), float(len(columns[0])))
        for column in columns:
            expected *= np.bincount(column)[column[rows]] / len(column)
        return expected


def _by_pairs(columns: list[np.ndarray], rows: np.ndarray) -> np.ndarray:
    """λ_k of some records, from the model with the counts of all pairs of columns."""
    shape = tuple(int(column.max()) + 1 for column in columns)
    cells = float(np.prod([float(size) for size in shape]))
    if cells > MOST_CELLS:
        raise DataError(
            f"log_linear_risk: order 2 is fitted to all {cells:.0f} combinations of key values, at most {MOST_CELLS}; "
            "name fewer attributes, or leave out order."
        )
    pairs: list[tuple[int, ...]] = [*combinations(range(len(columns)), 2)] or [(0,)]
    fitted = np.full(shape, len(columns[0]) / cells)
    wanted = [_counts([columns[j] for j in pair], [shape[j] for j in pair]) for pair in pairs]
    for _ in range(ROUNDS):
        worst = 0.0
        for pair, target in zip(pairs, wanted, strict=True):
            others = tuple(j for j in range(len(shape)) if j not in pair)
            now = fitted.sum(axis=others, keepdims=True)
            ratio = np.divide(target.reshape(now.shape), now, out=np.zeros_like(now), where=now > 0)
            worst = max(worst, float(np.abs(now - target.reshape(now.shape)).max()))
            fitted *= ratio
        if worst < TOLERANCE * len(columns[0]):
            break
    expected: np.ndarray = fitted[tuple(column[rows] for column in columns)]
    return expected


def _counts(columns: list[np.ndarray], shape: list[int]) -> np.ndarray:
    counts: np.ndarray = np.bincount(
        np.ravel_multi_index(tuple(columns), tuple(shape)), minlength=int(np.prod(shape))
    )
    return counts.reshape(shape).astype(float)
