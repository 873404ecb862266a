"""Partitions: what microaggregation finds before it releases anything."""

from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Result


class Partition(Result):
    """Groups of at least k records, and what it costs to release their centroids.

    SSE is the sum of squared distances of the standardised records to the mean of their group, SST the
    same with a single group, and IL = 100·SSE/SST. Missing cells count for neither. `lower_bound`, where
    known, is an IL that no groups of at least k records can go below.
    """

    drawn_by: ClassVar[str] = "groups"

    labels: np.ndarray = field(repr=False)
    points: np.ndarray = field(repr=False)
    k: int
    groups: int
    smallest: int
    largest: int
    sse: float
    sst: float
    il: float
    lower_bound: float | None
    seconds: float

    def __str__(self) -> str:
        sizes = str(self.smallest) if self.smallest == self.largest else f"{self.smallest} to {self.largest}"
        text = f"{self.groups} groups of {sizes} records: IL {self.il:.4g} %"
        if self.lower_bound is None:
            return text
        return f"{text}, at least {self.lower_bound:.4g} % is unavoidable"

    @property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.labels)

    def _rows(self) -> list[dict[str, Any]]:
        return [{"group": group, "size": int(size)} for group, size in enumerate(self.sizes)]
