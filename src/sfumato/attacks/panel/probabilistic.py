"""Probabilistic linkage: agreement weighs the more, the rarer it is between records that do not match."""

import numpy as np

from sfumato.attacks.linkage.fellegi_sunter import MOST_ATTRIBUTES, FellegiSunterLinker
from sfumato.attacks.panel.case import Case, Column
from sfumato.attacks.panel.search import Coordinate, Search, within
from sfumato.kernels.nearest import EQUAL

TOLERANCE = 0.1  # standard deviations up to which numbers agree, as in `probabilistic_linkage`
MOST_COMPARED = 1000  # people with whose records EM estimates the weights


def agreement(case: Case) -> Search:
    """The weights of Fellegi and Sunter, estimated without knowing who is who."""
    names = case.names[:MOST_ATTRIBUTES]
    if not names:
        return Search.by(case, [])
    rows = case.people[:MOST_COMPARED]
    linker = FellegiSunterLinker(case.known.take(rows), names, TOLERANCE)
    weights = linker.weights(linker.compare(case.released.take(rows)).pairs)
    columns = zip(case.columns, weights.gains.tolist(), strict=False)
    return Search.by(case, [_coordinate(column, float(gain)) for column, gain in columns])


def _coordinate(column: Column, gain: float) -> Coordinate:
    if column.reading is None:
        return within(column.known, column.released, TOLERANCE * column.spread, gain, gain)
    return Coordinate(column.known, column.released, EQUAL, gain, gain, column.reading, covered=0.0)


def probabilistic(case: Case) -> np.ndarray:
    return agreement(case).found(case.people)
