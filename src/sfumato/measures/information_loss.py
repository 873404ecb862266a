"""Information loss: one number for tables of numbers and categories."""

from collections.abc import Mapping

from sfumato.core import param
from sfumato.measures._composition import Composed
from sfumato.measures._contract import Files, Judged, Measure
from sfumato.measures.ctbil import Ctbil
from sfumato.measures.dbil import Dbil
from sfumato.measures.ebil import Ebil
from sfumato.measures.pil import Pil
from sfumato.measures.sse import Sse


class InformationLoss(Composed):
    """IL = the mean of the numeric and the categorical loss, each weighted by its number of attributes.

    The numeric loss is min(100, `sse`), or `pil` with `numeric="pil"`; the categorical one is the mean of
    `dbil`, `ctbil` (tables of one and two attributes) and `ebil`. From 0 to 100. Missing values and weights
    count as each of these says. The parts are `numeric`, `categorical`, and the measures they were made of.

    It does not see columns that are no keys, nor their relations to the keys: a file may score 0 here and
    have lost what it was collected for; `analyst_loss` sees that.

    Source: Marés, *thesis*, §2.4.1 and §4.1.3 (categorical, and PIL); SSE/SST as usual for microaggregation.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema, Table
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> age = Attribute(name="age", scale="numeric", role="key")
    >>> original = Table(Schema([sex, age]), {"sex": np.array([0, 0, 1, 1]), "age": [0, 2, 4, 6]})
    >>> score = InformationLoss().bind(original).score(original.replace({"age": [1, 1, 5, 5]}))
    >>> score.value, score.parts["numeric"], score.parts["categorical"]
    (10.0, 20.0, 0.0)
    """

    sense = "loss"

    numeric: str = param(default="sse", choices=("sse", "pil"), help="what judges the numeric attributes")

    def members(self, files: Files) -> dict[str, Measure]:
        used = list[Measure]()
        if files.numeric:
            kind = Pil if self.numeric == "pil" else Sse
            used.append(kind(attributes=files.numeric, weighted=self.weighted))
        if files.categorical:
            kinds = (Dbil, Ctbil, Ebil)
            used += [kind(attributes=files.categorical, weighted=self.weighted) for kind in kinds]
        return {one.name: one for one in used}

    def combined(self, files: Files, values: Mapping[str, float]) -> Judged:
        parts, total = {}, 0.0
        if files.numeric:
            parts["numeric"] = min(100.0, values[self.numeric])
            total += len(files.numeric) * parts["numeric"]
        if files.categorical:
            parts["categorical"] = (values["dbil"] + values["ctbil"] + values["ebil"]) / 3
            total += len(files.categorical) * parts["categorical"]
        return total / len(files.names), parts | dict(values)
