"""The nearest record, by standardised and by rank distance."""

import numpy as np

from sfumato.attacks.linkage.record_space import Space
from sfumato.attacks.panel.case import Case, Column
from sfumato.attacks.panel.search import Coordinate, Search, squared
from sfumato.kernels.nearest import EQUAL

RANK_WEIGHT = 12.0  # ranks from 0 to 1 have a variance of 1/12
ABSENT = 2.0  # what two standardised draws differ by on average, squared


def standardised(case: Case) -> Search:
    """The distance of `distance_linkage`."""
    space = Space(case.known, case.names)
    readings = space.read(case.released.schema)
    known, released = space.points(case.known), space.points(case.released, readings)[case.first]
    return Search(case, space.placed(known), space.placed(released), *space.metric(readings))


def by_ranks(case: Case) -> Search:
    """Squared differences of ranks, each file's values ranked by themselves: scale and shape do not matter."""
    return Search.by(case, [_coordinate(column) for column in case.columns])


def middle_ranks(ranks: np.ndarray) -> np.ndarray:
    middle: np.ndarray = ranks.mean(axis=1, dtype=float)
    return middle


def _coordinate(column: Column) -> Coordinate:
    if column.ordered:
        ranks = middle_ranks(column.known_ranks), middle_ranks(column.released_ranks)
        return squared(*ranks, RANK_WEIGHT, ABSENT)
    return Coordinate(column.known, column.released, EQUAL, ABSENT, ABSENT, column.reading)


def nearest(case: Case) -> np.ndarray:
    return standardised(case).found(case.people)


def nearest_ranks(case: Case) -> np.ndarray:
    return by_ranks(case).found(case.people)


def nearest_released(case: Case) -> np.ndarray:
    return standardised(case).found_from_release(case.people)


def nearest_ranks_released(case: Case) -> np.ndarray:
    return by_ranks(case).found_from_release(case.people)
