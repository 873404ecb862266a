"""What evolved files are judged by: loss and risk in one score, or any measures side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from sfumato.core import ParameterError
from sfumato.measures import Measure
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.contracts import Costs
from sfumato.search.trade_off import MEAN, How, TradeOff

LEAST_NEAR = 1e-9  # where no gap is near enough
REFERENCE = 100.0  # percent: the worst that a bounded measure can be


@dataclass(frozen=True)
class Fitness:
    """Measures of loss and of risk, and how they become one score.

    Several measures of one sense count with their mean; `weight` is the share of the loss, if weighted.

    >>> Fitness(how="weighted", weight=0.25).score((20.0, 40.0))
    35.0
    """

    objectives: ClassVar[tuple[str, ...]] = ("information_loss", "disclosure_risk")
    reference: ClassVar[Costs | None] = None  # one score is sought, and no front

    losses: tuple[Measure, ...] = (InformationLoss(),)
    risks: tuple[Measure, ...] = (DisclosureRisk(),)
    how: How = "max"
    weight: float = 0.5

    def __post_init__(self) -> None:
        self.trade_off  # noqa: B018 -- refuses what cannot be weighed
        for sense, measures in (("loss", self.losses), ("risk", self.risks)):
            for measure in measures:
                if measure.sense != sense:
                    raise ParameterError(f"fitness: {measure.name} is no measure of {sense}.")
            if not measures:
                raise ParameterError(f"fitness: at least one measure of {sense} must be given.")

    @cached_property
    def trade_off(self) -> TradeOff:
        return TradeOff(self.how, self.weight)

    @property
    def measures(self) -> tuple[Measure, ...]:
        return self.losses + self.risks

    def costs(self, values: Sequence[float]) -> Costs:
        """Loss and risk, from the values of the measures in their order."""
        split = len(self.losses)
        return float(sum(values[:split]) / split), float(sum(values[split:]) / len(self.risks))

    def score(self, costs: Costs) -> float:
        return self.trade_off.of(costs)

    def spec(self) -> dict[str, Any]:
        both = {
            "losses": [measure.spec() for measure in self.losses],
            "risks": [measure.spec() for measure in self.risks],
        }
        return {**both, "how": self.how, **({"weight": self.weight} if self.how == "weighted" else {})}


@dataclass(frozen=True)
class Objectives:
    """Two or more measures that are all to be small: the costs are their values, the score is the mean.

    The volume of a front is measured from 100 in each, the worst that a measure in percent can be; what lies
    beyond counts for nothing.

    >>> Objectives().objectives, Objectives().reference
    (('information_loss', 'disclosure_risk'), (100.0, 100.0))
    """

    measures: tuple[Measure, ...] = (InformationLoss(), DisclosureRisk())

    def __post_init__(self) -> None:
        if len(self.measures) < 2:
            raise ParameterError(f"objectives: give two measures or more. Got {len(self.measures)}.")
        for position, measure in enumerate(self.measures):
            if measure in self.measures[:position]:
                raise ParameterError(f"objectives: {measure} is given twice.")

    @property
    def objectives(self) -> tuple[str, ...]:
        names = [measure.name for measure in self.measures]
        return tuple(
            str(measure) if names.count(measure.name) > 1 else measure.name for measure in self.measures
        )

    @property
    def reference(self) -> Costs | None:
        return (REFERENCE,) * len(self.measures)

    def costs(self, values: Sequence[float]) -> Costs:
        return tuple(float(value) for value in values)

    def score(self, costs: Costs) -> float:
        return MEAN.of(costs)

    def spec(self) -> dict[str, Any]:
        return {"objectives": [measure.spec() for measure in self.measures]}


@dataclass(frozen=True)
class Nearness:
    """How far synthetic files are from the tables and products of the original.

    The costs are mean squared gaps in units of chance: 1 is about as far as another sample of the population. The score
    is the larger of the two, each over what is near enough for it; from 1 down a file is near enough, and to come much
    nearer would be to copy the chance of this sample.

    >>> Nearness(near=0.1, near_products=0.001).score((0.05, 0.002))
    2.0
    """

    objectives: ClassVar[tuple[str, ...]] = ("table_gap", "product_gap")
    reference: ClassVar[Costs | None] = None  # one score is sought, and no front
    measures: ClassVar[tuple[Measure, ...]] = ()  # none that files are judged by afterwards

    near: float = 0.1
    near_products: float = 0.001

    def score(self, costs: Costs) -> float:
        tables, products = costs
        return max(tables / max(self.near, LEAST_NEAR), products / self.near_products)

    def spec(self) -> dict[str, Any]:
        return {"near": self.near, "near_products": self.near_products}


Yardstick = Fitness | Objectives
"""How the values of some measures, in their order, become costs, and costs a score."""
Aim = Yardstick | Nearness
"""What a search of files lowers: measures of masked ones, or the gaps of synthetic ones."""
