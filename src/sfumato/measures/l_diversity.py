"""l-diversity: how many records are in a class with too few different sensitive values."""

from typing import ClassVar, Literal

import numpy as np

from sfumato.core import param
from sfumato.data import Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._sensitive import ClassValues, SensitiveBound


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

    Source: Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam (2007), *l-diversity*, §4.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> illness = Attribute(name="illness", scale="nominal", role="confidential", categories=("flu", "cold"))
    >>> file = Table(Schema([town, illness]), {"town": np.array([0, 0, 0, 1, 1]), "illness": np.array([0, 1, 1, 0, 0])})
    >>> LDiversity(l=2).bind(file).score(file).parts  # all of town b have the flu
    {'illness': 40.0, 'smallest': 1.0}
    """

    sense: ClassVar[Literal["loss", "risk"]] = "risk"

    l: float = param(default=2.0, low=1, help="least diversity of a class")  # noqa: E741 -- the field's name
    variant: str = param(
        default="distinct", choices=("distinct", "entropy", "recursive"), help="how diversity is counted"
    )
    c: float = param(default=3.0, low=0, help="of the recursive variant: the commonest value's largest share")
    sensitive: tuple[str, ...] = param(
        default=(), help="columns to keep secret (default: those with the role confidential)"
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Only the masked file counts."""
        return _BoundDiversity(self, original, names)


class _BoundDiversity(SensitiveBound):
    def __init__(self, measure: LDiversity, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names, measure.sensitive)
        self.l, self.c, self.variant = measure.l, measure.c, measure.variant

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        bad, parts, least = np.zeros(masked.n, bool), {}, np.inf
        for name in self.sensitive:
            found = self.class_values(masked, name)
            attained = self._attained(found)
            here = (attained < self.l - 1e-9)[found.labels]  # 2^H of equal frequencies may be a digit short
            bad |= here
            parts[name] = self.share(here)
            least = min(least, float(attained.min()))
        return self.share(bad), parts | {"smallest": least if np.isfinite(least) else 0.0}

    def _attained(self, found: ClassValues) -> np.ndarray:
        """The l of each class; a class without values discloses nothing, however large l is."""
        return np.where(found.sizes == 0, np.inf, self._diversity(found))

    def _diversity(self, found: ClassValues) -> np.ndarray:
        if self.variant == "distinct":
            return np.bincount(found.of, minlength=found.classes).astype(float)
        if self.variant == "entropy":
            p = found.counts / found.sizes[found.of]
            bits = np.bincount(found.of, -p * np.log2(p), minlength=found.classes)
            attained: np.ndarray = 2.0**bits
            return attained
        return _recursive(found, self.c)


def _recursive(found: ClassValues, c: float) -> np.ndarray:
    order = np.lexsort((-found.counts, found.of))
    of, counts = found.of[order], found.counts[order].astype(float)
    new = np.concatenate([[True], of[1:] != of[:-1]]) if len(of) else np.zeros(0, bool)
    commonest = counts[new][np.cumsum(new) - 1]
    ends = np.cumsum(found.sizes)[of]
    rest = ends - (np.cumsum(counts) - counts)  # r_l + … + r_m
    attained = np.bincount(of, commonest < c * rest, minlength=found.classes)
    return attained.astype(float)
