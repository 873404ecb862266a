"""What an intruder learns about sensitive values from the class a record is in."""

from typing import NamedTuple

import numpy as np

from sfumato.core import DataError
from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._classes import key_classes
from sfumato.measures._contract import Bound, Measure


class ClassValues(NamedTuple):
    """How often each value of a sensitive attribute occurs in each class; missing values are left out."""

    classes: int
    labels: np.ndarray  # the class of each record
    of: np.ndarray  # class, value and count of each combination that occurs, by class and value
    values: np.ndarray
    counts: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """How many values each class has."""
        return np.bincount(self.of, self.counts, minlength=self.classes)


class SensitiveBound(Bound):
    """A measure of classes of equal key values, for one sensitive attribute after the other."""

    def __init__(
        self, measure: Measure, original: Table, names: tuple[str, ...], sensitive: tuple[str, ...]
    ) -> None:
        super().__init__(measure, original, names)
        declared = sensitive or original.schema.with_role("confidential")
        for name in declared:
            original.schema[name]
        self.sensitive = declared or names

    def class_values(self, masked: Table, name: str) -> ClassValues:
        """The values of one sensitive attribute by class of the key attributes (itself left out)."""
        found = key_classes(masked, tuple(key for key in self.names if key != name))
        rows = np.flatnonzero(~masked.missing(name))
        column = masked[name][rows]
        pairs = distinct([found.labels[rows], column])
        first = rows[pairs.first]
        return ClassValues(
            len(found.sizes), found.labels, found.labels[first], masked[name][first], pairs.counts
        )

    def share(self, bad: np.ndarray) -> float:
        """Percent of records, or of their weight."""
        return 100 * float(np.average(bad, weights=self.weights))

    def _check(self, masked: Table) -> None:
        super()._check(masked)
        for name in self.sensitive:
            if name not in masked:
                raise DataError(f"{self.measure.name}: the masked file has no column {name}.")
