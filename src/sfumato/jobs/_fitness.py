"""What a search is to lower, put together from the names of measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.core import ParameterError, registry
from sfumato.jobs._honesty import ATTACKS
from sfumato.measures import Measure
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.contracts import Costs
from sfumato.search.fitness import Fitness, Objectives
from sfumato.search.trade_off import TradeOff

PUBLISHED = Fitness(
    losses=(InformationLoss(numeric="pil"),), risks=(DisclosureRisk(linkage="both"),), how="mean"
)
FITNESS = {"mares2013": PUBLISHED}  # of presets that have their own


def fitness_of(
    preset: str,
    *,
    score: str | None = None,
    weight: float = 0.5,
    loss: Sequence[Any] = (),
    risk: Sequence[Any] = (),
    add: Sequence[Any] = (),
) -> Fitness:
    """What a search is to lower: the preset's measures and score, with what was named in their place.

    `loss` and `risk` replace the measures of their sense and `add` adds to those of its own; each is a
    measure, its name or a spec.

    >>> fitness_of("fast", add=["propensity"], score="mean").spec()["losses"]
    [{'method': 'information_loss'}, {'method': 'propensity'}]
    """
    usual = FITNESS.get(preset, Fitness())
    losses = [made(one) for one in loss] or list(usual.losses)
    risks = [made(one) for one in risk] or list(usual.risks)
    for one in add:
        measure = made(one)
        if measure.sense == "score":
            raise ParameterError(f"fitness: {measure.name} is no measure of loss or risk.")
        (losses if measure.sense == "loss" else risks).append(measure)
    return Fitness(tuple(losses), tuple(risks), score or usual.how, weight)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Front(Objectives):
    """Objectives whose best balanced compromise is released: by the largest of them, or by their mean."""

    how: str = "max"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how not in ("max", "mean"):
            raise ParameterError(f"objectives: how must be one of max, mean. Got {self.how!r}.")

    def score(self, costs: Costs) -> float:
        return TradeOff(self.how).of(costs)


def front_of(fitness: Fitness, objectives: Sequence[Any], *, score: str | None = None) -> Front:
    """The objectives that were named, or else the measures of a fitness, each for itself.

    >>> front_of(Fitness(), []).objectives
    ('information_loss', 'disclosure_risk')
    """
    measures = tuple(made(one) for one in objectives) or fitness.measures
    for measure in measures:
        if measure.sense == "score":
            raise ParameterError(f"objectives: {measure.name} is no measure of loss or risk.")
    return Front(measures, how=score or "max")


def made(measure: Any) -> Measure:
    """The measure that a name or spec describes; names of held-out attacks stand for their measures."""
    spec = ATTACKS.get(measure, measure) if isinstance(measure, str) else measure
    found: Measure = registry.make("measures", spec)
    return found
