"""Evolve PRAM matrices towards the best balance, and write them."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, ParameterError, param, progress
from sfumato.data import Source, Table
from sfumato.jobs._contents import Content, Picture, Record
from sfumato.jobs._job import Listing
from sfumato.jobs._pram import DRAWS, JudgedMatrices, PramSearch, fitness_for, judged_matrices
from sfumato.jobs._searching import Searched
from sfumato.jobs._words import percent
from sfumato.jobs._work import Work
from sfumato.masking import Pram
from sfumato.masking.matrices.markov_matrices import BUILDERS, frequencies
from sfumato.masking.matrices.matrix_files import matrices_text
from sfumato.measures import Measure
from sfumato.search.contracts import Optimizer, Problem
from sfumato.search.fitness import Fitness
from sfumato.search.matrices.direct_search import direct_front, direct_matrices
from sfumato.search.matrices.shapes import Shape
from sfumato.search.optimizers.matrix_evolution import MatrixEvolution
from sfumato.search.problems.matrix_equations import guessed_right
from sfumato.search.problems.pram_matrices import Matrices, PramMatrices
from sfumato.version import __version__

FAST, PUBLISHED = "fast", "mares2014"
PRESETS: dict[str, Optimizer[Any, Any]] = {
    FAST: MatrixEvolution(steps=("flip", "swap", "turn", "exchange"), walk=10),
    PUBLISHED: MatrixEvolution(),
}


class EvolvePram(PramSearch):
    """Evolve the PRAM matrices of FILE until the files they make have little information loss and disclosure
    risk, and write them to OUT, with a picture of them beside it. No data are written.

    The preset mares2014 is the algorithm of the source: one bit or range a generation, judged by protected files.
    The preset fast makes larger steps, ten in a row, and judges by expectations without drawing a file, as does
    --optimizer 'matrix_evolution(walk=5)' unless --draws says otherwise. Beside a search that is free stands the
    outcome of a direct one.

    Keep OUT to yourself if the masked file is released: whoever has the matrices guesses better. A free search ends
    near a change of names, one category for another, which the usual measures take for protection; whoever knows the
    matrix undoes it. Ask for a --diagonal.

    >>> EvolvePram(file="a.csv", diagonal=(0.5, 0.8), optimizer="matrix_evolution(walk=5)").spec()
    {'job': 'evolve_pram', 'diagonal': [0.5, 0.8], 'file': 'a.csv', 'optimizer': 'matrix_evolution(walk=5)'}

    >>> import sfumato
    >>> people = sfumato.datasets.household_survey(60, seed=1).to_arrow(text=True).to_pandas()  # any frame
    >>> sfumato.evolve_pram(people[["sex", "region"]], generations=2, seed=1).attributes
    ('sex', 'region')
    """

    usual: ClassVar[Mapping[str, Any]] = {"generations": 1100}
    problem: ClassVar[type[Problem[Any, Any]]] = PramMatrices
    replaced: ClassVar[tuple[str, ...]] = ("preset",)

    preset: str | None = param(
        default=None,
        choices=tuple(PRESETS),
        help="how to search: our own way, or that of the publication",
        usual=FAST,
    )
    score: str = param(
        default="mean", choices=("mean", "max"), help="lower the mean of loss and risk, or the larger of them"
    )
    matrix: str = param(
        default="frequency", file=True, help=f"the matrices at the start: {', '.join(BUILDERS)}, or a file"
    )
    p: float = param(
        default=0.5,
        short="p",
        low=0,
        high=1,
        help="probability that a category stays, in the matrices at the start",
    )
    diagonal: tuple[float, float] | None = param(
        default=None,
        low=0,
        high=1,
        word="LOW HIGH",
        help="bounds of the probability that a category stays",
        usual="none",
    )
    invariant: bool = param(default=False, help="keep the expected frequencies of all categories")
    whole: bool = param(
        default=False,
        help="hold the diagonal by one share of the identity for the whole matrix, as in the source, and not row by row",
    )
    one_beta: bool = param(
        default=False, help="lower diagonals by one factor for all rows, as the source prints it (eq. 4.7)"
    )
    loss: tuple[Measure, ...] = param(
        default=(),
        help="measures of loss to lower, in place of information_loss, such as 'dbil,ACTBIL,ebil'; judged by drawn files",
    )
    risk: tuple[Measure, ...] = param(
        default=(), help="measures of risk to lower, in place of disclosure_risk; judged by drawn files"
    )
    draws: int | None = param(
        default=None,
        low=1,
        word="N",
        help="protected files that judge a candidate of mares2014, or of an optimiser",
        usual=f"{DRAWS} for mares2014",
    )
    crossed: tuple[str, ...] = param(
        default=(), word="NAME", help="columns whose tables with the attributes are compared"
    )
    direct: int = param(
        default=6, low=0, word="N", help="starts of the direct search beside it, or none at 0"
    )
    front: bool = param(default=False, help="show the compromises of a direct search as well")

    def check(self) -> None:
        super().check()
        if self.whole and self.diagonal is None:
            raise ParameterError(f"{self.name}: whole needs the bounds of a diagonal; give them too.")
        if self.one_beta and self.diagonal is None:
            raise ParameterError(f"{self.name}: one-beta needs the bounds of a diagonal; give them too.")
        _ = self.shape  # refuses bounds that cannot be

    @property
    def shape(self) -> Shape:
        return Shape(
            *(self.diagonal or (0.0, 1.0)),
            invariant=self.invariant,
            whole=self.whole,
            one_beta=self.one_beta,
        )

    def fitness(self, names: Sequence[str]) -> Fitness:
        return fitness_for(names, self.score, loss=self.loss, risk=self.risk)

    @property
    def measured(self) -> bool:
        """Whether other measures are lowered than those that can be expected without drawing a file."""
        return bool(self.loss or self.risk)

    def targets(self) -> dict[str, Path]:
        picture = {} if self.output is None else {"picture": self.output.with_suffix(".svg")}
        return {**super().targets(), **picture}

    def run(self, source: Source, *, work: Work) -> "EvolvedPram":
        began = time.perf_counter()
        table = source.in_memory("a search for matrices")
        problem = self._problem(table)
        optimizer = self.optimizer or PRESETS[self.preset or FAST]
        found = self.searched(problem, optimizer, work, label="Evolving matrices")
        yardstick, compromises = self._direct(problem)
        sets: list[Matrices] = [
            problem.start,
            found.population[-1].genome,
            *([yardstick] if yardstick else []),
        ]
        with progress.task("Judging by fresh files", len(sets)) as judging:
            judged = []
            for one in sets:
                shaped = problem.shaped(one)
                judged.append(judged_matrices(problem, shaped, draws=self.fresh, crossed=self.crossed))
                judging.advance()
        return EvolvedPram(
            job=self,
            original=table,
            attributes=problem.names,
            before=judged[0],
            after=judged[1],
            direct=judged[2] if yardstick else None,
            front=compromises,
            run=found,
            seconds=time.perf_counter() - began,
        )

    def _problem(self, table: Table) -> PramMatrices:
        if table.n == 0:
            raise DataError("The table holds no record: there is nothing to evolve.")
        start = Pram(matrix=self.matrix, p=self.p, attributes=self.attributes).matrices(table)
        drawn = self.draws is not None if self.optimizer else self.preset == PUBLISHED
        drawn = drawn or self.measured
        problem = PramMatrices(
            table,
            start,
            self.fitness(tuple(start)),
            draws=self.draws or DRAWS,
            seed=self.seed,
            expected=not drawn,
            shape=self.shape,
        )
        if problem.is_expected and problem.expectations.links is None:
            progress.note(
                f"the domain of {', '.join(problem.names)} has too many cells to expect links in: the search "
                "leaves record linkage out, the files that judge the outcome do not."
            )
        return problem

    def _direct(self, problem: PramMatrices) -> tuple[Matrices | None, tuple[tuple[float, float], ...]]:
        """The best matrices of the direct search under the same score, and the costs of its compromises.

        The mean needs one weight. For the larger of the two, or a front, the weights are swept. The direct search
        is free: there is nothing to compare where matrices are held to a shape.
        """
        if not problem.shape.is_free or not self.direct or self.measured:
            return None, ()
        expected, start = problem.expectations, problem.start
        if self.score == "mean" and not self.front:
            return direct_matrices(expected, start, starts=self.direct, seed=self.seed).matrices, ()
        found = direct_front(expected, start, starts=max(self.direct // 3, 1), seed=self.seed)
        best = min(found, key=lambda one: problem.score(one.costs))
        return best.matrices, tuple((one.costs[0], one.costs[1]) for one in found)


class EvolvedPram(Searched):
    """The matrices at the start and at the end of a search, and those of the direct search beside them."""

    drawn_by: ClassVar[str] = "matrices"

    job: EvolvePram = field(repr=False)
    original: Table = field(repr=False)
    attributes: tuple[str, ...]
    before: JudgedMatrices
    after: JudgedMatrices
    direct: JudgedMatrices | None
    front: tuple[tuple[float, float], ...]
    seconds: float

    @property
    def fall(self) -> float:
        return 100 * (1 - self.after.score / self.before.score) if self.before.score else 0.0

    @property
    def renamed(self) -> tuple[str, ...]:
        """Attributes in which most of the records change to another category that tells the first one."""
        return tuple(name for name in self.attributes if _is_renaming(self, name))

    def contents(self) -> Mapping[str, Content]:
        return {"output": self.matrices_text(), "picture": Picture(self), "record": Record(self)}

    def matrices_text(self) -> str:
        job = self.job
        optimizer = None if job.optimizer is None else job.optimizer.spec()
        about = {
            "sfumato": __version__,
            "generations": self.generations,
            **({"preset": job.preset or FAST} if optimizer is None else {"optimizer": optimizer}),
            "score": self.after.score,
            "loss": self.after.loss,
            "risk": self.after.risk,
            "fitness": job.fitness(self.attributes).spec(),
            "shape": job.shape.spec(),
            "matrix": job.matrix,
            "p": job.p,
        }
        return matrices_text(self.after.matrices, self.original.schema, about)

    def told(self) -> Iterator[str | Listing]:
        sets = {"at the start": self.before, "evolved": self.after, "direct search": self.direct}
        rows = [
            (name, *map(percent, (one.loss, one.risk, one.score, one.bivariate, one.guessed)))
            for name, one in sets.items()
            if one is not None
        ]
        headings = ("", ">Information loss", ">Disclosure risk", ">Score", ">Bivariate", ">Guessed right")
        yield Listing(
            f"Mean of fresh files, for {', '.join(self.attributes)} (lower is better)", headings, rows
        )
        yield "Guessed right: percent of the values, by whoever knows the matrices; not in the score."
        if self.front:
            pairs = ", ".join(f"({percent(loss)}, {percent(risk)})" for loss, risk in self.front)
            yield f"Compromises of the direct search (loss, risk): {pairs}"
        yield (
            f"\nThe score fell by {percent(self.fall)} % in {self.generations} generations; "
            f"it ended since {self.run.reason}."
        )
        if self.renamed:
            yield (
                f"Warning: the matrix of {', '.join(self.renamed)} mostly renames categories, which the measures "
                "take for protection; hold it to a --diagonal if the release must stand against who knows that."
            )
        if self.job.output is not None:
            output, picture = self.job.output, self.job.targets()["picture"]
            yield f"Wrote {output} and {picture}; apply with: sfumato mask --method pram --matrix {output}"

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.heading(),
            "data": self.original.fingerprint,
            "categories": {name: list(self.original.schema[name].categories) for name in self.attributes},
            **super().to_dict(),
            "fall": self.fall,
            "renamed": list(self.renamed),
            "run": {**self.run.to_dict(), "history": self.steps()},
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


def _is_renaming(evolved: EvolvedPram, name: str) -> bool:
    P = evolved.after.matrices[name]
    T = frequencies(evolved.original[name], len(P))
    stays = float(T @ np.diag(P)) / max(T.sum(), 1)
    return stays < 0.5 and guessed_right(P, T) > 50
