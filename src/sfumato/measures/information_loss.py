"""Information loss: one number for tables of numbers and categories."""

from typing import ClassVar, Literal

from sfumato.data import Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures.ctbil import Ctbil
from sfumato.measures.dbil import Dbil
from sfumato.measures.ebil import Ebil
from sfumato.measures.sse import Sse


class InformationLoss(Measure):
    """IL = the mean of the numeric and the categorical loss, each weighted by its number of attributes.

    The numeric loss is min(100, `sse`); the categorical one is the mean of `dbil`, `ctbil` (tables of one
    and two attributes) and `ebil`. From 0 to 100. Missing values count as each of these says. The parts
    are `numeric`, `categorical`, and the measures they were made of.

    Source: Marés, *thesis*, §2.4.1 and §4.1.3 (categorical); SSE/SST as usual for microaggregation.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> age = Attribute(name="age", scale="numeric", role="key")
    >>> original = Table(Schema([sex, age]), {"sex": np.array([0, 0, 1, 1]), "age": [0, 2, 4, 6]})
    >>> score = InformationLoss().bind(original).score(original.replace({"age": [1, 1, 5, 5]}))
    >>> score.value, score.parts["numeric"], score.parts["categorical"]
    (10.0, 20.0, 0.0)
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Bind each measure to the attributes it takes."""
        return _BoundLoss(self, original, names)


class _BoundLoss(Bound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.numeric = tuple(name for name in names if original.schema[name].is_numeric)
        self.categorical = tuple(name for name in names if name not in self.numeric)
        self.measures: list[Bound] = []
        if self.numeric:
            self.measures.append(Sse(attributes=self.numeric).bind(original))
        if self.categorical:
            kinds = (
                Dbil(attributes=self.categorical),
                Ctbil(dimension=2, attributes=self.categorical),
                Ebil(attributes=self.categorical),
            )
            self.measures += [kind.bind(original) for kind in kinds]

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        found = {bound.measure.name: bound.judge(masked)[0] for bound in self.measures}
        parts, total = {}, 0.0
        if self.numeric:
            parts["numeric"] = min(100.0, found["sse"])
            total += len(self.numeric) * parts["numeric"]
        if self.categorical:
            parts["categorical"] = (found["dbil"] + found["ctbil"] + found["ebil"]) / 3
            total += len(self.categorical) * parts["categorical"]
        return total / len(self.names), parts | found
