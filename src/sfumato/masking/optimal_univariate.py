"""Optimal univariate microaggregation: the least loss along an axis, by a shortest path."""

from typing import ClassVar

import numpy as np

from sfumato.core import Aliases
from sfumato.kernels.optimal_univariate import line_groups
from sfumato.masking._axis import AlongAxis


class OptimalUnivariate(AlongAxis):
    """The groups of at least k whose places on the axis have the least sum of squared errors.

    An optimal group is a run of k to 2k − 1 sorted values. Take a node for each value and an arc from i to j
    where the values i + 1, …, j can be a group, as long as the SSE of that group: the shortest path from the
    first to the last node is the optimal partition. It takes n log n + nk steps and is exact: no
    microaggregation of a single attribute loses less. Of several attributes only the axis is seen (use `mhm`
    for the least loss of whole records along a line, `individual_ranking(optimal=True)` for each attribute
    by itself).

    Groups hold k to 2k − 1 records. Of equal partitions, the one with the smaller last groups is taken.

    Source: Hansen & Mukherjee (2003), *IEEE TKDE* 15(4); Fayyoumi, *thesis*, §2.6.3.1.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 2.0, 3.0, 7.0, 9.0, 30.0, 34.0]}))
    >>> OptimalUnivariate(k=2).apply(firms, np.random.default_rng(1))["staff"].tolist()
    [2.0, 2.0, 2.0, 8.0, 8.0, 32.0, 32.0]
    """

    aliases: ClassVar[Aliases] = {"shortest path": {}}

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        places = self.along(X)
        order = np.argsort(places, kind="stable")
        labels = np.empty(len(X), np.int64)
        labels[order] = line_groups(places[order][:, None], self.k)
        return labels
