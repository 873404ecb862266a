"""Evolving an equation for PRAM: one formula of the frequencies that makes the matrices of all attributes."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from sfumato.core import DataError, ParameterError, progress
from sfumato.data import Table
from sfumato.masking.pram import Pram
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.contracts import Costs
from sfumato.search.effort import Effort
from sfumato.search.fitness import Fitness
from sfumato.search.loop import run
from sfumato.search.matrices.equations import simplified
from sfumato.search.optimizers.genetic_programming import GeneticProgramming
from sfumato.search.problems.matrix_equations import SEARCH, MatrixEquations, guessed_right
from sfumato.search.stop import Stop
from sfumato.studies.evolved_equation import Baseline, EvolvedEquation, Guess

GENERATIONS = 1500
BASELINES = ("frequency", "uniform")
COARSE = tuple(p / 10 for p in range(11))  # values of p that are tried first
FINE = tuple(p / 100 for p in range(-8, 10, 2))  # and then around the best of them


def evolve_equation(
    table: Table,
    *,
    attributes: Sequence[str] = (),
    score: str = "max",
    generations: int | None = None,
    seconds: float | None = None,
    target: float | None = None,
    stagnation: int | None = None,
    population: int = 100,
    depth: int = 5,
    expected: bool = True,
    draws: int = 5,
    fresh: int = 20,
    most_guessed: float = 100.0,
    seed: int = 0,
    workers: int = 1,
    folder: str | Path | None = None,
) -> EvolvedEquation:
    """Find an equation whose PRAM matrices lose little and disclose little, by genetic programming.

    It is found for the `attributes`, or for all categorical keys, and lowers the larger of information loss
    and disclosure risk, or with `score="mean"` their mean. A `population` of trees of at most `depth` levels
    lives for 1500 generations unless `generations`, `seconds`, a `target` score or `stagnation` say otherwise.
    Equations are judged by what their matrices are expected to do, or with `expected=False` by the mean of
    `draws` files. The one found is judged by `fresh` files that the search never saw, beside the frequency
    and the uniform matrices with their best p. An equation may win by exchanging categories, which hides
    nothing from whoever knows it; what they guess beyond `most_guessed` percent of the values is
    added to the costs (usual matrices let them guess 50 to 70). With a `folder` the run is kept there and goes on if it is
    there already. A table's strata are taken as one file.

    >>> from sfumato.datasets import household_survey
    >>> found = evolve_equation(
    ...     household_survey(200, seed=1), attributes=["region", "education"], generations=10, population=20
    ... )
    >>> found.attributes, found.generations, sorted(found.matrices) == sorted(found.attributes)
    (('region', 'education'), 10, True)
    """
    began = time.perf_counter()
    if min(draws, fresh) < 1:
        raise ParameterError(f"draws and fresh must be integers of at least 1. Got {min(draws, fresh)}.")
    names = Pram(attributes=tuple(attributes)).targets(table)
    optimizer = GeneticProgramming(population=population, depth=depth)
    limits = {"seconds": seconds, "generations": generations, "target": target, "stagnation": stagnation}
    stop = Stop.given(limits, usual={"generations": GENERATIONS})
    problem = equations_of(
        table, names, score=score, expected=expected, draws=draws, seed=seed, most_guessed=most_guessed
    )
    baselines = [baseline(problem, kind, fresh) for kind in BASELINES]
    kept = None if folder is None else Path(folder)
    effort = Effort(stop=stop, seed=seed, workers=workers, folder=kept)
    found = run(problem, optimizer, effort, label="Evolving equations")
    equation = simplified(found.best.genome)
    matrices = problem.matrices(equation)
    loss, risk = problem.fresh(matrices, fresh)
    return EvolvedEquation(
        equation=equation,
        attributes=names,
        matrices=matrices,
        categories={name: table.schema[name].categories for name in names},
        loss=loss,
        risk=risk,
        score=problem.score((loss, risk)),
        how=score,
        fresh=fresh,
        baselines=tuple(baselines),
        guesses={name: _guess(P, problem.counts[name]) for name, P in matrices.items()},
        run=found,
        file=table.fingerprint,
        seed=seed,
        seconds=time.perf_counter() - began,
    )


def equations_of(
    table: Table,
    names: Sequence[str],
    *,
    score: str = "max",
    expected: bool = True,
    draws: int = 5,
    seed: int = 0,
    most_guessed: float = 100.0,
) -> MatrixEquations:
    """The problem: IL is the mean of CTBIL, DBIL and EBIL, DR is (ID + max(DBRL, PRL)) / 2 (eqs. 4.9, 4.10)."""
    if not table.n:
        raise DataError("The table holds no record: there is nothing to evolve an equation on.")
    if score not in ("max", "mean"):
        raise ParameterError(f"score must be one of max, mean. Got {score!r}.")
    measured = tuple(names)
    fitness = Fitness(
        losses=(InformationLoss(attributes=measured),),
        risks=(DisclosureRisk(attributes=measured, linkage="both"),),
        how="mean" if score == "mean" else "max",
    )
    make = partial(MatrixEquations, table, names, fitness, draws=draws, seed=seed, most_guessed=most_guessed)
    problem = make(expected=expected)
    if expected and problem.files.expectations.links is None:
        progress.note("the domain is too large for expected linkage: equations are judged by drawn files.")
        return make(expected=False)
    return problem


def baseline(problem: MatrixEquations, kind: str, fresh: int) -> Baseline:
    """A usual matrix with the p that suits the problem best, judged by fresh files."""
    near = _best_share(problem, kind, COARSE)
    p = _best_share(problem, kind, [near + step for step in FINE if 0 <= near + step <= 1])
    matrices = _usual(problem, kind, p)
    loss, risk = problem.fresh(matrices, fresh)
    return Baseline(
        matrix=kind,
        p=round(p, 2),
        loss=loss,
        risk=risk,
        score=problem.score((loss, risk)),
        guessed=problem.guessed(matrices),
    )


def baseline_curve(problem: MatrixEquations, kind: str, shares: Sequence[float]) -> dict[float, Costs]:
    """Loss and risk of a usual matrix for some p, judged as in the search."""
    return {p: problem.files.costs(_usual(problem, kind, p), SEARCH) for p in shares}


def _best_share(problem: MatrixEquations, kind: str, shares: Sequence[float]) -> float:
    curve = baseline_curve(problem, kind, shares)
    return min(curve, key=lambda p: problem.score(curve[p]))


def _usual(problem: MatrixEquations, kind: str, p: float) -> dict[str, np.ndarray]:
    return Pram(matrix=kind, p=p, attributes=problem.files.names).matrices(problem.files.source)


def _guess(P: np.ndarray, T: np.ndarray) -> Guess:
    return Guess(right=guessed_right(P, T), blind=float(100 * T.max() / max(T.sum(), 1)))
