"""Evolved PRAM matrices: what they were, what they became, and what both are worth on files drawn afresh."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Result
from sfumato.data import Table
from sfumato.kernels.markov import average_expectation_ratio, expectation_ratios, posterior
from sfumato.masking._markov_matrices import frequencies
from sfumato.masking._matrix_files import matrices_text
from sfumato.measures.bivariate import Bivariate
from sfumato.measures.chi_square import ChiSquare
from sfumato.search.histories import thinned
from sfumato.search.problems.pram_matrices import Matrices, PramMatrices
from sfumato.search.run_record import Run
from sfumato.studies.evolved_equation import Guess
from sfumato.version import __version__

FRESH = -1  # the round of the files that judge what was found: none that the search has seen


class JudgedMatrices(Result):
    """One set of matrices, judged by protected files that no search has seen.

    `loss`, `risk` and `score` are means over the files, and `error` is the standard error of the score.
    `ratios` are the expectation ratios of the categories, `ratio` their mean by frequency (Tables 4.8–4.11).
    `guessed` is the percentage of values that an intruder who knows the matrix guesses right by Bayes' rule, and
    `guesses` are those of each attribute, beside what is guessed without a release.
    """

    matrices: dict[str, np.ndarray]
    loss: float
    risk: float
    score: float
    error: float
    bivariate: float
    chi_square: float
    ratios: dict[str, dict[str, float]]
    ratio: dict[str, float]
    guessed: float
    guesses: dict[str, Guess]


class EvolvedPram(Result):
    """The matrices at the start and at the end of a search, and those of the direct search beside them."""

    drawn_by: ClassVar[str] = "matrices"

    original: Table = field(repr=False)
    attributes: tuple[str, ...]
    before: JudgedMatrices
    after: JudgedMatrices
    direct: JudgedMatrices | None
    front: tuple[tuple[float, float], ...]
    run: Run = field(repr=False)
    preset: str
    settings: dict[str, Any]
    seed: int
    seconds: float

    @property
    def fall(self) -> float:
        """By how many percent the score fell."""
        return 100 * (1 - self.after.score / self.before.score) if self.before.score else 0.0

    @property
    def generations(self) -> int:
        """How many generations were made."""
        return self.run.history[-1].generation

    @property
    def renamed(self) -> tuple[str, ...]:
        """Attributes in which most of the records change to another category that tells the first one."""
        return tuple(name for name in self.attributes if _is_renaming(self, name))

    def matrices_text(self) -> str:
        """The file that PRAM applies."""
        about = {
            "sfumato": __version__,
            "data": self.original.fingerprint,
            "seed": self.seed,
            "generations": self.generations,
            "preset": self.preset,
            "score": self.after.score,
            "loss": self.after.loss,
            "risk": self.after.risk,
        }
        return matrices_text(self.after.matrices, self.original.schema, {**about, **self.settings})

    def to_dict(self) -> dict[str, Any]:
        """All but the records."""
        run = self.run.to_dict()
        return {
            "sfumato": __version__,
            "data": self.original.fingerprint,
            "categories": {name: list(self.original.schema[name].categories) for name in self.attributes},
            **super().to_dict(),
            "fall": self.fall,
            "renamed": list(self.renamed),
            "run": {**run, "history": [step.to_dict() for step in thinned(self.run.history)]},
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"when": when, "attribute": name, "from": labels[i], "to": labels[j], "probability": float(p)}
            for when, judged in (("before", self.before), ("after", self.after), ("direct", self.direct))
            if judged is not None
            for name, P in judged.matrices.items()
            for labels in [self.original.schema[name].categories]
            for (i, j), p in np.ndenumerate(P)
        ]


def judged_matrices(
    problem: PramMatrices, shaped: Matrices, *, draws: int, crossed: tuple[str, ...]
) -> JudgedMatrices:
    """Judge matrices as they are drawn by, on fresh files."""
    source, names = problem.source, problem.names
    tables = [one(attributes=names, crossed=crossed).bind(source) for one in (Bivariate, ChiSquare)]
    costs, changes = [], []
    for draw in range(draws):
        masked = problem.masked(shaped, FRESH, draw)
        costs.append(problem.fitness.costs([bound.judge(masked)[0] for bound in problem.bounds]))
        changes.append([bound.judge(masked)[0] for bound in tables])
    scores = [problem.score(one) for one in costs]
    loss, risk = np.mean(costs, axis=0)
    bivariate, chi_square = np.mean(changes, axis=0)
    ratios = {name: expectation_ratios(P, problem.counts[name]) for name, P in shaped.items()}
    labels = {name: source.schema[name].categories for name in names}
    return JudgedMatrices(
        matrices=dict(shaped),
        loss=float(loss),
        risk=float(risk),
        score=problem.score((float(loss), float(risk))),
        error=float(np.std(scores) / np.sqrt(max(draws - 1, 1))),
        bivariate=float(bivariate),
        chi_square=float(chi_square),
        ratios={
            name: dict(zip(labels[name], map(float, found), strict=True)) for name, found in ratios.items()
        },
        ratio={name: average_expectation_ratio(P, problem.counts[name]) for name, P in shaped.items()},
        guessed=guessed(shaped, problem.counts),
        guesses={name: _guess(name, P, problem.counts[name]) for name, P in shaped.items()},
    )


def guessed(matrices: Matrices, counts: Mapping[str, np.ndarray]) -> float:
    """The percentage of values that Bayes' rule guesses right, by the matrix and the released category.

    >>> guessed({"sex": np.array([[0.0, 1.0], [1.0, 0.0]])}, {"sex": np.array([30, 70])})
    100.0
    """
    shares = []
    for name, P in matrices.items():
        released = counts[name] @ P
        shares.append(
            float((posterior(P, counts[name]).max(axis=1) * released).sum() / max(counts[name].sum(), 1))
        )
    return 100 * sum(shares) / len(shares)


def _guess(name: str, P: np.ndarray, T: np.ndarray) -> Guess:
    return Guess(right=guessed({name: P}, {name: T}), blind=100 * float(T.max()) / max(float(T.sum()), 1.0))


def _is_renaming(evolved: EvolvedPram, name: str) -> bool:
    P = evolved.after.matrices[name]
    T = frequencies(evolved.original[name], len(P))
    stays = float(T @ np.diag(P)) / max(T.sum(), 1)
    return stays < 0.5 and guessed({name: P}, {name: T}) > 50
