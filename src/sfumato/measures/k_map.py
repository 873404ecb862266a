"""k-map: how many records share their key values with fewer than k people of the population."""

from typing import ClassVar

import numpy as np

from sfumato.core import DataError, param
from sfumato.core.method import Aliases
from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._contract import Bound, Files, Judged, StatisticBound
from sfumato.measures._population import MatchingMeasure, PopulationBound, people_of
from sfumato.measures._tracking import Tracker
from sfumato.measures.statistics.key_classes import Classes, ClassTracker


class KMap(MatchingMeasure):
    """Percent of records of the masked file whose combination of key values fits fewer than k people.

    How many people a combination fits, F_k, is the sum of the declared survey weights of its records (at least their
    number); without weights, or with `weighted=false`, the file is the population, and k-map is k-anonymity. Where a
    table of the population is at hand, `among` counts them there instead.

    0 is a k-map file, 100 one where every record fits too few. The parts are `smallest`, the least number of people
    that a combination fits; `uniques`, the percent of records that fit one person; and `unweighted`, the percent of
    records whose combination occurs in fewer than k records. With `missing="category"` a missing value is a value like
    others, and so is each code declared for one; with `"any"` it matches every value. It does not see how uncertain a
    sum of weights is: one record of weight 500 may still be the only one of its kind.

    Source: Sweeney (2001), *Computational disclosure control*, ch. 7.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> file = Table(Schema([town]), {"town": np.array([0, 0, 1])})
    >>> population = Table(file.schema, {"town": np.array([0, 0, 0, 0, 0, 0, 1, 1])})
    >>> KMap(k=3).bind(file).score(file).value
    100.0
    >>> KMap(k=3).among(file, population).score(file).parts["smallest"]
    2.0
    """

    aliases: ClassVar[Aliases] = {"k-map": {}}

    k: int = param(default=5, low=1, help="smallest number of people that a combination must fit")

    def value(self, files: Files, *found: Classes) -> Judged:
        (classes,) = found
        F = np.maximum(classes.people, classes.occurs)
        parts = {
            "smallest": float(F.min()),
            "uniques": self._share(classes, F < 2),
            "unweighted": self._share(classes, classes.occurs < self.k),
        }
        return self._share(classes, self.k > F), parts

    def _share(self, classes: Classes, bad: np.ndarray) -> float:
        return 100 * float(classes.records[bad].sum()) / float(classes.records.sum())

    def among(self, original: Table, population: Table) -> Bound:
        """The measure, with people counted in a table of the population that is written as the masked file is."""
        return BoundAmong(self, original, self.judged(original), population)

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker | None:
        """Keeps the classes; where a missing value matches any, each change is judged from the start."""
        if self.matches_any or isinstance(bound, BoundAmong):
            return None
        people = people_of(bound.original, self)
        return ClassTracker(
            bound, masked, people, lambda count, people: count if max(people, count) < self.k else 0.0
        )


class BoundAmong(PopulationBound):
    """The measure with a table of the population."""

    measure: KMap

    def __init__(self, measure: KMap, original: Table, names: tuple[str, ...], population: Table) -> None:
        super().__init__(measure, original, names)
        if measure.matches_any:
            raise DataError(f"{measure.name}: people of a population are counted with missing=category.")
        self.population = population

    def judge(self, masked: Table) -> Judged:
        """Count the people who are like the records of each class; those of the file alone where none are."""
        for name in self.names:
            mine, theirs = masked.schema[name], self.population.schema[name]
            if mine.is_numeric != theirs.is_numeric or mine.categories != theirs.categories:
                raise DataError(
                    f"{self.measure.name}: column {name} of the population is not declared as in the masked file; "
                    "recode it in the same way."
                )
        both = [np.concatenate([masked[name], self.population[name]]) for name in self.names]
        alike = distinct(both).labels
        f, F = (np.bincount(part, minlength=len(alike)) for part in (alike[: masked.n], alike[masked.n :]))
        present = np.flatnonzero(f)
        sizes = f[present]
        classes = Classes(sizes, F[present], sizes, sizes, len(present))
        return self.measure.value(self.files_of(masked.schema), classes)
