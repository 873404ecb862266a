"""Assignment linkage: the intruder links all records at once, each known one to one released record."""

import numpy as np

from sfumato.attacks._assignment import assigned
from sfumato.attacks._distance_attack import ByDistance
from sfumato.attacks.linkage.distance_linker import DistanceLinker
from sfumato.attacks.linkage.record_space import Space
from sfumato.core import param
from sfumato.data import Table


class AssignmentLinkage(ByDistance):
    """The intruder knows that every record has exactly one partner, and makes the sum of all distances least.

    Where two released records are nearest to the same known one, only one of them can have it: what is certain
    about one record helps to find others. Distances are those of `distance_linkage`; with `euclidean` and
    `mahalanobis` they are squared, which makes the assignment the most likely one under normal noise. A value
    missing on one side only counts 2 (`euclidean`) or 1 (`gower`), and as the mean with `mahalanobis`.

    Up to 1000 records the assignment is the best of all. In larger files each released record may only be linked
    to its nearest `candidates` (more where many are alike) or, so that nobody is left over, to one more record.
    More than 5000 records are cut into blocks of neighbours: the known ones in the order of the tree by which
    neighbours are found, the released ones in that of their nearest known ones. Links are sought inside blocks,
    and true ones that lie elsewhere are missed, so that the rate is rather below what this intruder could reach.

    Records that are alike share their links evenly; where several assignments are equally good, one is drawn. A
    guess without the release finds one record of n.

    Source: one-to-one links as in Jaro (1989), and as for probabilistic linkage in Marés, *thesis*, §2.4.2, here
    with distances; sparse assignment by Jonker & Volgenant (1987).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> known = table_from_frame(pa.table({"x": [1.0, 2.0, 8.0, 9.0]}))
    >>> released = known.replace({"x": [1.4, 2.2, 8.2, 8.3]})  # two are nearest to the third
    >>> AssignmentLinkage().run(released, known, np.random.default_rng(0)).outcomes.tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    candidates: int = param(
        default=30, low=1, high=1000, help="nearest known records that a released one may be linked to"
    )

    def outcomes(
        self, released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> np.ndarray:
        if not known.n:
            return np.empty(0)
        linker = DistanceLinker(known, Space(known, names, self.distance))
        return assigned(linker, released, self.candidates, rng)
