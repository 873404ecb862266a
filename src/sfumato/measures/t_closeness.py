"""t-closeness: how many records are in a class whose sensitive values are distributed unlike those of all."""

from typing import ClassVar, Literal

import numpy as np

from sfumato.core import param
from sfumato.data import Attribute, Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._sensitive import ClassValues, SensitiveBound


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

    Source: Li, Li & Venkatasubramanian (2007), *t-closeness*, §4.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> pay = Attribute(name="pay", scale="ordinal", role="confidential", categories=("low", "middle", "high"))
    >>> file = Table(Schema([town, pay]), {"town": np.array([0, 0, 0, 1]), "pay": np.array([0, 1, 2, 2])})
    >>> parts = TCloseness(t=0.2).bind(file).score(file).parts  # town b has high pay only
    >>> {name: round(part, 2) for name, part in parts.items()}
    {'pay': 25.0, 'largest': 37.5, 'mean': 18.75}
    """

    sense: ClassVar[Literal["loss", "risk"]] = "risk"

    t: float = param(default=0.2, low=0, high=1, help="greatest distance of a class from the whole file")
    sensitive: tuple[str, ...] = param(
        default=(), help="columns to keep secret (default: those with the role confidential)"
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Only the masked file counts."""
        return _BoundCloseness(self, original, names)


class _BoundCloseness(SensitiveBound):
    def __init__(self, measure: TCloseness, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names, measure.sensitive)
        self.t = measure.t

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        bad, parts, distances = np.zeros(masked.n, bool), {}, []
        for name in self.sensitive:
            found = self.class_values(masked, name)
            distances.append(_distances(found, masked.schema[name])[found.labels])
            here = distances[-1] > self.t + 1e-12
            bad |= here
            parts[name] = self.share(here)
        parts["largest"] = 100 * float(np.max(distances))
        parts["mean"] = self.share(np.mean(distances, axis=0))
        return self.share(bad), parts


def _distances(found: ClassValues, attribute: Attribute) -> np.ndarray:
    """The earth mover's distance of each class; 0 for one without values."""
    values, places = np.unique(found.values, return_inverse=True)
    places, m = places.ravel(), len(values)
    if attribute.scale == "ordinal":
        places, m = found.values.astype(np.int64), attribute.domain_size
    if len(places) == 0 or m < 2:
        return np.zeros(found.classes)
    q = np.bincount(places, found.counts, minlength=m) / found.counts.sum()
    p = found.counts / found.sizes[found.of]
    if attribute.scale == "nominal":  # Σ|p − q| / 2 = Σ (p − q)+, which needs only the values of the class
        return np.bincount(found.of, np.maximum(p - q[places], 0), minlength=found.classes)
    return _ordered(found, places, p, np.cumsum(q)) / (m - 1)


def _ordered(found: ClassValues, places: np.ndarray, p: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Σ_i |P_i − F_i| of the cumulative shares, class by class, without a table of classes and values.

    P is flat from one value of the class to its next, and F rises: the sum over such a stretch is read from
    running sums of F, on both sides of the place where F passes P.
    """
    order = np.lexsort((places, found.of))
    of, at = found.of[order], places[order]
    first = np.concatenate([[True], of[1:] != of[:-1]])
    risen = np.cumsum(p[order])
    level = risen - (risen - p[order])[first][np.cumsum(first) - 1]
    last = np.append(first[1:], True)
    until = np.where(last, len(F), np.append(at[1:], 0))
    level[last] = 1.0
    stretches = _stretch(at, until, level, F) + np.where(first, _stretch(0 * at, at, 0 * level, F), 0.0)
    sums: np.ndarray = np.bincount(of, stretches, minlength=found.classes)
    return sums


def _stretch(start: np.ndarray, end: np.ndarray, level: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Σ_(start ≤ i < end) |level − F_i|."""
    running = np.concatenate([[0.0], np.cumsum(F)])
    passes = np.clip(np.searchsorted(F, level), start, end)
    below = level * (passes - start) - (running[passes] - running[start])
    above = (running[end] - running[passes]) - level * (end - passes)
    total: np.ndarray = below + above
    return total
