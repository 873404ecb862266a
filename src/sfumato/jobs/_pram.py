"""What jobs share that search for PRAM matrices: what is asked of them, and what a set of matrices is worth."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core import Result, param
from sfumato.jobs._paths import output_file
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._reading import Reading, processes, say_keys
from sfumato.jobs._releasing import Recorded
from sfumato.jobs._searching import Optimized
from sfumato.jobs._work import Work
from sfumato.kernels.markov import average_expectation_ratio, expectation_ratios
from sfumato.measures import Measure
from sfumato.measures.bivariate import Bivariate
from sfumato.measures.chi_square import ChiSquare
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.contracts import Problem
from sfumato.search.fitness import Fitness
from sfumato.search.loop import run
from sfumato.search.problems.matrix_equations import guessed_right
from sfumato.search.problems.pram_matrices import Matrices, PramMatrices
from sfumato.search.run_record import Run

FRESH = -1  # the round of the files that judge what was found: none that the search has seen
DRAWS = 5


class PramSearch(Reading, Recorded, Seeded, Optimized):
    """A search for matrices of some columns of categories, which are written as JSON that `pram` applies."""

    output: Path | None = output_file(
        "where to write what is found; apply it with: sfumato mask --method pram --matrix OUT.json",
        (".json",),
        word="OUT.json",
    )
    attributes: tuple[str, ...] = param(
        default=(), word="NAME", help="the categorical columns to find matrices for", usual="the keys"
    )
    fresh: int = param(
        default=20, low=1, word="N", help="files that judge what was found, none of which the search saw"
    )
    workers: int | None = processes(usual="1")

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        (source,) = super().read(work, **given)
        source = source.keyed_by(self.attributes)
        say_keys(source)
        return (source,)

    def searched(self, problem: Problem[Any, Any], optimizer: Any, work: Work, *, label: str) -> Run:
        """Search, here unless more processes or a cluster are asked for: most candidates are judged in no time."""
        workers = work.processes if work.cluster else work.workers or self.usual_workers
        effort = replace(self.effort(work), workers=workers)
        return run(problem, optimizer, effort, label=label)

    @property
    def usual_workers(self) -> int:
        return 1


class Guess(Result):
    """Percent of the values of an attribute that are guessed right: from the release, and without it."""

    right: float
    blind: float


class JudgedMatrices(Result):
    """One set of matrices, judged by protected files that no search has seen.

    `loss`, `risk` and `score` are means over the files, and `error` is the standard error of the score.
    `ratios` are the expectation ratios of the categories, `ratio` their mean by frequency (Tables 4.8–4.11).
    `guesses` are the values of each attribute that an intruder who knows the matrix guesses right by Bayes' rule,
    and `guessed` their mean.
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


def fitness_for(
    names: Sequence[str], score: str, *, loss: Sequence[Measure] = (), risk: Sequence[Measure] = ()
) -> Fitness:
    """The loss and risk of the sources for some attributes: (ID + max(DBRL, PRL)) / 2 is the risk (eqs. 4.9, 4.10).

    Measures that are given take the place of those of their sense; where they name no attributes, they look at these.
    """
    measured = tuple(names)
    losses, risks = (
        tuple(replace(one, attributes=one.attributes or measured) for one in given) for given in (loss, risk)
    )
    return Fitness(
        losses=losses or (InformationLoss(attributes=measured),),
        risks=risks or (DisclosureRisk(attributes=measured, linkage="both"),),
        how="mean" if score == "mean" else "max",
    )


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
    guesses = {name: guess(P, problem.counts[name]) for name, P in shaped.items()}
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
        guessed=sum(one.right for one in guesses.values()) / len(guesses),
        guesses=guesses,
    )


def guess(P: np.ndarray, T: np.ndarray) -> Guess:
    """What whoever knows a matrix and the frequencies guesses right."""
    return Guess(right=guessed_right(P, T), blind=float(100 * T.max() / max(T.sum(), 1)))
