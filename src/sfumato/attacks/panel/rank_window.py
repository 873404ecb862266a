"""Rank windows: no value was moved farther than those of people whose records are known."""

import numpy as np

from sfumato.attacks.panel.case import Case, Column
from sfumato.attacks.panel.nearest import middle_ranks
from sfumato.attacks.panel.search import Coordinate, Search, within
from sfumato.kernels.nearest import EQUAL

SLACK = 2e-7  # of the ranks, which are kept to seven digits


def windows(case: Case, taught: np.ndarray) -> Search:
    """The fewest attributes in which a record is outside the window of a person, as in `rank_swapping_linkage`.

    How far values were swapped is learned: the greatest difference of ranks among the people who are known. Where
    categories, or missing values, never changed for any of them, they count as well.
    """
    return Search.by(case, [_coordinate(case, column, taught) for column in case.columns])


def _coordinate(case: Case, column: Column, taught: np.ndarray) -> Coordinate:
    own = case.own[taught]
    holes = np.isnan(column.known[taught]) != np.isnan(column.released[own])
    absent = float(not holes.any())
    if column.ordered:
        known, released = middle_ranks(column.known_ranks), middle_ranks(column.released_ranks)
        apart = np.abs(known[taught] - released[own])
        width = np.nanmax(apart) + SLACK if not np.isnan(apart).all() else 0.0
        return within(known, released, float(width), 1.0, absent)
    equal = (
        (column.known[taught] == column.released[own])
        | np.isnan(column.known[taught])
        | np.isnan(column.released[own])
    )
    return Coordinate(
        column.known, column.released, EQUAL, float(equal.all()), absent, column.reading, covered=0.0
    )


def rank_window(case: Case) -> np.ndarray:
    return case.cross_fitted(lambda taught, sought: windows(case, taught).found(sought))
