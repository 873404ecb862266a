"""k-Ward: Ward's clustering of sorted records into groups of at least k, from all distances."""

from typing import ClassVar

import numpy as np

from sfumato.core import Aliases, param
from sfumato.kernels.ward import ward_groups
from sfumato.masking._kward import KWardFamily


class Kward(KWardFamily):
    """The pair of groups whose union costs least is merged, unless both hold k records already.

    The records are sorted along the axis. The first k are a group, the last k another, and every record
    between them a group of its own. Then the two groups with the least

        D(i, j) = n_i n_j / (n_i + n_j) · ‖x̄_i − x̄_j‖²

    are merged, which is what their union adds to SSE, but never two that both hold k or more; until every
    group holds k. A group of 2k or more is treated like a file of its own. Groups hold k to 2k − 1 records.

    Distances are those on the axis by default; with `distance="records"` the axis only tells which records
    are first and last, and distances are those of whole records, which loses far less. Time grows with n²,
    memory with n; on the axis, `kwd` gives the same groups in a fraction of the time. `recursion` reports
    the number of merges and distances.

    Source: Domingo-Ferrer & Mateo-Sanz (2002), as Algorithm 2 of Fayyoumi, *thesis*, §3.3.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 2.0, 3.0, 7.0, 9.0, 30.0, 34.0]}))
    >>> Kward(k=2).apply(firms, np.random.default_rng(1))["staff"].tolist()
    [2.0, 2.0, 2.0, 8.0, 8.0, 32.0, 32.0]
    >>> Kward(k=2).recursion(firms).merges
    2
    """

    aliases: ClassVar[Aliases] = {"kW": {}}
    grows = 2.0

    distance: str = param(
        default="axis", choices=("axis", "records"), help="between places on the axis, or between records"
    )

    def ward(self, X: np.ndarray, k: int) -> tuple[np.ndarray, int]:
        return ward_groups(X, k)

    def seen(self, X: np.ndarray, places: np.ndarray) -> np.ndarray:
        return X if self.distance == "records" else places[:, None]
