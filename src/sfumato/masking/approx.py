"""μ-Approx: a forest of nearest neighbours cut into groups, with a bound on the loss."""

import numpy as np
from scipy.spatial import cKDTree

from sfumato.kernels.mdav import mdav_groups
from sfumato.kernels.spanning_trees import neighbour_forest, prune_forest
from sfumato.masking._aggregates import group_means
from sfumato.masking._group_lists import split_large
from sfumato.masking._microaggregation import Microaggregation
from sfumato.masking._nearest_records import neighbours


class Approx(Microaggregation):
    """Records point to near neighbours until every tree holds k; trees are then pruned into groups.

    First the forest: every record is a tree by itself. While a tree holds fewer than k records, its root (the
    one record that points to none) points to the nearest of its k − 1 nearest records that is outside the
    tree. In an optimal partition a record shares its group with k − 1 others, which cannot all be nearer than
    its k − 1 nearest: so the edges together are bounded by the optimum, and SSE by O(k³) times the optimum.

    Then each tree is pruned from its leaves: branches of fewer than k records that hang on the same record
    are put together until they hold k. What is left at the root joins the nearest group, and a group of
    2k or more is split by `mdav`. Groups hold k to 2k − 1 records.

    Source: Domingo-Ferrer, Sebé & Solanas (2008), *Computers & Mathematics with Applications* 55(4), after
    Aggarwal et al. (2005); Fayyoumi, *thesis*, §2.6.3.2.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = pa.table({"staff": [1.0, 2.0, 8.0, 9.0, 10.0], "sales": [5.0, 7.0, 90.0, 85.0, 95.0]})
    >>> firms = table_from_frame(firms)
    >>> Approx(k=2).apply(firms, np.random.default_rng(1))["sales"].tolist()
    [6.0, 6.0, 90.0, 90.0, 90.0]
    """

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        labels = prune_forest(neighbour_forest(neighbours(X, self.k - 1), self.k), self.k)
        rest, placed = np.flatnonzero(labels < 0), np.flatnonzero(labels >= 0)
        means = group_means(X[placed], labels[placed])
        labels[rest] = cKDTree(means).query(X[rest])[1]
        return split_large(X, labels, self.k, mdav_groups)
