"""Steps by hand: what intruders still see and what analysts lose after each, with one more or one less of them.

The steps so far come as `settings`, the options that make them again; `do` is what is done to them: "add" a `step`, "undo",
"redo", "drop" a step by its number, or let `columns` be the ones that nothing may change ("fix").
"""

from collections.abc import Callable
from typing import Any

from sfumato.core import DataError
from sfumato.jobs import HandWork
from sfumato.masking import ByHand
from sfumato.web.questions._hand_work import asked_hand, hand_work
from sfumato.web.questions._step_words import step_in_words
from sfumato.web.questions.columns import column_facts
from sfumato.web.questions.process.project_data import ProjectData


def by_hand(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    hand = asked_hand(arguments)
    what = str(arguments.get("do", ""))
    if what:
        if what not in DOINGS:
            raise DataError(f"Steps can be asked to {', '.join(DOINGS)}. Got {what[:20]!r}.")
        hand = DOINGS[what](hand, arguments)
    return told(hand_work(held, hand))


def told(work: HandWork) -> dict[str, Any]:
    """The states of a piece of work, the columns that the last one left, and the options that make it again."""
    hand, gone = work.by_hand, _removed(work.by_hand)
    return {
        "records": work.records,
        "looked_at": work.original.n,
        "settings": hand.settings(),
        "undone": [step_in_words(step) for step in hand.undone],
        "fixed": hand.fixed,
        "states": [
            {
                "title": "As collected" if state.step is None else step_in_words(state.step),
                "step": "" if state.step is None else state.step.plain(),
                "records": state.table.n,
                **state.effect.to_dict(),
            }
            for state in work.states
        ],
        "columns": [
            column_facts(work.table, name)
            for name in work.table.names
            if name not in gone and work.table.schema[name].role != "identifier"
        ],
    }


def _removed(hand: ByHand) -> set[str]:
    return {name for step in hand.first if step.name == "removal" for name in step.named}


def _dropped(hand: ByHand, arguments: dict[str, Any]) -> ByHand:
    """Without one of the steps, wherever it stands; those after it are done again."""
    number = int(arguments.get("number", 0))
    if not 1 <= number <= len(hand.first):
        raise DataError("There is no such step: choose one from the list.")
    return ByHand(first=hand.first[: number - 1] + hand.first[number:], fixed=hand.fixed)


DOINGS: dict[str, Callable[[ByHand, dict[str, Any]], ByHand]] = {
    "add": lambda hand, given: hand.added(given.get("step")),
    "undo": lambda hand, given: hand.undo(),
    "redo": lambda hand, given: hand.redo(),
    "drop": _dropped,
    "fix": lambda hand, given: ByHand(first=hand.first, undone=hand.undone, fixed=tuple(given["columns"])),
}
