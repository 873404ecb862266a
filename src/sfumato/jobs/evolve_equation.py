"""Find an equation that makes good PRAM matrices, and write it."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, ParameterError, Result, param, progress
from sfumato.core.results import plain
from sfumato.data import Source, Table
from sfumato.data.files import writing
from sfumato.jobs._contents import Content, Record
from sfumato.jobs._job import Listing
from sfumato.jobs._pram import DRAWS, Guess, PramSearch, fitness_for, guess
from sfumato.jobs._reading import processes
from sfumato.jobs._searching import Searched
from sfumato.jobs._words import percent
from sfumato.jobs._work import Work
from sfumato.masking.matrices.equations import Equation
from sfumato.masking.pram import Pram
from sfumato.parallel import available_cores
from sfumato.search.contracts import Costs, Optimizer, Problem
from sfumato.search.matrices.equations import simplified
from sfumato.search.optimizers.genetic_programming import GeneticProgramming
from sfumato.search.problems.matrix_equations import SEARCH, MatrixEquations
from sfumato.search.run_record import Step
from sfumato.version import __version__

USUAL = GeneticProgramming()
BASELINES = {"frequency": "p", "diagonal": "theta", "uniform": "p"}  # usual matrices, by their parameters
COARSE = tuple(p / 10 for p in range(11))  # values of the parameter that are tried first
FINE = tuple(p / 100 for p in range(-8, 10, 2))  # and then around the best of them
ALMOST_ALL = 95.0  # percent of the values guessed right


class EvolveEquation(PramSearch):
    """Evolve an equation of the frequencies of categories that makes PRAM matrices with little information
    loss and disclosure risk, and write it to OUT. No data are written: the equation serves this file and others.

    It is found by genetic programming; --optimizer 'genetic_programming(population=6, subset=4, distinct=false)' is
    nearest to the source. What is found is judged by fresh files beside the frequency, diagonal (the source's "Unif PRAM") and
    uniform matrices with their best p or theta. An equation may win by exchanging categories, which hides nothing from whoever knows it:
    --most-guessed adds what they guess beyond so many percent of the values to the costs (usual matrices let them
    guess 50 to 70). The strata of a file are taken as one.

    >>> EvolveEquation(file="a.csv", output="e.json", depth=3, most_guessed=70).spec()
    {'job': 'evolve_equation', 'depth': 3, 'most-guessed': 70.0, 'output': 'e.json', 'file': 'a.csv'}

    >>> import sfumato
    >>> people = sfumato.datasets.household_survey(60, seed=1).to_arrow(text=True).to_pandas()  # any frame
    >>> sfumato.evolve_equation(people[["sex", "region"]], generations=2, seed=1).attributes
    ('sex', 'region')
    """

    usual: ClassVar[Mapping[str, Any]] = {"generations": 1500}
    problem: ClassVar[type[Problem[Any, Any]]] = MatrixEquations
    replaced: ClassVar[tuple[str, ...]] = ("population", "depth")

    score: str = param(
        default="max", choices=("max", "mean"), help="lower the larger of loss and risk, or their mean"
    )
    population: int | None = param(
        default=None, low=2, word="N", help="number of equations", usual=str(USUAL.population)
    )
    depth: int | None = param(
        default=None,
        low=1,
        high=10,
        word="N",
        help="levels that an equation may have",
        usual=str(USUAL.depth),
    )
    draws: int | None = param(
        default=None,
        low=1,
        word="N",
        help="judge equations by so many drawn files",
        usual="by what is expected of them",
    )
    most_guessed: float = param(
        default=100.0,
        low=0,
        high=100,
        word="PERCENT",
        help="values that whoever knows the equation may guess right; more is a cost",
    )
    workers: int | None = processes(usual="1; all cores with --draws")

    @property
    def usual_workers(self) -> int:
        return 1 if self.draws is None else available_cores()

    def run(self, source: Source, *, work: Work) -> "EvolvedEquation":
        began = time.perf_counter()
        table = source.in_memory("a search for an equation")
        names = Pram(attributes=self.attributes).targets(table)
        problem = equations_of(
            table,
            names,
            score=self.score,
            expected=self.draws is None,
            draws=self.draws or DRAWS,
            seed=self.seed,
            most_guessed=self.most_guessed,
        )
        baselines = [baseline(problem, kind, self.fresh) for kind in BASELINES]
        found = self.searched(problem, self._optimizer, work, label="Evolving equations")
        equation = simplified(found.best.genome)
        matrices = problem.matrices(equation)
        loss, risk = problem.fresh(matrices, self.fresh)
        return EvolvedEquation(
            job=self,
            equation=equation,
            attributes=names,
            matrices=matrices,
            categories={name: table.schema[name].categories for name in names},
            loss=loss,
            risk=risk,
            score=problem.score((loss, risk)),
            baselines=tuple(baselines),
            guesses={name: guess(P, problem.counts[name]) for name, P in matrices.items()},
            run=found,
            file=table.fingerprint,
            seconds=time.perf_counter() - began,
        )

    @property
    def _optimizer(self) -> Optimizer[Any, Any]:
        return self.optimizer or GeneticProgramming(
            population=self.population or USUAL.population, depth=self.depth or USUAL.depth
        )


class Baseline(Result):
    """A usual matrix at its best p or theta, judged by the same fresh files."""

    matrix: str
    parameter: str
    p: float
    loss: float
    risk: float
    score: float
    guessed: float

    @property
    def setting(self) -> str:
        return f"{self.parameter} = {self.p:g}"


class EvolvedEquation(Searched):
    """The formula and its matrices; loss, risk and score are means over fresh files, in percent.

    `guesses` holds, for each attribute, the percent of values that whoever knows the matrix and the
    frequencies guesses right, and `guessed` is their mean. A matrix that only exchanges categories scores well
    and hides nothing from them: `warnings` says where nearly all values can be guessed so.
    """

    drawn_by: ClassVar[str] = "score_evolution"

    job: EvolveEquation = field(repr=False)
    equation: Equation = field(repr=False)
    attributes: tuple[str, ...]
    matrices: dict[str, np.ndarray] = field(repr=False)
    categories: dict[str, tuple[str, ...]] = field(repr=False)
    loss: float
    risk: float
    score: float
    baselines: tuple[Baseline, ...]
    guesses: dict[str, Guess]
    file: str
    seconds: float

    @property
    def formula(self) -> str:
        return str(self.equation)

    @property
    def history(self) -> Sequence[Step]:
        return self.run.history

    @property
    def guessed(self) -> float:
        """Percent of the values guessed right by whoever knows the equation, over all attributes."""
        return sum(one.right for one in self.guesses.values()) / len(self.guesses)

    @property
    def beats(self) -> bool:
        return self.score < min(one.score for one in self.baselines)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Where the matrix hides little from those who know it."""
        return tuple(
            f"whoever knows the equation guesses {one.right:.0f} % of {name} right "
            f"({one.blind:.0f} % without the release): from them it hides next to nothing."
            for name, one in self.guesses.items()
            if one.right >= max(ALMOST_ALL, one.blind + 1)
        )

    def contents(self) -> Mapping[str, Content]:
        return {"output": self.text(), "record": Record(self)}

    def text(self) -> str:
        """The small file that `pram` takes as its matrix: the equation, and where it came from."""
        about = {
            "sfumato": __version__,
            "file": self.file,
            "attributes": self.attributes,
            "score": self.job.score,
            "information_loss": round(self.loss, 4),
            "disclosure_risk": round(self.risk, 4),
            "optimizer": self.run.optimizer,
            "generations": self.generations,
        }
        return json.dumps({"equation": self.formula, "about": plain(about)}, indent=2) + "\n"

    def save(self, path: str | Path) -> None:
        with writing(path) as temporary:
            temporary.write_text(self.text(), encoding="utf-8", newline="\n")

    def told(self) -> Iterator[str | Listing]:
        yield f"The share of category i that becomes j is in proportion to\n\n    {self.formula}\n"
        yield "Cells below 0 count as 0; what is divided by 0 is 1; each row is divided by its sum.\n"
        usual = {f"{one.matrix} matrix, {one.setting}": one for one in self.baselines}
        sets: dict[str, EvolvedEquation | Baseline] = {"this equation": self, **usual}
        yield Listing(
            f"Mean of {self.job.fresh} fresh files, for {', '.join(self.attributes)} (lower is better)",
            ("", ">Information loss", ">Disclosure risk", ">Score", ">Guessed right"),
            [(name, *map(percent, (b.loss, b.risk, b.score, b.guessed))) for name, b in sets.items()],
        )
        yield "Guessed right: percent of the values, by whoever knows matrix and frequencies; not in the score."
        yield (
            f"\n{self.generations} generations, {self.run.evaluations} equations judged; "
            f"it ended since {self.run.reason}."
        )
        yield from (f"Warning: {warning}" for warning in self.warnings)
        if output := self.job.output:
            yield f"Wrote {output}; apply it with: sfumato mask --method pram --matrix {output}"

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.heading(),
            "equation": self.formula,
            **super().to_dict(),
            "matrices": {
                name: {"categories": list(self.categories[name]), "rows": P.tolist()}
                for name, P in self.matrices.items()
            },
            "guessed": self.guessed,
            "warnings": list(self.warnings),
            "optimizer": self.run.optimizer,
            "generations": self.generations,
            "evaluations": self.run.evaluations,
            "ended": self.run.reason,
            "history": self.steps(),
        }

    def _rows(self) -> list[dict[str, Any]]:
        here = {
            "matrix": "equation",
            "parameter": None,
            "p": None,
            "loss": self.loss,
            "risk": self.risk,
            "score": self.score,
        }
        return [{**here, "guessed": self.guessed}, *(one.to_dict() for one in self.baselines)]


