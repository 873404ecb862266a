"""l-diversity: how many records are in a class with too few different sensitive values."""

from dataclasses import dataclass

import numpy as np

from sfumato.core import param
from sfumato.data import Schema
from sfumato.measures._contract import Files, Judged, Measure
from sfumato.measures.statistics.class_values import (
    ClassFigures,
    ClassValues,
    Distribution,
    SensitiveClasses,
    secret_keys,
    sensitive_columns,
)
from sfumato.measures.statistics.contract import Statistic


class LDiversity(Measure):
    """Percent of records whose class of equal key values is not l-diverse in some sensitive attribute.

    A class attains

    - distinct: the number of different values;
    - entropy: 2^H, with H the entropy of the values in bits, so that equally frequent values count as many
      as they are;
    - recursive (c, l): the largest l with r_1 < c (r_l + r_(l+1) + … + r_m), where r_1 ≥ r_2 ≥ … are the
      frequencies of the m values; 0 if there is none.

    The sensitive attributes are those named, or those with the role confidential; where there are none,
    each key attribute in turn, with the others as keys. Only the masked file counts. From 0, where it is
    l-diverse, to 100. A missing key value is a value like others; a missing sensitive one is no value, and a
    class without any discloses nothing. Weights count the records of the percentages. The parts are the
    percentage of each sensitive attribute and `smallest`, the least l that a class attains (0 if no class
    has a value).

    It does not see how much more frequent a value is in a class than in the file, or that different
    values may mean the same.

    Source: Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam (2007), *l-diversity*, §4.

    >>> from sfumato.data import Attribute, Schema, Table
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> illness = Attribute(name="illness", scale="nominal", role="confidential", categories=("flu", "cold"))
    >>> file = Table(Schema([town, illness]), {"town": np.array([0, 0, 0, 1, 1]), "illness": np.array([0, 1, 1, 0, 0])})
    >>> LDiversity(l=2).bind(file).score(file).parts  # all of town b have the flu
    {'illness': 40.0, 'smallest': 1.0}
    """

    sense = "risk"

    l: float = param(default=2.0, low=1, help="least diversity of a class")  # noqa: E741 -- the field's name
    variant: str = param(
        default="distinct", choices=("distinct", "entropy", "recursive"), help="how diversity is counted"
    )
    c: float = param(default=3.0, low=0, help="of the recursive variant: the commonest value's largest share")
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
        kind = {"distinct": DistinctValues, "entropy": Entropies, "recursive": RecursiveDiversities}[
            self.variant
        ]
        options = {"c": self.c} if kind is RecursiveDiversities else {}
        return (kind(files.names, sensitive, self.weighted, **options),)

    def value(self, files: Files, *found: ClassFigures) -> Judged:
        (attained,) = found
        # 2^H of equal frequencies may be a digit short
        each, either = attained.shares(lambda figure: figure < self.l - 1e-9)
        sensitive = sensitive_columns(files.original, files.names, self.sensitive)
        least = min(float(one.min()) for one in attained.figures)
        parts = dict(zip(sensitive, each, strict=True))
        return either, parts | {"smallest": least if np.isfinite(least) else 0.0}


@dataclass(frozen=True)
class DistinctValues(SensitiveClasses):
    """The number of different values in each class."""

    def added(self, values: ClassValues, whole: Distribution | None) -> np.ndarray:
        return np.ones(len(values.of))

    def figure(self, sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """A class without values discloses nothing, however large l is."""
        return np.where(sizes == 0, np.inf, sums)


class Entropies(DistinctValues):
    """2^H, with H the entropy of the values in each class."""

    def added(self, values: ClassValues, whole: Distribution | None) -> np.ndarray:
        p = values.counts / values.sizes
        bits: np.ndarray = -p * np.log2(p)
        return bits

    def figure(self, sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """As many as equally frequent values would be."""
        return super().figure(2.0**sums, sizes)


@dataclass(frozen=True)
class RecursiveDiversities(DistinctValues):
    """The largest l with r_1 < c (r_l + … + r_m)."""

    by_count = True

    c: float

    def added(self, values: ClassValues, whole: Distribution | None) -> np.ndarray:
        """Whether it holds for each l: r_l + … + r_m is what the values from the l-th on come to."""
        rest = values.sizes - (values.upto - values.counts)
        holds: np.ndarray = values.first_counts < self.c * rest
        return holds.astype(float)
