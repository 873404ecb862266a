"""Work by hand on the file of a project, kept while steps are added and taken back, so that none is done twice."""

from typing import Any

from sfumato.functions import function
from sfumato.jobs import HandWork
from sfumato.masking import ByHand
from sfumato.web.questions.process.project_data import ProjectData

HandSettings = dict[str, list[Any]]  # by the names of options: first, fixed, undone


def hand_work(held: ProjectData, hand: ByHand) -> HandWork:
    """The file after each step; the steps that were the same before are taken over."""
    kept: dict[str, HandWork] = held.keep("work by hand", dict)
    if "last" not in kept:
        kept["last"] = function("steps")(held.table)
    kept["last"] = kept["last"].with_hand(hand)
    return kept["last"]


def asked_hand(arguments: dict[str, Any]) -> ByHand:
    """The steps that a question is about."""
    given = arguments.get("settings") or {}
    return ByHand(**{name: tuple(given.get(name, ())) for name in ByHand.option_keys()})