def equations_of(
    table: Table,
    names: Sequence[str],
    *,
    score: str = "max",
    expected: bool = True,
    draws: int = DRAWS,
    seed: int = 0,
    most_guessed: float = 100.0,
) -> MatrixEquations:
    """The problem: equations for some attributes, judged by expectations where the domain is small enough."""
    if not table.n:
        raise DataError("The table holds no record: there is nothing to evolve an equation on.")
    if score not in ("max", "mean"):
        raise ParameterError(f"score must be one of max, mean. Got {score!r}.")
    fitness = fitness_for(names, score)
    make = partial(MatrixEquations, table, names, fitness, draws=draws, seed=seed, most_guessed=most_guessed)
    problem = make(expected=expected)
    if expected and problem.files.expectations.links is None:
        progress.note("the domain is too large for expected linkage: equations are judged by drawn files.")
        return make(expected=False)
    return problem


def baseline(problem: MatrixEquations, kind: str, fresh: int) -> Baseline:
    """A usual matrix with the p or theta that suits the problem best, judged by fresh files."""
    near = _best_share(problem, kind, COARSE)
    p = _best_share(problem, kind, [near + step for step in FINE if 0 <= near + step <= 1])
    matrices = _usual(problem, kind, p)
    loss, risk = problem.fresh(matrices, fresh)
    return Baseline(
        matrix=kind,
        parameter=BASELINES[kind],
        p=round(p, 2),
        loss=loss,
        risk=risk,
        score=problem.score((loss, risk)),
        guessed=problem.guessed(matrices),
    )


def baseline_curve(problem: MatrixEquations, kind: str, shares: Sequence[float]) -> dict[float, Costs]:
    """Loss and risk of a usual matrix for some p or theta, judged as in the search."""
    return {p: problem.files.costs(_usual(problem, kind, p), SEARCH) for p in shares}


def _best_share(problem: MatrixEquations, kind: str, shares: Sequence[float]) -> float:
    curve = baseline_curve(problem, kind, shares)
    return min(curve, key=lambda p: problem.score(curve[p]))


def _usual(problem: MatrixEquations, kind: str, p: float) -> dict[str, np.ndarray]:
    parameter = {BASELINES[kind]: p}
    return Pram(matrix=kind, attributes=problem.files.names, **parameter).matrices(problem.files.source)
