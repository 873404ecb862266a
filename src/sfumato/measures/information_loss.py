"""Information loss: one number for tables of numbers and categories."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from sfumato.core import param
from sfumato.data import Table
from sfumato.measures._composition import Combined, ComposedBound
from sfumato.measures._contract import Bound, Measure
from sfumato.measures.ctbil import Ctbil
from sfumato.measures.dbil import Dbil
from sfumato.measures.ebil import Ebil
from sfumato.measures.pil import Pil
from sfumato.measures.sse import Sse


class InformationLoss(Measure):
    """IL = the mean of the numeric and the categorical loss, each weighted by its number of attributes.

    The numeric loss is min(100, `sse`), or `pil` with `numeric="pil"`; the categorical one is the mean of
    `dbil`, `ctbil` (tables of one and two attributes) and `ebil`. From 0 to 100. Missing values and weights
    count as each of these says. The parts are `numeric`, `categorical`, and the measures they were made of.

    Source: Marés, *thesis*, §2.4.1 and §4.1.3 (categorical, and PIL); SSE/SST as usual for microaggregation.

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

    numeric: str = param(default="sse", choices=("sse", "pil"), help="what judges the numeric attributes")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Bind each measure to the attributes it takes."""
        return _BoundLoss(self, original, names)


class _BoundLoss(ComposedBound):
    def __init__(self, measure: InformationLoss, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        numeric = tuple(name for name in names if original.schema[name].is_numeric)
        categorical = tuple(name for name in names if name not in numeric)
        self.sizes, weighted = (len(numeric), len(categorical)), measure.weighted
        used: list[Measure] = []
        if numeric:
            kind = Pil if measure.numeric == "pil" else Sse
            used.append(kind(attributes=numeric, weighted=weighted))
        if categorical:
            used += [
                Dbil(attributes=categorical, weighted=weighted),
                Ctbil(dimension=2, attributes=categorical, weighted=weighted),
                Ebil(attributes=categorical, weighted=weighted),
            ]
        self.bounds = {one.name: one.bind(original) for one in used}
        self.numeric = measure.numeric

    def combine(self, values: Mapping[str, float]) -> Combined:
        parts, total = {}, 0.0
        numeric, categorical = self.sizes
        if numeric:
            parts["numeric"] = min(100.0, values[self.numeric])
            total += numeric * parts["numeric"]
        if categorical:
            parts["categorical"] = (values["dbil"] + values["ctbil"] + values["ebil"]) / 3
            total += categorical * parts["categorical"]
        return total / len(self.names), parts | dict(values)
