"""Certain finds: people whose own record is the only one that agrees with all that is known of them."""

import numpy as np

from sfumato.attacks.panel.case import Case, Column
from sfumato.attacks.panel.compatible import is_kept
from sfumato.attacks.panel.search import Coordinate, Search
from sfumato.kernels.nearest import EQUAL

CONTRADICTION = 1.0


def certain(case: Case) -> np.ndarray:
    """Which of the people are found for certain: one record agrees with them, blanks and merged categories too, and it is theirs.

    Numbers that were perturbed agree with nothing by themselves, and are left out, as for who looks for compatible
    records.
    """
    columns = [column for column in case.columns if is_kept(column)]
    if not columns:
        return np.zeros(len(case.people), np.bool_)
    alone = Search.by(case, [_coordinate(column) for column in columns]).found(case.people) == 1.0
    agrees: np.ndarray = np.all([_agrees(column, case) for column in columns], axis=0)
    found: np.ndarray = alone & agrees
    return found


def _coordinate(column: Column) -> Coordinate:
    return Coordinate(column.known, column.released, EQUAL, CONTRADICTION, 0.0, column.reading, covered=0.0)


def _agrees(column: Column, case: Case) -> np.ndarray:
    """Whether the own record of each person may be theirs, by one attribute."""
    known, released = column.known[case.people], column.released[case.own[case.people]]
    same: np.ndarray = (known == released) | np.isnan(known) | np.isnan(released)
    if column.reading is not None:
        size = column.reading.size
        for number, members in enumerate(column.reading.sets):
            same |= (released == size + number) & np.isin(known, members)
    return same
