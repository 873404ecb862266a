"""Cells of a column that its declaration fixes, whatever the records are: missing codes, categories, intervals."""

from dataclasses import dataclass

import numpy as np

from sfumato.core import DataError
from sfumato.data import MISSING, Attribute, Table

MOST_INTERVALS = 128
WIDE = 2000  # legal values from which on intervals grow with their distance from 0
NARROWEST, WIDEST = 1e-4, 1 / 64  # intervals, as shares of the range
GROWTH = 0.08  # width of an interval as a share of where it begins


@dataclass(frozen=True)
class PublicCells:
    """The cells of one column. The first is an empty cell, then come the missing codes in their order, then values.

    Values are the categories, or intervals from `edges[i]` up to below `edges[i + 1]`. Of a number with many legal
    values the intervals grow with the distance from 0, and the bounds and 0 are cells of their own: there people heap.

    >>> cells = PublicCells.of(Attribute(name="age", scale="numeric", low=0, high=3, decimals=0, missing=("-9",)))
    >>> cells.size, cells.edges.tolist()
    (6, [0.0, 1.0, 2.0, 3.0, 4.0])
    >>> cells.drawn(np.array([5, 2, 1]), np.random.default_rng(0))
    (array([ 3.,  0., nan]), array([0, 0, 1]))
    """

    attribute: Attribute
    edges: np.ndarray  # none of a category

    @classmethod
    def of(cls, attribute: Attribute) -> "PublicCells":
        if not attribute.is_numeric:
            return cls(attribute, np.empty(0))
        if attribute.low is None or attribute.high is None:
            raise DataError(
                f"A formal promise needs bounds that hang on no record: declare low and high of column {attribute.name} "
                f"in the schema, from what is known of the survey, such as low = 0 and high = 120 under "
                f"[attributes.{attribute.name}]."
            )
        return cls(attribute, _edges(attribute.low, attribute.high, attribute.decimals))

    @property
    def missing(self) -> int:
        """How many of the first cells are no values."""
        return 1 + len(self.attribute.missing)

    @property
    def size(self) -> int:
        values = len(self.edges) - 1 if self.attribute.is_numeric else self.attribute.domain_size
        return self.missing + values

    @property
    def smooth(self) -> np.ndarray:
        """The cells in whose order neighbours hold about as many: intervals of more than one legal value, or all alike."""
        if not self.attribute.is_numeric:
            return np.empty(0, np.int64)
        widths = np.diff(self.edges)
        alike = np.allclose(widths, widths[0]) if len(widths) else True
        return self.missing + np.flatnonzero(alike | (widths > 1.5 * widths.min(initial=np.inf)))

    def codes(self, table: Table) -> np.ndarray:
        """The cell of each record. Beside a test, only what holds the original calls this."""
        name = self.attribute.name
        missing, reasons, values = table.missing(name), table.reasons(name), table[name]
        if self.attribute.is_numeric:
            at = np.searchsorted(self.edges, np.where(missing, 0.0, values), side="right") - 1
            found = np.clip(
                at, 0, len(self.edges) - 2
            )  # a number beyond the declared bounds is in the last cell
        else:
            found = values.astype(np.int64)
        reason = np.zeros(table.n, np.int64) if reasons is None else reasons.astype(np.int64)
        return np.where(missing, reason, found + self.missing)

    def drawn(self, codes: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Values of records that are in these cells, numbers anywhere in their intervals; and their missing codes."""
        reasons = np.where(codes < self.missing, codes, 0)
        at = codes - self.missing
        if not self.attribute.is_numeric:
            return np.where(at < 0, MISSING, at), reasons
        low, high = self.edges[np.maximum(at, 0)], self.edges[np.maximum(at, 0) + 1]
        values = self._legal(low + (high - low) * rng.random(len(codes)))
        return np.where(at < 0, np.nan, values), reasons

    def _legal(self, values: np.ndarray) -> np.ndarray:
        decimals = self.attribute.decimals
        if decimals is not None:
            scale = 10.0**decimals
            values = (
                np.floor(values * scale + 1e-9) / scale
            )  # edges are legal, and what follows one belongs to it
        return self.attribute.conform(values)


def _edges(low: float, high: float, decimals: int | None) -> np.ndarray:
    """Where cells begin, and where the last one ends."""
    if decimals is None:
        return _growing(low, high) if high > low else np.array([low, low + 1.0])
    step = 10.0**-decimals
    count = round((high - low) / step) + 1
    if count <= MOST_INTERVALS:
        return _rounded(low + step * np.arange(count + 1), decimals)
    inner = np.linspace(low, high, MOST_INTERVALS) if count <= WIDE else _growing(low, high)
    heaps = [one + after for one in (low, 0.0, high) if low <= one <= high for after in (0.0, step)]
    return np.unique(_rounded(np.concatenate([inner, heaps]), decimals))


def _growing(low: float, high: float) -> np.ndarray:
    """Edges from one bound to the other, further apart away from 0, but nowhere further than a share of the range."""
    middle = min(max(0.0, low), high)
    edges = [middle]
    for bound in (high, low):
        at = middle
        while at != bound:
            width = min(max(NARROWEST * (high - low), GROWTH * abs(at)), WIDEST * (high - low))
            at = min(at + width, high) if bound == high else max(at - width, low)
            edges.append(at)
    return np.unique(edges)


def _rounded(values: np.ndarray, decimals: int) -> np.ndarray:
    return np.asarray(np.round(values, decimals) + 0.0)
