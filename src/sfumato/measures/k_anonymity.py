"""k-anonymity: how many records share their key values with fewer than k − 1 others."""

from typing import ClassVar, Literal

import numpy as np

from sfumato.core import param
from sfumato.data import Table
from sfumato.measures._class_tracking import ClassTracker
from sfumato.measures._classes import key_classes, violating
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._tracking import Tracker


class KAnonymity(Measure):
    """Percent of records whose combination of key values occurs in fewer than k records of the masked file.

    From 0, where the file is k-anonymous, to 100. Numbers are the same only if exactly equal. With
    `missing="category"` a missing value is a value like others; with `"any"` it matches every value, and a
    combination occurs in all records compatible with it. Weights count the records of the percentages, not
    those of a combination. The parts are `smallest`, the least number of
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
        classes = key_classes(masked, self.names, matches_any=self.matches_any)
        parts = {
            "smallest": float(classes.occurs.min()),
            "uniques": violating(classes, classes.occurs == 1, self.weights),
            "classes": float(len(classes.occurs)),
        }
        return violating(classes, classes.occurs < self.k, self.weights), parts

    def track(self, masked: Table) -> Tracker:
        """Keep the classes; where a missing value matches any, each change is judged from the start."""
        if self.matches_any or not masked.n:
            return super().track(masked)
        weights = np.ones(masked.n) if self.weights is None else self.weights
        return ClassTracker(self, masked, weights, lambda count, weight: weight if count < self.k else 0.0)
