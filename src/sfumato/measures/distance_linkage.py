"""Distance-based record linkage: how many masked records have their own original as the nearest one."""

from itertools import combinations
from typing import ClassVar, Literal

import numpy as np

from sfumato.attacks._distance_linker import DistanceLinker
from sfumato.attacks._record_space import DISTANCES, Space, numeric_only
from sfumato.core import param
from sfumato.data import Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._distance_tracking import MeanTracker, linkage_tracker
from sfumato.measures._tracking import RecomputingTracker, Tracker


class DistanceLinkage(Measure):
    """DLD = 100 · share of masked records whose nearest original record is their own.

    With `distance="euclidean"`, the one taken if all attributes are numeric, records are compared by squared
    distance after division by the standard deviation of the original; a value missing on one side only
    counts 2, what two standardised draws differ by on average. With `"gower"`, taken otherwise, by the sum of
    |difference| / range of numbers, distances from 0 to 1 of categories (see `dbil`), and 1 for a value
    missing on one side only. Missing on both sides counts 0, and constant numeric attributes are left out.
    `"mahalanobis"` is the squared distance on axes where the original has variance 1 and no covariance; axes
    on which it does not vary are left out, and a missing value counts as the mean. From 0 to 100.

    Several originals may be equally near. With `ties="expected"` the intruder picks one of them at random;
    with `"hit"` a link counts if the own record is among them; with `"miss"` only if it is alone, and no
    other masked record is equal to the linked one: a k-anonymous file then scores 0, and at most 100 / k
    with `"expected"`. There is no tolerance: values are subtracted before they are scaled (in units of the
    last declared decimal), and distances of categories are put over a common denominator, so that ties
    are exact; with `"mahalanobis"`, those of equal records are.

    With `direction="known"` each original record is linked to the nearest masked one instead, and with
    `second_nearest` a link counts if the own record is one of the two nearest. With `subsets` = s the value
    is the mean over all sets of 1 to s attributes; its parts are the means over the sets with an attribute.
    Weights count the links of each record by its survey weight.

    Source: Marés, *thesis*, §2.4.2, after Domingo-Ferrer & Torra (2002); Balasch, *thesis*, §3.3, which
    links in the direction `"known"`; Fayyoumi, *thesis*, §4.4, for the second nearest.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [1.0, 2.0, 8.0, 9.0]}))
    >>> masked = original.replace({"x": [1.5, 1.5, 8.2, 8.2]})  # 1 and 2 are as near to 1.5; 8 is nearest to 8.2
    >>> DistanceLinkage().bind(original).score(masked).value
    50.0
    >>> [DistanceLinkage(ties=ties).bind(original).score(masked).value for ties in ("miss", "hit")]
    [0.0, 75.0]
    >>> DistanceLinkage(second_nearest=True).bind(original).score(masked).value
    100.0
    """

    sense: ClassVar[Literal["loss", "risk"]] = "risk"

    distance: str = param(default="auto", choices=DISTANCES, help="how far apart records are")
    direction: str = param(
        default="released",
        choices=("released", "known"),
        help="whose records are linked to the nearest other",
    )
    second_nearest: bool = param(default=False, help="the second nearest record counts as well")
    subsets: int = param(
        default=0, low=0, help="average over all sets of up to so many columns (0: all at once)"
    )
    ties: str = param(
        default="expected", choices=("expected", "miss", "hit"), help="what equally near records count"
    )

    def fitting(self, original: Table) -> tuple[str, ...]:
        """The key attributes; only numbers, where the distance takes nothing else."""
        names = super().fitting(original)
        if not numeric_only(self.distance):
            return names
        return tuple(name for name in names if original.schema[name].is_numeric)

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Find the distinct records and plant the trees."""
        return BoundLinkage(self, original, names)


class BoundLinkage(Bound):
    """One linker for all attributes, or one for each set of them."""

    measure: DistanceLinkage

    def __init__(self, measure: DistanceLinkage, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        sizes = range(1, min(measure.subsets, len(names)) + 1)
        self.sets = [chosen for size in sizes for chosen in combinations(names, size)] or [names]
        self.linkers = [
            DistanceLinker(
                original,
                Space(original, chosen, measure.distance),
                direction=measure.direction,
                nearest=1 + measure.second_nearest,
            )
            for chosen in self.sets
        ]

    def outcomes(self, masked: Table) -> np.ndarray:
        """The success of linking each record, from 0 to 1; the mean over the sets of attributes."""
        found = np.zeros(masked.n)
        for linker in self.linkers:
            found += linker.outcomes(masked, self.measure.ties)
        return found / len(self.linkers)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        """The percentage of links, and for sets of attributes that of each attribute."""
        values = np.array(
            [self._percent(linker.outcomes(masked, self.measure.ties)) for linker in self.linkers]
        )
        if not self.measure.subsets:
            return float(values[0]), {}
        with_name = {name: [name in chosen for chosen in self.sets] for name in self.names}
        return float(values.mean()), {name: float(values[at].mean()) for name, at in with_name.items()}

    def track(self, masked: Table) -> Tracker:
        """Follow the links; a change costs about one search per changed record."""
        self._check(masked)
        trackers = [linkage_tracker(one, masked, self.measure.ties, self.weights) for one in self.linkers]
        followed = [tracker for tracker in trackers if tracker is not None]
        if len(followed) < len(trackers):
            return RecomputingTracker(self, masked)
        return followed[0] if len(followed) == 1 else MeanTracker(followed)

    def _percent(self, outcomes: np.ndarray) -> float:
        return 100 * float(np.average(outcomes, weights=self.weights))
