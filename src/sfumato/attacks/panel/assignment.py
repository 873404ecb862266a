"""Assignment: all records are linked at once, each known one to one released record."""

import numpy as np

from sfumato.attacks.assignment_linkage import assigned
from sfumato.attacks.linkage.distance_linker import DistanceLinker
from sfumato.attacks.linkage.record_space import Space
from sfumato.attacks.panel.case import Case
from sfumato.core import stream

CANDIDATES = 30


def assignment(case: Case) -> np.ndarray:
    """The attack `assignment_linkage`."""
    linker = DistanceLinker(case.known, Space(case.known, case.names))
    rng = stream(case.seed, "assignment")
    found: np.ndarray = assigned(linker, case.released, CANDIDATES, rng)[case.people]
    return found
