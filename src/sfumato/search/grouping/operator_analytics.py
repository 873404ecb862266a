"""What the operators of GOMM did, generation by generation: was their work of use?

Source: Balasch, *thesis*, ch. 4, after Muntés-Mulero.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from sfumato.core import Result


class OperatorStep(Result):
    """The children that an operator made in one generation.

    `unused` is the percentage of them that never became a parent (the last generations have little time to);
    `lifetime` the mean number of later generations they were in the population for. A child is `improved`
    if its score is below that of its parent, or the mean of both, and `worsened` if it is above; a `clone`
    is a grouping that was judged before. How much better or worse is said in percent, by eq. 4.3: with r =
    child / parents, 100 · (1 − r) if it is better and 100 · (1 / r − 1) if it is worse (eq. 4.1, for mutations, lacks
    the "1 −" in print, by which a child 10 % better would show 90; the text speaks of up to 20 %); the mean over those
    that are, the best and the worst of all (0 where there are none).
    """

    generation: int
    operator: str
    children: int
    clones: int
    survived: int
    unused: float
    lifetime: float
    improved: int
    worsened: int
    mean_gain: float
    best_gain: float
    mean_loss: float
    worst_loss: float


class GenerationStep(Result):
    """The population after a generation: the best score, and how many groups its groupings have."""

    generation: int
    best: float
    mean_groups: float
    best_groups: int


class OperatorAnalytics(Result):
    """All operators of a run of GOMM in all its generations, and what came of them."""

    drawn_by: ClassVar[str] = "operator_analytics"

    steps: tuple[OperatorStep, ...]
    generations: tuple[GenerationStep, ...]
    children: int
    judged: int

    @property
    def operators(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(step.operator for step in self.steps))

    @property
    def cached(self) -> float:
        """The percentage of groupings, those of the start among them, that had been judged before."""
        return 100 * (1 - self.judged / self.children) if self.children else 0.0

    def of(self, operator: str) -> Sequence[OperatorStep]:
        return [step for step in self.steps if step.operator == operator]

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "cached": self.cached}

    def _rows(self) -> list[dict[str, Any]]:
        held = {step.generation: step.to_dict() for step in self.generations}
        return [step.to_dict() | held[step.generation] for step in self.steps]


def gain(child: float, before: float) -> float:
    """How much better (above 0) or worse (below) a child is, in percent: equations 4.2 and 4.3.

    >>> gain(9.0, 10.0), gain(12.5, 10.0), gain(10.0, 10.0)
    (10.0, -20.0, 0.0)
    """
    if child == before:
        return 0.0
    if child < before:
        return 100 * (before - child) / before
    return 100 * (before - child) / child
