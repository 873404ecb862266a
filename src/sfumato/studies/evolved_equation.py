"""An evolved equation: the formula, the matrices it makes, and what they are worth beside the usual ones."""

import json
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Result
from sfumato.core.results import plain
from sfumato.data.files import writing
from sfumato.masking._equations import Equation
from sfumato.search.histories import thinned
from sfumato.search.run_record import Run, Step
from sfumato.version import __version__

ALMOST_ALL = 95.0  # percent of the values guessed right


class Baseline(Result):
    """A usual matrix at its best p, judged by the same fresh files."""

    matrix: str
    p: float
    loss: float
    risk: float
    score: float
    guessed: float


class Guess(Result):
    """Percent of the values of an attribute that are guessed right: from the release, and without it."""

    right: float
    blind: float


class EvolvedEquation(Result):
    """The formula and its matrices; loss, risk and score are means over `fresh` files, in percent.

    `guesses` holds, for each attribute, the percent of values that whoever knows the matrix and the
    frequencies guesses right, and `guessed` is their mean. A matrix that only exchanges categories scores well
    and hides nothing from them: `warnings` says where nearly all values can be guessed so.
    """

    drawn_by: ClassVar[str] = "score_evolution"

    equation: Equation = field(repr=False)
    attributes: tuple[str, ...]
    matrices: dict[str, np.ndarray] = field(repr=False)
    categories: dict[str, tuple[str, ...]] = field(repr=False)
    loss: float
    risk: float
    score: float
    how: str
    fresh: int
    baselines: tuple[Baseline, ...]
    guesses: dict[str, Guess]
    run: Run = field(repr=False)
    file: str
    seed: int
    seconds: float

    @property
    def formula(self) -> str:
        """The equation as it is printed."""
        return str(self.equation)

    @property
    def history(self) -> Sequence[Step]:
        """The search, by generation."""
        return self.run.history

    @property
    def generations(self) -> int:
        """How many generations were made."""
        return self.run.history[-1].generation

    @property
    def guessed(self) -> float:
        """Percent of the values guessed right by whoever knows the equation, over all attributes."""
        return sum(guess.right for guess in self.guesses.values()) / len(self.guesses)

    @property
    def beats(self) -> bool:
        """Whether its score is below that of every usual matrix."""
        return self.score < min(baseline.score for baseline in self.baselines)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Where the matrix hides little from those who know it."""
        return tuple(
            f"whoever knows the equation guesses {guess.right:.0f} % of {name} right "
            f"({guess.blind:.0f} % without the release): from them it hides next to nothing."
            for name, guess in self.guesses.items()
            if guess.right >= max(ALMOST_ALL, guess.blind + 1)
        )

    def to_dict(self) -> dict[str, Any]:
        """The formula, its matrices, its scores and how it was found."""
        return {
            "sfumato": __version__,
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
            "history": [step.to_dict() for step in thinned(self.run.history)],
        }

    def text(self) -> str:
        """The small file that `pram` takes as its matrix: the equation, and where it came from."""
        about = {
            "sfumato": __version__,
            "file": self.file,
            "attributes": self.attributes,
            "score": self.how,
            "information_loss": round(self.loss, 4),
            "disclosure_risk": round(self.risk, 4),
            "optimizer": self.run.optimizer,
            "generations": self.generations,
            "seed": self.seed,
        }
        return json.dumps({"equation": self.formula, "about": plain(about)}, indent=2) + "\n"

    def save(self, path: str | Path) -> None:
        """Write that file."""
        with writing(path) as temporary:
            temporary.write_text(self.text(), encoding="utf-8", newline="\n")

    def _rows(self) -> list[dict[str, Any]]:
        here = {"matrix": "equation", "p": None, "loss": self.loss, "risk": self.risk, "score": self.score}
        return [{**here, "guessed": self.guessed}, *(one.to_dict() for one in self.baselines)]
