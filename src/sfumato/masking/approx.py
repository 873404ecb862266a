"""μ-Approx: a forest of nearest neighbours cut into groups, with a bound on the loss."""

from typing import ClassVar

import numpy as np
from scipy.spatial import cKDTree

from sfumato.core import Aliases, DataError, param
from sfumato.kernels.mdav import mdav_groups
from sfumato.kernels.spanning_trees import neighbour_forest, prune_forest
from sfumato.masking._aggregates import group_means
from sfumato.masking._group_lists import split_large
from sfumato.masking._microaggregation import Microaggregation
from sfumato.masking._nearest_records import neighbours
from sfumato.masking._pairs_and_triples import lightest_factor, stars

MOST = 1200  # records: the integer program may have to look at most of their pairs


class Approx(Microaggregation):
    """Records point to near neighbours until every tree holds k; trees are then pruned into groups.

    First the forest: every record is a tree by itself. While a tree holds fewer than k records, its root (the
    one record that points to none) points to the nearest of its k − 1 nearest records that is outside the
    tree. In an optimal partition a record shares its group with k − 1 others, which cannot all be nearer than
    its k − 1 nearest: so the edges together are bounded by the optimum, and SSE by O(k³) times the optimum.

    Then each tree is pruned from its leaves: branches of fewer than k records that hang on the same record
    are put together until they hold k. What is left at the root joins the nearest group, and a group of
    2k or more is split by `mdav`. Groups hold k to 2k − 1 records.

    Where k is 2, `tight` has SSE at most twice the optimum, for up to 1,200 records; other k are grouped as
    without. Among all graphs in which every record has one or two edges the one with the least sum W of squared
    lengths is found, by an integer program. Its parts are pairs and paths of three, which are the groups. An
    optimal partition holds such edges of at most twice its SSE, and a path of three loses no more than its edges
    weigh: so SSE ≤ W ≤ 2·SSE of the best groups, and no groups go below W/2, which is told as the bound. Census
    takes six seconds, Tarragona, whose lengths differ more, half a minute.

    Source: Domingo-Ferrer, Sebé & Solanas (2008), *Computers & Mathematics with Applications* 55(4), after
    Aggarwal et al. (2005); tight: Domingo-Ferrer & Sebé (2006); both as told in Fayyoumi, *thesis*, §2.6.3.2.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = pa.table({"staff": [1.0, 2.0, 8.0, 9.0, 10.0], "sales": [5.0, 7.0, 90.0, 85.0, 95.0]})
    >>> firms = table_from_frame(firms)
    >>> Approx(k=2).apply(firms, np.random.default_rng(1))["sales"].tolist()
    [6.0, 6.0, 90.0, 90.0, 90.0]
    """

    aliases: ClassVar[Aliases] = {"2-approximation": {"k": 2, "tight": True}}

    tight: bool = param(default=False, help="where k is 2: at most twice the least loss there is")

    @property
    def _tight(self) -> bool:
        return self.tight and self.k == 2

    def solve(self, X: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
        if not self._tight:
            return super().solve(X, rng)
        labels, weight = self._tightly(X)
        return self.refined(X, labels, rng), weight / 2

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if self._tight:
            return self._tightly(X)[0]
        labels = prune_forest(neighbour_forest(neighbours(X, self.k - 1), self.k), self.k)
        rest, placed = np.flatnonzero(labels < 0), np.flatnonzero(labels >= 0)
        means = group_means(X[placed], labels[placed])
        labels[rest] = cKDTree(means).query(X[rest])[1]
        return split_large(X, labels, self.k, mdav_groups)

    def _tightly(self, X: np.ndarray) -> tuple[np.ndarray, float]:
        if len(X) > MOST:
            raise DataError(f"{self.name}: tight takes at most {MOST} records. Got {len(X)}.")
        edges, weight = lightest_factor(X)
        return stars(edges, ((X[edges[:, 0]] - X[edges[:, 1]]) ** 2).sum(axis=1), len(X)), weight
