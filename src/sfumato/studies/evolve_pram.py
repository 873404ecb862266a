"""Evolving PRAM matrices: the matrix of each attribute changes until the files it makes are well balanced."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from sfumato.core import DataError, ParameterError, UnknownNameError, progress
from sfumato.data import Table
from sfumato.masking import Pram
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.contracts import Costs
from sfumato.search.effort import Effort
from sfumato.search.fitness import Fitness
from sfumato.search.loop import run
from sfumato.search.matrices.direct_search import direct_front, direct_matrices
from sfumato.search.matrices.shapes import Shape
from sfumato.search.optimizers.matrix_evolution import MatrixEvolution
from sfumato.search.problems.pram_matrices import Matrices, PramMatrices
from sfumato.search.stop import Stop
from sfumato.studies.evolved_pram import EvolvedPram, judged_matrices

USUAL_GENERATIONS = 1100
DIRECT_STARTS = 6

PRESETS = {
    "fast": MatrixEvolution(steps=("flip", "swap", "turn", "exchange"), walk=10),
    "mares2014": MatrixEvolution(),
}
EXPECTED = ("fast",)  # presets that follow expectations and draw no file


def evolve_pram(
    table: Table,
    *,
    attributes: Sequence[str] = (),
    matrix: str = "frequency",
    p: float = 0.5,
    preset: str = "fast",
    generations: int | None = None,
    seconds: float | None = None,
    score: Literal["mean", "max"] = "mean",
    diagonal: tuple[float, float] | None = None,
    invariant: bool = False,
    draws: int = 5,
    fresh: int = 20,
    crossed: Sequence[str] = (),
    direct: int = DIRECT_STARTS,
    front: bool = False,
    seed: int = 0,
    folder: str | Path | None = None,
) -> EvolvedPram:
    """Evolve the PRAM matrices of some attributes, by default of the keys that hold categories.

    The matrices start as `pram` makes them with `matrix` and `p`. `preset="mares2014"` is the algorithm of the
    source: one bit or range a generation, judged by `draws` protected files. `"fast"` makes larger steps, ten
    in a row, and judges by expectations without drawing a file. Both end after so many `generations` (1100) or
    `seconds`. What is reported is judged by `fresh` files that no search has seen.

    `score` is what falls: the mean of loss and risk, or the larger of the two. `diagonal` are the bounds of the
    probability that a category stays, and `invariant` matrices keep the expected frequencies; see
    `sfumato.search.matrices.shapes`. `crossed` are columns whose tables with the attributes are compared. Beside a free
    search stands the outcome of a `direct` one from so many starts (none at 0). With a `folder` the
    run is kept there, and goes on if it is already there. `front` adds the compromises of the direct search.

    A free search ends near a change of names, one category for another, since the usual measures take that for
    protection. Whoever knows the matrix undoes it: see `guessed` of the result, and ask for a `diagonal`.

    >>> from sfumato.datasets import household_survey
    >>> found = evolve_pram(household_survey(200), attributes=["region"], generations=20, fresh=2)
    >>> found.after.score < found.before.score
    True
    """
    began = time.perf_counter()
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, PRESETS)
    if score not in ("mean", "max"):
        raise ParameterError(f"evolve-pram: score must be one of mean, max. Got {score!r}.")
    for what, number in (("draws", draws), ("fresh", fresh)):
        if number < 1:
            raise ParameterError(f"evolve-pram: {what} must be an integer of at least 1. Got {number}.")
    if table.n == 0:
        raise DataError("The table holds no record: there is nothing to evolve.")
    problem = PramMatrices(
        table,
        Pram(matrix=matrix, p=p, attributes=tuple(attributes)).matrices(table),
        fitness_for(table, attributes, score),
        draws=draws,
        seed=seed,
        expected=preset in EXPECTED,
        shape=Shape(*(diagonal or (0.0, 1.0)), invariant=invariant),
    )
    if problem.is_expected and problem.expectations.links is None:
        progress.note(
            f"the domain of {', '.join(problem.names)} has too many cells to expect links in: the search "
            "leaves record linkage out, the files that judge the outcome do not."
        )
    stop = Stop(generations=generations or (None if seconds else USUAL_GENERATIONS), seconds=seconds)
    effort = Effort(stop=stop, seed=seed, folder=None if folder is None else Path(folder))
    found = run(problem, PRESETS[preset], effort, label="Evolving matrices")
    yardstick, compromises = _direct(problem, starts=direct, seed=seed, front=front)
    sets: list[Matrices] = [problem.start, found.population[-1].genome, *([yardstick] if yardstick else [])]
    with progress.task("Judging by fresh files", len(sets)) as work:
        judged = []
        for one in sets:
            judged.append(judged_matrices(problem, problem.shaped(one), draws=fresh, crossed=tuple(crossed)))
            work.advance()
    return EvolvedPram(
        original=table,
        attributes=problem.names,
        before=judged[0],
        after=judged[1],
        direct=judged[2] if yardstick else None,
        front=compromises,
        run=found,
        preset=preset,
        settings={"fitness": problem.fitness.spec(), "shape": problem.shape.spec(), "matrix": matrix, "p": p},
        seed=seed,
        seconds=time.perf_counter() - began,
    )


def fitness_for(table: Table, attributes: Sequence[str], score: Literal["mean", "max"]) -> Fitness:
    """The loss and risk of the source, for some attributes: (ID + max(DBRL, PRL)) / 2 is the risk."""
    names = Pram(attributes=tuple(attributes)).targets(table)
    return Fitness(
        losses=(InformationLoss(attributes=names),),
        risks=(DisclosureRisk(attributes=names, linkage="both"),),
        how=score,
    )


def _direct(
    problem: PramMatrices, *, starts: int, seed: int, front: bool
) -> tuple[Matrices | None, tuple[tuple[float, float], ...]]:
    """The best matrices of the direct search under the same score, and the costs of its compromises.

    The mean needs one weight. For the larger of the two, or a front, the weights are swept. The direct search
    is free: there is nothing to compare where matrices are held to a shape.
    """
    if not problem.shape.is_free or not starts:
        return None, ()
    expected, start = problem.expectations, problem.start
    if problem.fitness.how == "mean" and not front:
        return direct_matrices(expected, start, starts=starts, seed=seed).matrices, ()
    found = direct_front(expected, start, starts=max(starts // 3, 1), seed=seed)
    best = min(found, key=lambda one: problem.score(one.costs))
    return best.matrices, tuple(_pair(one.costs) for one in found)


def _pair(costs: Costs) -> tuple[float, float]:
    loss, risk = costs
    return loss, risk
