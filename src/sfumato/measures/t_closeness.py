"""t-closeness: how many records are in a class whose sensitive values are distributed unlike those of all."""

from typing import Any

import numpy as np

from sfumato.core import param
from sfumato.data import Schema
from sfumato.measures._contract import Files, Judged, Measure
from sfumato.measures.statistics.class_values import (
    ClassFigures,
    ClassValues,
    Distribution,
    SensitiveClasses,
    distribution,
    secret_keys,
    sensitive_columns,
)
from sfumato.measures.statistics.contract import Statistic

ROUNDING = 1e-12  # a distance this little above t is t


class TCloseness(Measure):
    """Percent of records whose class of equal key values is farther than t from the file in a sensitive attribute.

    The distance of the distribution p in a class from the distribution q in the whole file is the earth
    mover's: Σ_i |Σ_(j ≤ i) (p_j − q_j)| / (m − 1) with the ordered distance (ordinal: over the m declared
    categories; numeric: over the m values of the file in order), and Σ_i |p_i − q_i| / 2 with the equal
    distance (nominal). The sensitive attributes are those named, or those with the role confidential; where
    there are none, each key attribute in turn, with the others as keys. Only the masked file counts. From
    0, where it is t-close, to 100. A missing key value is a value like others; a missing sensitive one is
    left out, and a class without any discloses nothing. Weights count the records of the percentages. The
    parts are the percentage of each sensitive attribute, `largest`, the greatest distance of a class, in
    percent (the t of the file), and `mean`, the mean distance over records.

    It does not see who can be told apart within a class, or single values that are rare in the whole
    file.

    Source: Li, Li & Venkatasubramanian (2007), *t-closeness*, §4.

    >>> from sfumato.data import Attribute, Schema, Table
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> pay = Attribute(name="pay", scale="ordinal", role="confidential", categories=("low", "middle", "high"))
    >>> file = Table(Schema([town, pay]), {"town": np.array([0, 0, 0, 1]), "pay": np.array([0, 1, 2, 2])})
    >>> parts = TCloseness(t=0.2).bind(file).score(file).parts  # town b has high pay only
    >>> {name: round(part, 2) for name, part in parts.items()}
    {'pay': 25.0, 'largest': 37.5, 'mean': 18.75}
    """

    sense = "risk"

    t: float = param(default=0.2, low=0, high=1, help="greatest distance of a class from the whole file")
    sensitive: tuple[str, ...] = param(
        default=(), help="columns to keep secret (default: those with the role confidential)"
    )

    def columns(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        return names + sensitive_columns(schema, names, self.sensitive)

    def only_in_memory(self, files: Files) -> str:
        """From disk, the classes are the same for all sensitive attributes."""
        return secret_keys(files, self.sensitive)

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        sensitive = sensitive_columns(files.original, files.names, self.sensitive)
        return (ClassDistances(files.names, sensitive, self.weighted),)

    def value(self, files: Files, *found: ClassFigures) -> Judged:
        (distances,) = found
        each, either = distances.shares(lambda distance: distance > self.t + ROUNDING)
        sensitive = sensitive_columns(files.original, files.names, self.sensitive)
        largest = max(float(one.max()) for one in distances.figures)
        parts = dict(zip(sensitive, each, strict=True))
        return either, parts | {"largest": 100 * largest, "mean": 100 * distances.mean()}


class ClassDistances(SensitiveClasses):
    """The earth mover's distance of each class from the whole file; 0 for one without values."""

    def added(self, values: ClassValues, whole: Distribution | None) -> np.ndarray:
        """What the stretch up to each value adds."""
        assert whole is not None
        return whole.distances(values)

    def whole(self, source: Any, name: str, *where: Any) -> Distribution:
        return distribution(source, name, *where)
