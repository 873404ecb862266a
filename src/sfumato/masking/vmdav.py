"""V-MDAV: MDAV with groups that grow where records lie close together."""

import numpy as np

from sfumato.core import param
from sfumato.kernels.deletion_tree import leaf_size
from sfumato.kernels.vmdav import vmdav_groups
from sfumato.masking._aggregates import group_means
from sfumato.masking._microaggregation import Microaggregation


class Vmdav(Microaggregation):
    """Groups of k to 2k − 1 records; the few records left at the end, fewer than k, join the nearest group.

    The record farthest from the centroid of the file and its k − 1 nearest form a group. Then, as long as it
    has fewer than 2k − 1 records, the outside record nearest to any member joins if

        d_in < γ · d_out,

    where d_in is its distance to that member and d_out its distance to the nearest other record outside.
    With γ = 0 no group grows. The authors advise γ = 0.2 for scattered files and 1.1 for clustered ones.
    Because of the records left at the end a group may have as many as 3k − 2 records. Ties go to the record
    that comes first. Missing values stand at the mean.

    Source: Solanas & Martínez-Ballesté (2006); Fayyoumi, *thesis*, §2.6.3.2.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> pay = table_from_frame(pa.table({"pay": [1.0, 2.0, 3.0, 50.0, 52.0, 90.0, 91.0, 92.0]}))
    >>> Vmdav(k=2, gamma=1.1).apply(pay, np.random.default_rng(1))["pay"].tolist()
    [2.0, 2.0, 2.0, 51.0, 51.0, 91.0, 91.0, 91.0]
    """

    gamma: float = param(default=0.2, low=0, help="gain factor: the larger, the more records join a group")

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        X = np.ascontiguousarray(X)
        outward = np.argsort(-((X - X.mean(axis=0)) ** 2).sum(axis=1), kind="stable")
        labels = vmdav_groups(X, self.k, self.gamma, outward, leaf_size(X.shape[1]))
        centroids = group_means(X[labels >= 0], labels[labels >= 0])
        for i in np.flatnonzero(labels < 0):
            labels[i] = np.argmin(((centroids - X[i]) ** 2).sum(axis=1))
        return labels
