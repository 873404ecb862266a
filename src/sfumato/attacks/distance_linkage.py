"""Distance-based linkage: the intruder takes the nearest known record for the one that was released."""

from typing import ClassVar

import numpy as np

from sfumato.attacks._distance_attack import ByDistance
from sfumato.attacks.linkage.distance_linker import DistanceLinker
from sfumato.attacks.linkage.record_space import Space
from sfumato.core import Aliases, param
from sfumato.data import Table


class DistanceLinkage(ByDistance):
    """Each released record is linked to the nearest known one, or each known one to the nearest released.

    Distances are those of the measure `distance_linkage`: with `euclidean`, squared differences of numbers
    divided by their standard deviation; with `mahalanobis`, the same on axes without correlation, where
    directions in which the known file does not vary are left out; with `gower`, |difference| / range of
    numbers plus distances from 0 to 1 of categories. `auto` takes `euclidean` if all attributes are numeric,
    else `gower`. A value missing on one side only counts 2 (`euclidean`) or 1 (`gower`), and as the mean
    with `mahalanobis`. With `second_nearest` a link counts if the true record is one of the two nearest.

    A guess without the release finds one record of n. What equally near records count is said by `ties`.

    Source: Domingo-Ferrer & Torra (2002); Balasch, *thesis*, §3.3 (`direction="known"`); Fayyoumi, *thesis*,
    §4.4 (`second_nearest`).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> known = table_from_frame(pa.table({"x": [1.0, 2.0, 8.0, 9.0]}))
    >>> released = known.replace({"x": [1.4, 2.2, 8.2, 8.3]})
    >>> DistanceLinkage().run(released, known, np.random.default_rng(0)).outcomes.tolist()
    [1.0, 1.0, 1.0, 0.0]
    """

    aliases: ClassVar[Aliases] = {"DBRL": {}}

    direction: str = param(
        default="released",
        choices=("released", "known"),
        help="whose records are linked to the nearest other",
    )
    second_nearest: bool = param(default=False, help="the second nearest record counts as well")
    ties: str = param(
        default="expected", choices=("expected", "miss", "hit"), help="what equally near records count"
    )

    def outcomes(
        self, released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> np.ndarray:
        if not known.n:
            return np.empty(0)
        space = Space(known, names, self.distance)
        linker = DistanceLinker(known, space, direction=self.direction, nearest=1 + self.second_nearest)
        return linker.outcomes(released, self.ties)

    def guess(self, known: Table, names: tuple[str, ...]) -> float:
        return min((1 + self.second_nearest) / known.n, 1.0) if known.n else 0.0
