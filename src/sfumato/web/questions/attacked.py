"""A point of the map under attack: attackers of every kind, and those that no search ever sees."""

from typing import Any

import numpy as np

from sfumato.core import stream
from sfumato.jobs import MOST_APART, MOST_ATTACKED, HeldOut, honesty
from sfumato.jobs.attack import attacked as made_attacks
from sfumato.jobs.attack import fitting_attacks
from sfumato.measures import title
from sfumato.search.fitness import Fitness
from sfumato.web.questions._points import masked_point
from sfumato.web.questions.attackers import attack_rows
from sfumato.web.questions.process.project_data import ProjectData


def attacked(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    """Success of each attack on a sample of the records, and the honesty check beside loss and risk.

    Gaps say how far yardsticks that no search saw lie above what loss and risk say.
    """
    point = masked_point(held, arguments)
    rows = np.sort(stream(point.seed, "attacked").permutation(point.original.n)[:MOST_ATTACKED])
    known, released = point.original.take(rows), point.aligned.take(rows)
    found = made_attacks(known, released, fitting_attacks(known, released), seed=point.seed)
    held_out = honesty(point.original, point.aligned, point.aligned, fitness=Fitness(), seed=point.seed)
    warnings = [_warning(one) for one in held_out.measures if one.gap > MOST_APART]
    return {
        "records": point.original.n,
        "sampled": len(rows),
        "attacks": attack_rows(found),
        "honesty": {**held_out.to_dict(), "warnings": warnings},
    }


def _warning(one: HeldOut) -> str:
    usual = {"loss": "information loss", "risk": "disclosure risk"}[one.sense]
    return f"{title(one.name)} is {one.value:.1f} % where {usual} says {one.fitness:.1f} %."
