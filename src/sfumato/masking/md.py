"""Maximum distance: groups around the two records that are farthest apart, again and again."""

from typing import ClassVar

import numpy as np

from sfumato.core import Aliases
from sfumato.kernels.md import md_groups
from sfumato.masking._microaggregation import Microaggregation


class Md(Microaggregation):
    """Groups of exactly k records at the two ends of the diameter of what is left of the file.

    While at least 2k records are left: take the two, r and s, that are farthest apart; r with its k − 1
    nearest is a group, then s with its k − 1 nearest. If k or more are left at the end they are a group; if
    fewer, each joins the nearer of the last two groups. Groups hold k to 2k − 1 records. Ties go to the
    records that come first; s is never in the group of r.

    The diameter is exact and no matrix of distances is kept: a record's distance to its farthest is bounded
    by its distance to the centre plus the largest such distance, and worked out only where that bound is the
    largest of all.

    Source: Mateo-Sanz & Domingo-Ferrer (1999), multivariate fixed-size microaggregation; Fayyoumi, *thesis*,
    §2.6.3.2.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = pa.table({"staff": [1.0, 2.0, 8.0, 9.0, 10.0], "sales": [5.0, 7.0, 90.0, 85.0, 95.0]})
    >>> firms = table_from_frame(firms)
    >>> Md(k=2).apply(firms, np.random.default_rng(1))["sales"].tolist()
    [6.0, 6.0, 90.0, 90.0, 90.0]
    """

    aliases: ClassVar[Aliases] = {"multivariate fixed-size": {}}
    grows = 2.0

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return md_groups(np.ascontiguousarray(X), self.k)
