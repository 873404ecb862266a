"""PRAM matrices as a problem: one matrix per attribute, judged by the files they are likely to make."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from sfumato.core import DataError, stream
from sfumato.data import Table
from sfumato.masking.matrices.markov_matrices import frequencies, redrawn
from sfumato.measures import Bound
from sfumato.search.contracts import Costs, Outcome, Problem
from sfumato.search.fitness import Fitness
from sfumato.search.matrices.expectations import ExpectedCosts
from sfumato.search.matrices.matrix_steps import Step, made
from sfumato.search.matrices.shapes import Shape

Matrices = Mapping[str, np.ndarray]

MOST_CATEGORIES = 500
KEPT = 8  # judgements that are remembered, so that a parent is not judged again with each child


@dataclass(frozen=True)
class Draft:
    """Matrices, and steps to try on them one after the other, each kept only if the score falls.

    The files of one `round` are drawn by the same random numbers.
    """

    matrices: Matrices
    steps: tuple[Step, ...] = ()
    round: int = 0


class PramMatrices(Problem[Matrices, Draft]):
    """The matrices of some attributes of a table.

    Costs are averages over `draws` protected files (eq. 4.4). All candidates of a round are drawn by the same
    uniform numbers, one per record and attribute, so that a better matrix is kept and not a luckier draw.
    With `expected` no file is drawn: costs are those of `search.matrices.expectations`, which are those of
    `information_loss` and `disclosure_risk`, whatever the measures of the fitness.

    `shape` says what the matrices are held to; `start` are the matrices to begin with, before that.
    """

    def __init__(
        self,
        source: Table,
        start: Matrices,
        fitness: Fitness,
        *,
        draws: int = 5,
        seed: int = 0,
        expected: bool = False,
        shape: Shape | None = None,
    ) -> None:
        if not source.n:
            raise DataError("The table holds no record: there is nothing to evolve.")
        if not start:
            raise DataError("No attribute is named whose matrix may change: there is nothing to evolve.")
        for name, P in start.items():
            _check_square(source, name, P)
        self.source, self.names, self.fitness = source, tuple(start), fitness
        self.start: Matrices = {name: np.array(P, float) for name, P in start.items()}
        self.draws, self.seed, self.is_expected, self.shape = draws, seed, expected, shape or Shape()
        self.objectives = fitness.objectives
        self._known: OrderedDict[bytes, Costs] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_known", "bounds", "expectations", "counts")
        return {key: value for key, value in vars(self).items() if key not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._known = OrderedDict()

    @cached_property
    def bounds(self) -> list[Bound]:
        return [measure.bind(self.source) for measure in self.fitness.measures]

    @cached_property
    def expectations(self) -> ExpectedCosts:
        return ExpectedCosts(self.source, self.names)

    @cached_property
    def counts(self) -> dict[str, np.ndarray]:
        return {name: frequencies(self.source[name], len(P)) for name, P in self.start.items()}

    @property
    def sizes(self) -> dict[str, int]:
        return {name: len(P) for name, P in self.start.items()}

    def score(self, costs: Costs) -> float:
        return self.fitness.score(costs)

    def identity(self) -> dict[str, Any]:
        digest = blake2b(digest_size=16)
        for P in self.start.values():
            digest.update(np.ascontiguousarray(P).tobytes())
        return {
            "file": self.source.fingerprint,
            "start": digest.hexdigest(),
            "attributes": list(self.names),
            "fitness": {**self.fitness.spec(), "expected": self.is_expected, "draws": self.draws},
            "shape": self.shape.spec(),
        }

    def shaped(self, matrices: Matrices) -> dict[str, np.ndarray]:
        """The matrices that files are drawn by."""
        return {name: self.shape.of(P, self.counts[name]) for name, P in matrices.items()}

    def judge(self, candidate: Draft) -> Outcome:
        """Walk: keep each step that lowers the score."""
        matrices, kept = dict(candidate.matrices), []
        costs = self.costs(matrices, candidate.round)
        for position, step in enumerate(candidate.steps):
            child = {**matrices, step.name: made(matrices[step.name], step)}
            tried = self.costs(child, candidate.round)
            if self.score(tried) < self.score(costs):
                matrices, costs = child, tried
                kept.append(position)
        return Outcome(costs, tuple(kept))

    def walked(self, draft: Draft, outcome: Outcome) -> Matrices:
        matrices = dict(draft.matrices)
        for position in outcome.kept:
            step = draft.steps[position]
            matrices[step.name] = made(matrices[step.name], step)
        return matrices

    def costs(self, matrices: Matrices, round: int) -> Costs:
        """Average loss and risk of the files of a round, or what they are expected to be."""
        digest = blake2b(str(round).encode(), digest_size=16)
        for name in self.names:
            digest.update(matrices[name].tobytes())
        key = digest.digest()
        if key not in self._known:
            shaped = self.shaped(matrices)
            self._known[key] = self.expectations(shaped) if self.is_expected else self.sampled(shaped, round)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]

    def sampled(self, shaped: Matrices, round: int, *, draws: int | None = None) -> Costs:
        found = [self.drawn_costs(shaped, round, draw) for draw in range(draws or self.draws)]
        means = np.mean(found, axis=0)
        return float(means[0]), float(means[1])

    def drawn_costs(self, shaped: Matrices, round: int, draw: int) -> Costs:
        masked = self.masked(shaped, round, draw)
        return self.fitness.costs([bound.judge(masked)[0] for bound in self.bounds])

    def masked(self, shaped: Matrices, round: int, draw: int) -> Table:
        """One protected file: the same uniform numbers for the same round and draw."""
        uniform = stream(self.seed, "pram", round, draw).random((len(self.names), self.source.n))
        columns = {
            name: redrawn(self.source[name], shaped[name], numbers)
            for name, numbers in zip(self.names, uniform, strict=True)
        }
        return self.source.replace(columns)


def _check_square(source: Table, name: str, P: np.ndarray) -> None:
    attribute = source.schema[name]
    if attribute.is_numeric:
        raise DataError(f"pram: column {name} is numeric; the method takes ordinal and nominal.")
    size = attribute.domain_size
    if size > MOST_CATEGORIES:
        raise DataError(
            f"pram: column {name} must have at most {MOST_CATEGORIES} categories for its matrix to evolve; "
            f"recode it first. Got {size}."
        )
    if np.shape(P) != (size, size):
        raise DataError(
            f"pram: the matrix of column {name} must have a row and a column for each of its {size} categories. "
            f"Got {' × '.join(map(str, np.shape(P)))}."
        )
