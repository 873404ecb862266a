"""Hanani's method: parallel hyperplanes cut the records into groups of k, and are turned until that helps no more."""

from typing import ClassVar

import numpy as np

from sfumato.core import Aliases, param
from sfumato.masking._axis import principal_components
from sfumato.masking._microaggregation import Microaggregation, squares
from sfumato.masking.single_axis import block_labels

ROUNDS = 100  # of turning, at most; it mostly ends after a few


class Hanani(Microaggregation):
    """Groups of records that follow each other along an axis, and the axis along which the means of groups vary most.

    The records are sorted along an axis and cut into groups of k, as by hyperplanes across it. The axis is then
    turned to where the means of these groups vary most (the first principal component of the means), the records
    are sorted again, and so on while SSE falls. Where this ends hangs on where it begins: it begins at the first
    principal component, and at `starts` − 1 axes of random direction, and the best groups are kept.

    It never loses more than `single_axis` by the first component, and far more than methods that see records and not
    their place on an axis. Groups are of k records; what is left over joins the group in the middle. Missing values
    stand at the mean.

    Source: Defays & Nanopoulos (1993), as told in Fayyoumi, *thesis*, §2.6.3.1, which names hyperplanes, groups of fixed
    size, contiguous along one variable, and several starts; how the axis is turned is ours.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 9.0, 3.0, 7.0], "sales": [95.0, 5.0, 85.0, 7.0]}))
    >>> Hanani(k=2).apply(firms, np.random.default_rng(1))["sales"].tolist()
    [90.0, 6.0, 90.0, 6.0]
    """

    aliases: ClassVar[Aliases] = {"hyperplanes": {}}

    gaps_apart = False  # there is no room beside an axis

    starts: int = param(default=10, low=1, help="axes to begin with, the first principal component first")

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        axes = [principal_components(X)[:, 0], *rng.standard_normal((self.starts - 1, X.shape[1]))]
        return min((self._turned(X, axis) for axis in axes), key=lambda labels: squares(X, labels))

    def _turned(self, X: np.ndarray, axis: np.ndarray) -> np.ndarray:
        labels = self._cut(X, axis)
        lost = squares(X, labels)
        for _ in range(ROUNDS):
            turned = self._cut(X, axis_of_means(X, labels))
            if (now := squares(X, turned)) >= lost:
                break
            labels, lost = turned, now
        return labels

    def _cut(self, X: np.ndarray, axis: np.ndarray) -> np.ndarray:
        places = X @ axis
        order = np.argsort(places, kind="stable")
        labels = np.empty(len(X), np.int64)
        labels[order] = block_labels(places[order], self.k, "median")
        return labels


def axis_of_means(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The direction in which the means of groups vary most, each counting by its size.

    >>> axis_of_means(np.array([[0.0, 1.0], [0.0, -1.0], [4.0, 3.0], [4.0, -3.0]]), np.array([0, 0, 1, 1])).tolist()
    [1.0, 0.0]
    """
    sizes = np.bincount(labels)
    sums = np.column_stack([np.bincount(labels, weights=column) for column in (X - X.mean(axis=0)).T])
    means = sums / sizes[:, None]
    spread = means * np.sqrt(sizes)[:, None]
    return principal_components(np.concatenate([spread, -spread]))[
        :, 0
    ]  # centred by their weights, and so both ways
