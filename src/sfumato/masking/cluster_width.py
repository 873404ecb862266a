"""Cluster width: sorted records are cut apart at wide gaps, so that groups are narrow."""

from typing import ClassVar

import numpy as np

from sfumato.core import Aliases, param
from sfumato.kernels.widest_gaps import widest_cuts
from sfumato.masking._axis import AlongAxis


class ClusterWidth(AlongAxis):
    """Groups of records that follow each other on the axis, with gaps as wide as can be between them.

    The width of a group is the sum of the gaps between its records; all groups together are narrowest where the cut
    gaps are widest. It suits highly skewed attributes, where few wide gaps tell more than sums of squares.

    With `cuts="optimal"` no groups of k to 2k − 1 records are narrower in sum. With `cuts="recursive"` the file is
    parted at its widest gap that leaves k records on either side, then each part likewise, as a quick sort
    parts numbers; a part of fewer than 2k records is a group, so that the sum may be larger. (The source names both
    ways and no details: these are ours.) Groups hold k to 2k − 1 records. Missing values stand at the mean.

    Source: Fayyoumi, *thesis*, §2.6.3.1 and Table 2.3, after Sande.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 3.0, 4.0, 8.0, 30.0, 32.0, 90.0, 98.0]}))
    >>> ClusterWidth(k=2).apply(firms, np.random.default_rng(1))["staff"].tolist()
    [2.0, 2.0, 6.0, 6.0, 31.0, 31.0, 94.0, 94.0]
    """

    aliases: ClassVar[Aliases] = {"minimum width": {}}

    cuts: str = param(
        default="optimal",
        choices=("optimal", "recursive"),
        help="the best cuts there are, or the widest gap again and again",
    )

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        places = self.along(X)
        order = np.argsort(places, kind="stable")
        gaps = np.diff(places[order])
        starts = widest_cuts(gaps, self.k) if self.cuts == "optimal" else recursive_cuts(gaps, self.k)
        labels = np.empty(len(X), np.int64)
        labels[order] = np.searchsorted(starts, np.arange(len(X)), side="right")
        return labels


def recursive_cuts(gaps: np.ndarray, k: int) -> np.ndarray:
    """Where parts begin, other than the first: after the widest gap with k records on either side, again and again.

    Of equally wide gaps the one nearest to the middle, then the first.

    >>> recursive_cuts(np.array([1.0, 2.0, 9.0, 1.0, 3.0, 1.0]), 2).tolist()
    [3, 5]
    """
    starts, parts = [], [(0, len(gaps) + 1)]
    while parts:
        first, end = parts.pop()
        if end - first < 2 * k:
            continue
        allowed = np.arange(first + k, end - k + 1)
        aside = np.abs(2 * allowed - first - end)
        cut = int(allowed[np.lexsort((aside, -gaps[allowed - 1]))[0]])
        starts.append(cut)
        parts += [(first, cut), (cut, end)]
    return np.sort(np.array(starts, np.int64))
