"""IAMAT: microaggregation that grows groups by association and interaction."""

from typing import ClassVar

import numpy as np

from sfumato.core import Aliases, param
from sfumato.kernels.iamat import iamat_groups
from sfumato.masking._group_lists import rest_joined
from sfumato.masking._microaggregation import Microaggregation, squares

TRIED = (0.0, 0.5)


class Iamat(Microaggregation):
    """Groups that begin at the record farthest from the centroid and take in the most interacting record.

    The association of two records is a = exp(−|x − y|²/α); the interaction of a record p with a group is the
    product of its associations with the members. That product is highest where the sum of the squared distances
    to the members is lowest, whatever α, and so for the record nearest to the centroid of the group: which is
    what is computed. (As exponentials the products underflow: Tarragona with k = 6 loses 29.8 instead of 26.9.)
    While at least k records are left, the one least associated with their centroid begins a group, which grows to
    k records. The up to k − 1 left over at the end each join the group where SSE rises least; with
    `remainder="last"` the last group made.

    `centre="file"` keeps the centroid of the whole file; by default it is the centroid of the records left, which
    mostly loses a little less. "IAMAT-printed" is Algorithm 12: that centroid, left-overs in the last group, and
    groups of k. With `gamma` above 0 sizes vary (an open question of
    the source): a group of k takes in its most interacting record p, up to 2k − 1 records, while the nearest
    member is nearer to p than gamma times the nearest record left, in squared distance. Where gamma is not given,
    0 and 0.5 are tried, and the groups that lose less are taken.

    Groups hold k records, with `gamma` or where n is no multiple of k up to 2k − 1. Ties go to the record that
    comes first. Nearest and farthest records come from a tree, so 100,000 records take seconds.

    Source: Oommen & Fayyoumi (2007); Fayyoumi, *thesis*, Algorithm 12; gamma: Solanas & Martínez-Ballesté (2006).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = pa.table({"staff": [1.0, 2.0, 8.0, 9.0, 10.0], "sales": [5.0, 7.0, 90.0, 85.0, 95.0]})
    >>> firms = table_from_frame(firms)
    >>> masked = Iamat(k=2).apply(firms, np.random.default_rng(1))
    >>> masked["sales"].tolist()
    [6.0, 6.0, 90.0, 90.0, 90.0]
    """

    aliases: ClassVar[Aliases] = {
        "IAMAT-printed": {"centre": "file", "gamma": 0.0, "remainder": "last"},
    }

    grid: ClassVar = {"k": (2, 3, 5, 10, 20)}
    grows = 1.6  # as the search in the tree does where there are some ten columns

    centre: str = param(
        default="left", choices=("left", "file"), help="centroid of the records left, or of all"
    )
    gamma: float | None = param(
        default=None, low=0, high=10, help="how readily a group takes in more than k records (0: never)"
    )
    remainder: str = param(
        default="nearest",
        choices=("nearest", "last"),
        help="where records left over go: where they cost least, or into the last group made",
    )

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Labels of the groups; of both kinds, where gamma is not given, those that lose less."""
        gammas = TRIED if self.gamma is None else (self.gamma,)
        return min((self._groups(X, gamma) for gamma in gammas), key=lambda labels: squares(X, labels))

    def _groups(self, X: np.ndarray, gamma: float) -> np.ndarray:
        labels = iamat_groups(np.ascontiguousarray(X), self.k, gamma, self.centre == "file")
        if self.remainder == "last":
            return np.where(labels < 0, labels.max(), labels)
        return rest_joined(X, labels, self.k)
