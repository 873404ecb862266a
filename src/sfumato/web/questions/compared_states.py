"""Two states of work by hand beside each other: their figures, what changed between them, and their distributions.

`states` are the numbers of two of them, 0 for the file as it was collected; `settings` the steps so far.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.core import DataError
from sfumato.data import Attribute, Table
from sfumato.plots import changed_share
from sfumato.web.questions._hand_work import asked_hand, hand_work
from sfumato.web.questions._step_words import step_in_words
from sfumato.web.questions.before_after import column_shares
from sfumato.web.questions.process.project_data import ProjectData, listed


@dataclass(frozen=True)
class _TwoStates:
    """The records that both have, before and after the steps between them."""

    original: Table
    aligned: Table


def compared_states(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    states = hand_work(held, asked_hand(arguments)).states
    numbers = sorted(int(number) for number in listed(arguments.get("states", "0")))
    if len(numbers) != 2 or not 0 <= numbers[0] < numbers[1] < len(states):
        raise DataError("Choose two different states of the list to compare.")
    earlier, later = (states[number] for number in numbers)
    stayed = np.isin(earlier.rows, later.rows)
    pair = _TwoStates(earlier.table.take(np.flatnonzero(stayed)), _in_terms_of(earlier.table, later.table))
    return {
        "states": numbers,
        "titles": [_title(state) for state in (earlier, later)],
        "effects": [state.effect.to_dict() for state in (earlier, later)],
        "records": [state.table.n for state in (earlier, later)],
        "columns": column_shares(pair),
        "changed": {name: changed_share(pair.original, pair.aligned, name) for name in later.table.names},
    }


def _title(state: Any) -> str:
    return "As collected" if state.step is None else step_in_words(state.step)


def _in_terms_of(earlier: Table, later: Table) -> Table:
    """The later table, whose merged categories say which of the earlier ones they stand for."""
    changed = [
        attribute.evolve(covers=_covered(earlier.schema[attribute.name], attribute))
        for attribute in later.schema
        if attribute.covers and earlier.schema[attribute.name].covers
    ]
    return later.replace({}, changed) if changed else later


def _covered(earlier: Attribute, later: Attribute) -> dict[str, tuple[str, ...]]:
    """The categories of an attribute by those that it had before; both know which collected ones they stand for."""
    before = {name: set(earlier.covers.get(name, (name,))) for name in earlier.categories}
    found = {}
    for name in later.categories:
        stands_for = set(later.covers.get(name, (name,)))
        found[name] = tuple(old for old, collected in before.items() if collected <= stands_for)
    return {name: old for name, old in found.items() if old != (name,)}
