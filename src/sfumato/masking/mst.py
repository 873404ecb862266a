"""Minimum spanning tree: the longest edges are cut as long as k records stay on both sides."""

import numpy as np

from sfumato.core import param
from sfumato.kernels.md import md_groups
from sfumato.kernels.mdav import mdav_groups
from sfumato.kernels.spanning_trees import cut_tree, spanning_tree
from sfumato.masking._group_lists import split_large
from sfumato.masking._microaggregation import Microaggregation


class Mst(Microaggregation):
    """The trees that are left when the minimum spanning tree of the records has lost its longest edges.

    The edges are visited from the longest to the shortest, and an edge is cut if both trees it leaves hold at
    least k records. So the groups follow the natural clusters of the file. A tree of 2k records or more is
    then split by `mdav` or `md`, so that groups hold k to 2k − 1 records; with `split="none"` they may be
    of any size from k. The tree is Prim's: time grows with n², memory with n.

    Source: Laszlo & Mukherjee (2005), *IEEE TKDE* 17(7); Fayyoumi, *thesis*, §2.6.3.2.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = pa.table({"staff": [1.0, 2.0, 8.0, 9.0, 10.0], "sales": [5.0, 7.0, 90.0, 85.0, 95.0]})
    >>> firms = table_from_frame(firms)
    >>> Mst(k=2).apply(firms, np.random.default_rng(1))["sales"].tolist()
    [6.0, 6.0, 90.0, 90.0, 90.0]
    """

    grows = 2.0

    split: str = param(
        default="mdav", choices=("mdav", "md", "none"), help="how trees of 2k records or more are split"
    )

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        order, hangs_on, length = spanning_tree(np.ascontiguousarray(X))
        labels = cut_tree(order, hangs_on, np.argsort(-length, kind="stable"), self.k)
        if self.split == "none":
            return labels
        return split_large(X, labels, self.k, mdav_groups if self.split == "mdav" else md_groups)
