"""Information loss: one number for tables of numbers and categories."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from sfumato.core import param
from sfumato.data import Schema, Table
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
        used = losses(measure, original.schema, names)
        self.bounds = {name: one.bind(original) for name, one in used.items()}
        self.numeric = measure.numeric

    def combine(self, values: Mapping[str, float]) -> Combined:
        sizes = {name: len(bound.names) for name, bound in self.bounds.items()}
        return combined_loss(values, sizes, self.numeric)


def losses(measure: InformationLoss, schema: Schema, names: tuple[str, ...]) -> dict[str, Measure]:
    """The measures it is made of, by their names."""
    numeric = tuple(name for name in names if schema[name].is_numeric)
    categorical = tuple(name for name in names if name not in numeric)
    weighted, used = measure.weighted, list[Measure]()
    if numeric:
        kind = Pil if measure.numeric == "pil" else Sse
        used.append(kind(attributes=numeric, weighted=weighted))
    if categorical:
        used += [
            Dbil(attributes=categorical, weighted=weighted),
            Ctbil(dimension=2, attributes=categorical, weighted=weighted),
            Ebil(attributes=categorical, weighted=weighted),
        ]
    return {one.name: one for one in used}


def combined_loss(values: Mapping[str, float], sizes: Mapping[str, int], numeric: str) -> Combined:
    """The value and its parts, from those measures and from how many attributes each judged."""
    parts, total, attributes = {}, 0.0, 0
    if numeric in values:
        parts["numeric"] = min(100.0, values[numeric])
        total += sizes[numeric] * parts["numeric"]
        attributes += sizes[numeric]
    if "dbil" in values:
        parts["categorical"] = (values["dbil"] + values["ctbil"] + values["ebil"]) / 3
        total += sizes["dbil"] * parts["categorical"]
        attributes += sizes["dbil"]
    return total / attributes, parts | dict(values)
