"""The scale of a loss: 0 is another sample of the same people, 100 is columns that are unrelated."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import scipy

from sfumato.core import stream
from sfumato.data import Table
from sfumato.measures.analyses.contract import Kind

MOST_RESAMPLED = 3_000_000  # records, over all bootstraps
FEWEST, MOST = 3, 20  # bootstraps
CLEARLY = 3.0  # standard deviations of bootstraps that unrelated columns must lie above them
LEAST_SPAN = 1e-3  # of a distance, for each analysis

Group = tuple[str, ...]
"""Analyses told of together: all (), those of a column, or those of two columns alone."""


class Scale:
    """Where 0 and 100 lie for the distances of a kind of analysis.

    Of each distance only the `excess` counts, what it is above the mean of bootstraps: an analysis that is nearer to
    the original than chance would have it makes up for none that is off. Excesses are summed over each group of
    analyses, which so count by how much they have to lose. 0 is one standard deviation above the mean sum of
    bootstraps, what five samples in six do not reach; 100 is one below the mean sum of files with unrelated columns, what
    five in six do. A group is `told` where these are clearly apart.
    """

    def __init__(
        self, own: np.ndarray, samples: np.ndarray, unrelated: np.ndarray, groups: "scipy.sparse.csr_array"
    ) -> None:
        self.groups = groups
        self.expected = np.maximum(samples.mean(axis=0), own)  # the original itself never loses
        low, spread = self._mean_and_deviation(samples)
        high, width = self._mean_and_deviation(unrelated)
        self.zero, self.hundred = low + spread, high - width
        self.sizes = np.asarray(groups.sum(axis=1))
        self.told = self.hundred - self.zero > np.maximum(CLEARLY * spread, LEAST_SPAN * self.sizes)

    def _mean_and_deviation(self, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sums = np.array([self.groups @ self.excess(one) for one in distances])
        return sums.mean(axis=0), sums.std(axis=0, ddof=1)

    def excess(self, distances: np.ndarray) -> np.ndarray:
        more: np.ndarray = np.maximum(distances - self.expected, 0.0)
        return more

    def losses(self, distances: np.ndarray) -> np.ndarray:
        """The loss of each group, 0 to 100; NaN where unrelated columns would lose nothing."""
        span = np.where(self.told, self.hundred - self.zero, np.nan)
        sums = self.groups @ self.excess(distances)
        losses: np.ndarray = 100 * np.clip((sums - self.zero) / span, 0.0, 1.0)
        return losses

    def loss(self, distances: np.ndarray) -> float:
        """The loss of all analyses."""
        return self.loss_of_excess(float(self.excess(distances).sum()))

    def loss_of_excess(self, excess: float) -> float:
        """The loss of all analyses from the sum of their excesses.

        Where there are no relations to lose, 100 is the greatest distance that there is.
        """
        zero, hundred = self.whole
        return 100 * min(max((excess - zero) / (hundred - zero), 0.0), 1.0) if hundred > zero else 0.0

    @cached_property
    def whole(self) -> tuple[float, float]:
        """Where 0 and 100 lie for all analyses together."""
        hundred = self.hundred[0] if self.told[0] else np.sum(1.0 - self.expected)
        return float(self.zero[0]), float(hundred)


def scales(kinds: Mapping[str, Kind], original: Table, groups: Sequence[Group]) -> dict[str, Scale]:
    """The scale of each kind of analysis; large files vary less and need fewer bootstraps."""
    most = int(np.clip(MOST_RESAMPLED // max(original.n, 1), FEWEST, MOST))
    samples: dict[str, list[np.ndarray]] = {name: [] for name in kinds}
    unrelated: dict[str, list[np.ndarray]] = {name: [] for name in kinds}
    for number in range(most):
        drawn, shuffled = _drawn_rows(original.n, number), _unrelated(original, number)
        for name, kind in kinds.items():
            if number < kind.samples:
                some = drawn[: max(round(original.n * kind.sample_size), 1)]
                samples[name].append(kind.distances(original.take(some)))
            if number < kind.samples / 2:
                unrelated[name].append(kind.distances(shuffled))
    return {
        name: Scale(
            kind.distances(original),
            np.array(samples[name]),
            np.array(unrelated[name]),
            _members(kind, groups),
        )
        for name, kind in kinds.items()
    }


def _drawn_rows(n: int, number: int) -> np.ndarray:
    return stream(0, "analyst_loss", "bootstrap", number).integers(0, n, n)


def _unrelated(original: Table, number: int) -> Table:
    """The table with each column in an order of its own."""
    rng = stream(0, "analyst_loss", "unrelated", number)
    return original.replace({name: original[name][rng.permutation(original.n)] for name in original.names})


def _members(kind: Kind, groups: Sequence[Group]) -> "scipy.sparse.csr_array":
    """Which analyses (columns) are in which group (rows): a group of two columns has those about just them."""
    place = {frozenset(group): at for at, group in enumerate(groups)}
    rows, columns = [], []
    for item, about in enumerate(kind.about):
        of = {frozenset[str](), *(frozenset([name]) for name in about)}
        if len(about) == 2:
            of.add(frozenset(about))
        found = [place[group] for group in of if group in place]
        rows += found
        columns += [item] * len(found)
    return scipy.sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(groups), len(kind.about)))
