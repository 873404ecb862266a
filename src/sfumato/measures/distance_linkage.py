"""Distance-based record linkage: how many masked records have their own original as the nearest one."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np

from sfumato.attacks.linkage.distance_linker import DistanceLinker, outcomes
from sfumato.attacks.linkage.record_space import DISTANCES, Space, numeric_only
from sfumato.core import Aliases, param
from sfumato.data import Table
from sfumato.measures._contract import Bound, Files, Judged, Measure, StatisticBound
from sfumato.measures._distance_tracking import MeanTracker, linkage_tracker
from sfumato.measures._tracking import Tracker
from sfumato.measures.statistics.contract import BoundStatistic, MeanWeight, Part, Sought, Statistic
from sfumato.measures.statistics.sampled_links import Sampled, estimated_rate, sampled_ranks
from sfumato.measures.statistics.sources import Sources


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

    It does not see intruders who know the method, blanks and merged categories as sets, or columns that
    are no keys; `people_found` does.

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

    aliases: ClassVar[Aliases] = {
        "DBRL": {},
        "DLD": {},
        "RLD": {"second_nearest": True},
        "mahalanobis_linkage": {"distance": "mahalanobis"},
    }

    sense = "risk"

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

    def only_in_memory(self, files: Files) -> str:
        """A sample of records is linked, and each is looked for in all blocks."""
        options = {"distance=mahalanobis": self.distance == "mahalanobis", "ties=miss": self.ties == "miss"}
        return next(
            (option for option, chosen in options.items() if chosen), "subsets" if self.subsets else ""
        )

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return (Links(replace(self, attributes=files.names, by_stratum=False)),)

    def value(self, files: Files, *found: np.ndarray) -> Judged:
        (shares,) = found
        if not self.subsets:
            return float(shares[0]), {}
        sets = self.sets(files.names)
        with_name = {name: [name in chosen for chosen in sets] for name in files.names}
        return float(shares.mean()), {name: float(shares[at].mean()) for name, at in with_name.items()}

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundLinkage(self, original, names)

    def tracker(self, bound: "BoundLinkage", masked: Table) -> Tracker | None:
        """Follows the links; a change costs about one search per changed record."""
        linkers = bound.links.linkers
        trackers = [linkage_tracker(one, masked, self.ties, bound.weights) for one in linkers]
        followed = [tracker for tracker in trackers if tracker is not None]
        if len(followed) < len(trackers):
            return None
        return followed[0] if len(followed) == 1 else MeanTracker(followed)

    def sets(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The sets of attributes that are linked by; all at once unless subsets are asked for."""
        sizes = range(1, min(self.subsets, len(names)) + 1)
        return [chosen for size in sizes for chosen in combinations(names, size)] or [names]


class BoundLinkage(StatisticBound):
    """The measure with the original; it also tells the success on each record."""

    @property
    def links(self) -> "BoundLinks":
        (found,) = self.bound_statistics
        assert isinstance(found, BoundLinks)
        return found

    def outcomes(self, masked: Table) -> np.ndarray:
        """The success of linking each record, from 0 to 1; the mean over the sets of attributes."""
        found = self.links.outcomes(masked)
        return sum(found, np.zeros(masked.n)) / len(found)


@dataclass(frozen=True)
class Links(Sought):
    """The percentage of links, for each set of attributes; from disk, estimated from a sample of records."""

    measure: DistanceLinkage

    @property
    def weighted(self) -> bool:
        return self.measure.weighted

    def bound(self, original: Part) -> BoundStatistic:
        return BoundLinks(self, original)

    def seek(self, sources: Sources) -> Sampled:
        names, wanted = self.measure.attributes, 1 + self.measure.second_nearest
        released, distance = self.measure.direction == "released", self.measure.distance
        rows, ranks = sampled_ranks(sources, names, distance, released=released, nearest=wanted)
        weights = None
        if self.weighted:
            weight, [(_, mean)] = sources.files.weight, sources.find(MeanWeight())
            weights = sources.files.original.take(rows, [weight])[weight] / mean
        rate = estimated_rate(outcomes(ranks, self.measure.ties, wanted), weights, sources.files.original.n)
        value, low, high = np.array([[rate.value], [rate.low], [rate.high]])
        return Sampled(value, low, high, len(rows))


class BoundLinks(BoundStatistic):
    """The linkers of an original."""

    def __init__(self, statistic: Links, original: Part) -> None:
        super().__init__(statistic, original)
        measure = statistic.measure
        self.ties, self.weights = measure.ties, original.weights(measure.weighted)
        self.linkers = [
            DistanceLinker(
                original.table,
                Space(original.table, chosen, measure.distance),
                direction=measure.direction,
                nearest=1 + measure.second_nearest,
            )
            for chosen in measure.sets(measure.attributes)
        ]

    def take(self, masked: Table) -> np.ndarray:
        return np.array([100 * float(np.average(o, weights=self.weights)) for o in self.outcomes(masked)])

    def outcomes(self, masked: Table) -> list[np.ndarray]:
        """The success on each record, linker by linker."""
        return [linker.outcomes(masked, self.ties) for linker in self.linkers]
