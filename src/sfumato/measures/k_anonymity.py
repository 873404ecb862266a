"""k-anonymity: how many records share their key values with fewer than k − 1 others."""

from typing import ClassVar, Literal

import numpy as np

from sfumato.core import param
from sfumato.data import Table
from sfumato.kernels.distinct import Distinct, distinct
from sfumato.measures._contract import Bound, Measure


class KAnonymity(Measure):
    """Percent of records whose combination of key values occurs in fewer than k records of the masked file.

    From 0, where the file is k-anonymous, to 100. Numbers are the same only if exactly equal. With
    `missing="category"` a missing value is a value like others; with `"any"` it matches every value, and a
    combination occurs in all records compatible with it. The parts are `smallest`, the least number of
    records a combination occurs in (the k of the file), `uniques`, the percent of records that are alone,
    and `classes`, the number of different combinations.

    Source: Samarati (2001), as in Marés, *thesis*, §2.3.3; `"any"` as is usual after local suppression.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> file = Table(Schema([town]), {"town": np.array([0, 0, 0, 1, -1])})
    >>> KAnonymity(k=2).bind(file).score(file).value
    40.0
    >>> KAnonymity(k=2, missing="any").bind(file).score(file).parts
    {'smallest': 2.0, 'uniques': 0.0, 'classes': 3.0}
    """

    sense: ClassVar[Literal["loss", "risk"]] = "risk"

    k: int = param(default=5, low=1, help="smallest number of records that must share a combination")
    missing: str = param(default="category", choices=("category", "any"), help="what a missing value is like")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Only the masked file counts."""
        return _BoundKAnonymity(self, original, names)


class _BoundKAnonymity(Bound):
    def __init__(self, measure: KAnonymity, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.k, self.matches_any = measure.k, measure.missing == "any"

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        columns = [masked[name] for name in self.names]
        classes = distinct(columns)
        occurs = classes.counts
        if self.matches_any:
            missing = np.column_stack([masked.missing(name) for name in self.names])
            occurs = _compatible(columns, missing, classes)
        parts = {
            "smallest": float(occurs.min()),
            "uniques": 100 * float(classes.counts[occurs == 1].sum()) / masked.n,
            "classes": float(len(occurs)),
        }
        return 100 * float(classes.counts[occurs < self.k].sum()) / masked.n, parts


def _compatible(columns: list[np.ndarray], missing: np.ndarray, classes: Distinct) -> np.ndarray:
    """For each class, the number of records that equal it wherever neither has a missing value.

    Classes with the same cells missing are compared at once, on the attributes that both groups have.
    """
    values = [column[classes.first] for column in columns]
    holes = missing[classes.first]
    pattern = distinct([*holes.T])
    groups = [np.flatnonzero(pattern.labels == g) for g in range(len(pattern.first))]
    occurs = np.zeros(len(classes.first), np.int64)
    for here in groups:
        for there in groups:
            shared = np.flatnonzero(~holes[here[0]] & ~holes[there[0]])
            rows = np.concatenate([here, there])
            same = distinct([values[j][rows] for j in shared]).labels if len(shared) else np.zeros_like(rows)
            mine, theirs = same[: len(here)], same[len(here) :]
            found = np.bincount(theirs, weights=classes.counts[there], minlength=same.max() + 1)
            occurs[here] += found[mine].astype(np.int64)
    return occurs
