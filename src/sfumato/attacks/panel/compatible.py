"""Compatible records: what was blanked or merged matches all it may hide, and the fullest match is taken."""

import numpy as np

from sfumato.attacks.panel.case import Case, Column
from sfumato.attacks.panel.search import Coordinate, Search
from sfumato.kernels.nearest import EQUAL

BLANK = 1.0
CONTRADICTION = 1024.0  # more than all blanks of a record
LEAST_KEPT = 0.5  # of the different numbers released that must be known ones


def compatibility(case: Case) -> Search:
    """The fewest contradictions, then the fewest blanks and merged categories; by attributes that were not perturbed."""
    return Search.by(case, [_coordinate(column) for column in case.columns if is_kept(column)])


def is_kept(column: Column) -> bool:
    """Whether values were kept or blanked: of numbers that were changed, hardly any is a known one."""
    if column.reading is not None:
        return True
    present = column.released[~np.isnan(column.released)]
    return len(present) == 0 or float(np.isin(present, column.known).mean()) >= LEAST_KEPT


def _coordinate(column: Column) -> Coordinate:
    return Coordinate(
        column.known, column.released, EQUAL, CONTRADICTION, BLANK, column.reading, covered=BLANK
    )


def compatible(case: Case) -> np.ndarray:
    return compatibility(case).found(case.people)
