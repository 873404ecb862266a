"""Recursive k-Ward: the sorted file is cut into parts first, and k-Ward groups each part."""

from typing import ClassVar

import numpy as np

from sfumato.core import Aliases
from sfumato.kernels.ward import ward_groups
from sfumato.masking._kward import RecursiveKWard


class Kwr(RecursiveKWard):
    """Sorted records are cut into `parts` of equal size again and again; then each part is grouped by k-Ward.

    n ≥ 2·parts·k records are cut apart where

        Σ SST(part) / SST ≥ threshold,

    that is, where most of the variance along the axis is inside one of the parts, as in the tail of a skewed
    attribute. With a fixed `threshold` that is all (the source takes 0.8 for Tarragona); without one, the
    threshold is the share found one cut earlier, and the file is always cut once. Groups do not cross a cut,
    so that IL may be a little larger than that of `kward`; time falls with the size of the parts.
    Groups hold k to 2k − 1 records. `recursion` shows the cuts as a tree of parentheses.

    Source: Fayyoumi, *thesis*, Algorithm 4, §3.4.2 and §3.5.3.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 3.0, 4.0, 6.0, 7.0, 9.0, 30.0, 96.0]}))
    >>> Kwr(k=2, threshold=0.5).apply(firms, np.random.default_rng(1))["staff"].tolist()
    [2.0, 2.0, 5.0, 5.0, 8.0, 8.0, 63.0, 63.0]
    >>> Kwr(k=2, threshold=0.5).recursion(firms).tree
    '(()())'
    """

    aliases: ClassVar[Aliases] = {"kWR-D": {}}
    grows = 2.0

    def ward(self, X: np.ndarray, k: int) -> tuple[np.ndarray, int]:
        return ward_groups(X, k)
