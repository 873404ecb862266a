"""People held out: some records stay outside a job, so that there are others to compare those inside with."""

from typing import NamedTuple

import numpy as np

from sfumato.core import Seed, stream
from sfumato.data.households import together
from sfumato.data.table import Table


class HeldOut(NamedTuple):
    """A table in two: the people a job may see, and others of the same population."""

    inside: Table
    outside: Table


def held_out(table: Table, seed: Seed, *, fold: int = 0, folds: int = 5) -> HeldOut:
    """One of so many folds kept outside, the rest inside; a household is never divided.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"x": [float(i) for i in range(10)]}))
    >>> folds = [held_out(people, 1, fold=fold) for fold in range(5)]
    >>> [(one.inside.n, one.outside.n) for one in folds]
    [(8, 2), (8, 2), (8, 2), (8, 2), (8, 2)]
    >>> sorted(x for one in folds for x in one.outside["x"].tolist()) == people["x"].tolist()
    True
    """
    units = together(table)
    number = int(units.max()) + 1 if table.n else 0
    drawn = stream(seed, "held out", folds).permutation(number) % folds
    is_outside = drawn[units] == fold
    return HeldOut(table.take(np.flatnonzero(~is_outside)), table.take(np.flatnonzero(is_outside)))
