"""Balance: the score of a masked file, from what it lost and what it still gives away."""

from collections.abc import Mapping
from typing import ClassVar

from sfumato.core import Aliases, DataError, ParameterError, param, registry
from sfumato.measures._composition import Composed
from sfumato.measures._contract import Files, Judged, Measure


class Balance(Composed):
    """A score of information loss IL and disclosure risk DR: max(IL, DR), (IL + DR) / 2, or x·IL + (1 − x)·DR.

    `how` says which: `"max"`, `"mean"` or `"weighted"` (SI), where x is `weight`. Any measure of loss and any
    of risk can be named; each judges those of the attributes that it takes, with the defaults of its other
    parameters, and counts missing values and survey weights as it says. From 0 to 100 if both are. The parts
    are the two measures by name.

    It does not see more than the loss and the risk it is made of: whatever these miss, it misses.

    Source: Domingo-Ferrer & Torra (2001); Marés, *thesis*, §4.1.3 (mean and max); Fayyoumi, *thesis*, §4.4 (SI).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [0.0, 2.0, 4.0, 6.0]}))
    >>> masked = original.replace({"x": [1.0, 1.0, 5.0, 5.0]})
    >>> score = Balance(how="weighted", weight=0.25, loss="sse", risk="distance_linkage").bind(original).score(masked)
    >>> score.value, score.parts
    (42.5, {'sse': 20.0, 'distance_linkage': 50.0})
    """

    aliases: ClassVar[Aliases] = {"SI": {"how": "weighted"}, "score": {}}

    sense = "score"
    bounded = False

    how: str = param(
        default="max", choices=("max", "mean", "weighted"), help="how loss and risk are combined"
    )
    weight: float = param(default=0.5, low=0, high=1, help="share of the loss, if weighted")
    loss: str = param(default="information_loss", help="measure of information loss")
    risk: str = param(default="disclosure_risk", help="measure of disclosure risk")

    def members(self, files: Files) -> dict[str, Measure]:
        both = self._member("loss", self.loss, files), self._member("risk", self.risk, files)
        return {one.name: one for one in both}

    def combined(self, files: Files, values: Mapping[str, float]) -> Judged:
        loss, risk = values.values()
        share = self.weight if self.how == "weighted" else 0.5
        value = max(loss, risk) if self.how == "max" else share * loss + (1 - share) * risk
        return value, dict(values)

    def _member(self, sense: str, name: str, files: Files) -> Measure:
        kind: type[Measure] = registry.load("measures", name)
        if kind.sense != sense:
            raise ParameterError(f"balance: {sense} must name a measure of {sense}. Got {name!r}.")
        fitting = tuple(n for n in files.names if files.original[n].scale in kind.scales)
        if not fitting:
            raise DataError(f"balance: {name} takes {' and '.join(kind.scales)}; none of the columns is.")
        return kind(attributes=fitting, weighted=self.weighted)
