"""k-anonymity: how many records share their key values with fewer than k − 1 others."""

import numpy as np

from sfumato.core import param
from sfumato.data import Table
from sfumato.measures._contract import Files, Judged, Measure, StatisticBound
from sfumato.measures._tracking import Tracker
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.key_classes import Classes, ClassTracker, KeyClasses


class KAnonymity(Measure):
    """Percent of records whose combination of key values occurs in fewer than k records of the masked file.

    From 0, where the file is k-anonymous, to 100. Numbers are the same only if exactly equal. With
    `missing="category"` a missing value is a value like others, and so is each code declared for one; with
    `"any"` it matches every value, and a combination occurs in all records compatible with it. Weights count
    the records of the percentages, not those of a combination. The parts are `smallest`, the least number of
    records a combination occurs in (the k of the file), `uniques`, the percent of records that are alone,
    and `classes`, the number of different combinations.

    It does not see what the records of a class have in common beside the keys, numbers that are near but
    not equal, or whether an intruder knows other columns.

    Source: Samarati (2001), as in Marés, *thesis*, §2.3.3; `"any"` as is usual after local suppression.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> file = Table(Schema([town]), {"town": np.array([0, 0, 0, 1, -1])})
    >>> KAnonymity(k=2).bind(file).score(file).value
    40.0
    >>> KAnonymity(k=2, missing="any").bind(file).score(file).parts
    {'smallest': 2.0, 'uniques': 0.0, 'classes': 3.0}
    """

    sense = "risk"

    k: int = param(default=5, low=1, help="smallest number of records that must share a combination")
    missing: str = param(default="category", choices=("category", "any"), help="what a missing value is like")

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return (KeyClasses(files.names, self.missing == "any", self.weighted),)

    def value(self, files: Files, *found: Classes) -> Judged:
        (classes,) = found
        parts = {
            "smallest": float(classes.occurs.min()),
            "uniques": classes.share(classes.occurs == 1),
            "classes": float(classes.number),
        }
        return classes.share(classes.occurs < self.k), parts

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker | None:
        """Keeps the classes; where a missing value matches any, each change is judged from the start."""
        if self.missing == "any":
            return None
        weights = np.ones(masked.n) if bound.weights is None else bound.weights
        return ClassTracker(bound, masked, weights, lambda count, weight: weight if count < self.k else 0.0)
