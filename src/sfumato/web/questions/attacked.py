"""A point of the map under attack: attackers of every kind, and the verdict by people outside."""

from typing import Any

import numpy as np

from sfumato.core import stream
from sfumato.jobs import Verdict, verdict, verdict_on
from sfumato.jobs.attack import attacked as made_attacks
from sfumato.jobs.attack import fitting_attacks
from sfumato.masking import make_masking
from sfumato.measures import Estimate, explanation
from sfumato.web.questions._points import MaskedPoint, masked_point
from sfumato.web.questions.attackers import MOST_RECORDS, attack_rows
from sfumato.web.questions.process.project_data import ProjectData


def attacked(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    """Success of each attack on a sample of the records, and the verdict, with people outside where it can be had."""
    point = masked_point(held, arguments)
    rows = np.sort(stream(0, "attacked").permutation(point.original.n)[:MOST_RECORDS])
    known, released = point.original.take(rows), point.aligned.take(rows)
    found = made_attacks(known, released, fitting_attacks(known, released))
    return {
        "records": point.original.n,
        "sampled": len(rows),
        "attacks": attack_rows(found),
        "verdict": _plain(_verdict(held, point)),
    }


def _verdict(held: ProjectData, point: MaskedPoint) -> Verdict:
    """A masking is rehearsed; of a file that a search made, only what it shows by itself is judged here."""
    if point.spec is None:
        return verdict(point.original, point.aligned)
    return verdict_on(make_masking(point.spec), held.table, point.aligned, seed=0, rehearsals=1)


def _plain(found: Verdict) -> dict[str, Any]:
    sentences = list(found.sentences())
    return {
        "sentences": sentences,
        "notes": [line for line in found.told() if isinstance(line, str) and line not in sentences],
        "scores": [
            {
                "title": explanation(name).title,
                "about": explanation(name).sentence,
                "value": score.value,
                "interval": [score.low, score.high] if isinstance(score, Estimate) else None,
            }
            for name, score in found.scores.items()
        ],
    }
