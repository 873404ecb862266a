"""DBIL: how far masked categories lie from the original ones."""

from typing import ClassVar, Literal

from sfumato.data import Scale, Table
from sfumato.data.reading import original_codes, read
from sfumato.measures._contract import Bound, Measure


class Dbil(Measure):
    """DBIL = 100 · mean over records and attributes of d(original category, masked category).

    Distance-based information loss. Ordinal categories are |difference of ranks| / |D| apart, where |D|
    counts the declared domain; nominal ones 0 or 1. A recoded category counts as a uniform draw from the
    categories it covers. 0 where nothing changed, never above 100. A value that is missing on one side only
    is at distance 1; missing on both sides, at distance 0. The parts are the loss of each attribute.

    Source: Marés, *thesis*, §2.4.1, eq. 2.8 and 2.9, with the distances of eq. 2.6 and 2.7.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema
    >>> size = Attribute(name="size", scale="ordinal", role="key", categories=("S", "M", "L", "XL"))
    >>> original = Table(Schema([size]), {"size": np.array([0, 1, 2, 3])})
    >>> masked = original.replace({"size": np.array([0, 1, 3, 1])})  # moved by 0, 0, 1 and 2 of 4 ranks
    >>> Dbil().bind(original).score(masked).value
    18.75
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"
    scales: ClassVar[tuple[Scale, ...]] = ("ordinal", "nominal")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Keep the original codes."""
        return _BoundDbil(self, original, names)


class _BoundDbil(Bound):
    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        parts = {}
        for name in self.names:
            reading = read(self.original.schema[name], masked.schema[name])
            apart = reading.distances(reading.of(masked[name]), original_codes(self.original[name]))
            parts[name] = 100 * float(apart.mean())
        return sum(parts.values()) / len(parts), parts
