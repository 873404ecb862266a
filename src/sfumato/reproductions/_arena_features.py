"""The features of the arena: which are judged together, and how two files are read so that they can be compared."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy.stats import rankdata

from sfumato.core import DataError
from sfumato.data import Attribute, Table
from sfumato.data.attribute import as_number
from sfumato.datasets.arena import NAMES

AREA, INDUSTRY = "PUMA", "INDP"
NOT_APPLICABLE = "N"
RANKED = ("AGEP", "PINCP", "POVPIP", "PWGTP", "WGTP")
DENSITY = "DENSITY"
QUANTILES = 20
SPARSE, BEYOND = 150.0, 500.0  # areas below and far above the others


class FeatureSet(NamedTuple):
    """Features that are judged together, and what the archive calls the sets that are compared with it."""

    features: tuple[str, ...]
    submitted_as: tuple[str, ...]


DEMOGRAPHIC = (
    "AGEP",
    "SEX",
    "MSP",
    "RAC1P",
    "HOUSING_TYPE",
    "OWN_RENT",
    "EDU",
    "PINCP_DECILE",
    "DVET",
    "DEYE",
)
FAMILY = ("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NOC", "NPF", "OWN_RENT", "PINCP_DECILE", "POVPIP")
FEATURE_SETS = {
    "demographic": FeatureSet(DEMOGRAPHIC, ("demographic-focused",)),
    "industry": FeatureSet(
        ("PUMA", "SEX", "MSP", "HISP", "RAC1P", "OWN_RENT", "INDP_CAT", "EDU", "PINCP_DECILE"),
        ("industry-focused",),
    ),
    "family": FeatureSet(FAMILY, ("family-focused",)),
    "simple": FeatureSet(
        tuple(name for name in NAMES if name not in (INDUSTRY, "PWGTP", "WGTP")), ("simple-features",)
    ),
    "all": FeatureSet(NAMES, ("all-features", "custom-features-21", "custom-features-23")),  # nearly all
    "demographic_without_deye": FeatureSet(
        tuple(name for name in DEMOGRAPHIC if name != "DEYE"), ("demographic-focused-except-DEYE",)
    ),
    "family_with_deye": FeatureSet((*FAMILY, "DEYE"), ("family-focused-with-DEYE",)),
}

Values = Mapping[str, np.ndarray]
"""Each feature as numbers: the value, or the place of the category in its domain; NaN where it is not applicable."""


class Comparable(NamedTuple):
    """Two files as the arena reads them: the features that count, and the records without an empty cell."""

    attributes: tuple[Attribute, ...]
    original: Values
    released: Values

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(a.name for a in self.attributes)

    def stacked(self, names: Iterable[str]) -> list[np.ndarray]:
        """Features of both files, the original's records first."""
        return [np.concatenate([self.original[name], self.released[name]]) for name in names]

    @property
    def sizes(self) -> tuple[int, int]:
        first = self.names[0]
        return len(self.original[first]), len(self.released[first])


def comparable(original: Table, released: Table, names: Iterable[str]) -> Comparable:
    """Read some features of two files by the dictionary, which is the schema of the original.

    Released records with an empty cell are left out; then features that the release does not have, and those with a
    value that the dictionary does not know: intervals, merged codes, words.
    """
    read = {name: _Read(original.schema[name], released) for name in names if name in released}
    empty = [one.empty for one in read.values()]
    whole = ~np.any(empty, axis=0) if empty else np.zeros(0, bool)
    known = {name: one.values[whole] for name, one in read.items() if not one.foreign[whole].any()}
    if not known or not whole.any():
        raise DataError("The release holds no feature, or no record without an empty cell, to be judged.")
    attributes = tuple(original.schema[name] for name in known)
    return Comparable(attributes, {a.name: _Read(a, original).values for a in attributes}, known)


