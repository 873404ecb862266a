"""Fuzzy microaggregation: groups from fuzzy c-means, split until none holds 2k records."""

import numpy as np

from sfumato.core import param
from sfumato.masking._fuzzy_clusters import HELP, MEMBERSHIPS, log_memberships
from sfumato.masking._microaggregation import Microaggregation


class Fuzzy(Microaggregation):
    """Records are clustered by fuzzy c-means, and clusters again, until all hold k to 2k − 1 records.

    Fuzzy c-means gives record x a membership in each cluster, u_c ∝ |x − v_c|^(−2/(m − 1)), and puts the centre
    v_c of a cluster at the mean of all records weighted by u_c^m, in turn; m is the `fuzziness`. It starts from
    records far from each other. Each record then goes where its membership is highest. A cluster that is left
    with fewer than k records is given up, the smallest first, and its records go to where their membership is
    highest among the rest; a cluster of 2k records or more is clustered by itself. Where all but one are given up,
    the record farthest from the centroid and the k − 1 nearest to it leave as a group.

    With `memberships="entropy"` an entropy makes the clusters fuzzy: Σ u d² + λ Σ u log u is least, so that
    u_c ∝ exp(−|x − v_c|²/λ); λ is m − 1 times the mean squared distance of records to their nearest first centre. Where a
    record takes the centre of a cluster drawn by membership, see `fuzzy_centres`.

    Sizes and time are those of a tree: each level costs records × `clusters`, and there are about log(n/k)
    levels. The result does not hang on random numbers. On Census and Tarragona it mostly loses up to 15 % more than
    MDAV, as the literature found too; on files with clusters of their own, like EIA, up to 40 % less.

    Source: Torra & Domingo-Ferrer (2002), adaptive fuzzy c-means with at least k records in a cluster, as in
    Fayyoumi, *thesis*, §2.6.3; every record is replaced by the centroid of its cluster of highest membership. Entropy:
    Torra & Miyamoto (2004), as told there.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = pa.table({"staff": [1.0, 2.0, 8.0, 9.0, 10.0], "sales": [5.0, 7.0, 90.0, 85.0, 95.0]})
    >>> firms = table_from_frame(firms)
    >>> masked = Fuzzy(k=2).apply(firms, np.random.default_rng(1))
    >>> masked["sales"].tolist()
    [6.0, 6.0, 90.0, 90.0, 90.0]
    """

    fuzziness: float = param(
        default=1.2, low=1.05, high=5, help="m: near 1 crisp clusters, above 2 vague ones"
    )
    clusters: int = param(default=30, low=2, help="clusters to make at a time, at most")
    iterations: int = param(default=20, low=1, help="rounds of memberships and centres")
    memberships: str = param(default="distances", choices=MEMBERSHIPS, help=HELP)

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        labels = np.empty(len(X), np.int64)
        waiting, groups = [np.arange(len(X))], 0
        while waiting:
            rows = waiting.pop()
            if len(rows) < 2 * self.k:
                labels[rows] = groups
                groups += 1
            else:
                waiting += self._split(X, rows)
        return labels

    def _split(self, X: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
        """Parts of at least k rows each, and at least two of them."""
        part = X[rows]
        count = max(2, min(self.clusters, len(rows) // self.k))
        scores = log_memberships(part, count, self.fuzziness, self.iterations, self.memberships)
        member = nearest_allowed(scores, self.k)
        found = np.unique(member)
        if len(found) > 1:
            return [rows[member == c] for c in found]
        far = part[np.argmax(((part - part.mean(axis=0)) ** 2).sum(axis=1))]
        order = np.argsort(((part - far) ** 2).sum(axis=1), kind="stable")
        return [rows[order[: self.k]], rows[np.sort(order[self.k :])]]


def nearest_allowed(scores: np.ndarray, k: int) -> np.ndarray:
    """The cluster of highest score of each record, when clusters of fewer than k records are given up in turn.

    >>> nearest_allowed(np.array([[9, 1, 0], [8, 2, 0], [1, 3, 6], [2, 8, 0], [0, 9, 1.0]]), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    scores = scores.copy()
    while True:
        member: np.ndarray = np.argmax(scores, axis=1)
        sizes = np.bincount(member, minlength=scores.shape[1])
        small = (sizes < k) & np.isfinite(scores[0])
        if not small.any():
            return member
        scores[:, np.argmin(np.where(small, sizes, len(scores) + 1))] = -np.inf