class Cells(NamedTuple):
    """The cell of each record of both files in a table, and how many cells it has."""

    original: np.ndarray
    released: np.ndarray
    size: int

    def joined(self, other: "Cells") -> "Cells":
        """The table by both."""
        return Cells(
            self.original * other.size + other.original,
            self.released * other.size + other.released,
            self.size * other.size,
        )

    @property
    def distance(self) -> float:
        """Total variation distance of the two tables of shares."""
        shares = [np.bincount(cells, minlength=self.size) / len(cells) for cells in self[:2]]
        return float(np.abs(shares[0] - shares[1]).sum()) / 2


def binned(pair: Comparable, name: str) -> Cells:
    """The table by one feature; its first cell is for N.

    Numbers fall into the original's 20 quantile groups, so that equal values stay together; the density of areas into
    groups of growing width.

    >>> age = Attribute(name="AGEP", scale="numeric")
    >>> ages = {"AGEP": np.array([20.0, 30, 30, 40])}, {"AGEP": np.array([np.nan, 10, 25, 30, 99])}
    >>> [cells.tolist() for cells in binned(Comparable((age,), *ages), "AGEP")[:2]]
    [[1, 2, 2, 3], [0, 1, 2, 2, 3]]
    """
    attribute = pair.attributes[pair.names.index(name)]
    values = pair.original[name], pair.released[name]
    if not attribute.is_numeric:
        ours, theirs = (np.where(np.isnan(codes), 0, codes + 1).astype(np.int64) for codes in values)
        return Cells(ours, theirs, attribute.domain_size + 1)
    edges = _density_edges(attribute) if name == DENSITY else _quantile_edges(values[0])
    return Cells(_between(edges, values[0]), _between(edges, values[1]), len(edges) + 1)


def _between(edges: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The first edge that is not below a value, from 1; the last one for values beyond it, 0 for what is no number."""
    return np.where(np.isnan(values), 0, np.minimum(np.searchsorted(edges, values), len(edges) - 1) + 1)


def _quantile_edges(values: np.ndarray) -> np.ndarray:
    """The largest value in each group of ranks, groups by the mean rank of equal values."""
    present = values[~np.isnan(values)]
    if not len(present):
        return np.zeros(1)
    groups = np.minimum(QUANTILES * rankdata(present) // len(present), QUANTILES - 1)
    return np.array([present[groups == group].max() for group in np.unique(groups)])


def _density_edges(attribute: Attribute) -> np.ndarray:
    """The upper ends: one for sparse areas, then 12 that grow by the same factor up to the densest."""
    densest = (attribute.high or 0.0) + BEYOND
    return np.concatenate([[SPARSE], np.geomspace(10.0, densest, 21)[8:]])


class _Read:
    """A column of a file as whoever opens the file reads it, by what the dictionary says of the feature."""

    def __init__(self, known: Attribute, table: Table) -> None:
        column = table.select([known.name]).to_arrow(text=True).column(0).combine_chunks()
        texts = column.cast(pa.string()).dictionary_encode()
        self.known = known
        self.distinct: list[str] = texts.dictionary.to_pylist()
        self.codes: np.ndarray = texts.indices.fill_null(-1).to_numpy(zero_copy_only=False)

        self.empty: np.ndarray = self.codes < 0

    @cached_property
    def foreign(self) -> np.ndarray:
        """Which records have a value that the dictionary does not know."""
        found: np.ndarray = np.array([*(one is None for one in self._numbers), False])[self.codes]
        return found

    @cached_property
    def values(self) -> np.ndarray:
        numbers = [np.nan if one is None else one for one in self._numbers]
        found: np.ndarray = np.array([*numbers, np.nan])[self.codes]  # the last one is for empty cells
        return found

    @cached_property
    def _numbers(self) -> list[float | None]:
        if self.known.is_numeric:
            return [np.nan if text == NOT_APPLICABLE else as_number(text) for text in self.distinct]
        places = {category: float(place) for place, category in enumerate(self.known.categories)}
        if NOT_APPLICABLE in places:
            places[NOT_APPLICABLE] = np.nan
        return [places.get(text) for text in self.distinct]
