"""What would help where nothing meets what is required, each with a way to take it as a step by hand."""

import asyncio
from functools import partial
from typing import Any

from nicegui import ui

from sfumato.web.bench import Visit
from sfumato.web.hand_steps import keep_steps, kept_steps
from sfumato.web.runs.run_state import RunState
from sfumato.web.ui import html


def draw_remedies(visit: Visit, run: RunState) -> None:
    """A line for each requirement that something was tried for."""
    for remedy in run.remedies:
        with ui.element("div").classes("remedy"):
            html.words(_in_words(remedy))
            html.told_action("Take this as a step by hand", partial(_take, visit, remedy), kind="")


async def _take(visit: Visit, remedy: dict[str, Any]) -> None:
    asked = {"settings": kept_steps(visit.project), "do": "add", "step": remedy["spec"]}
    found = await visit.ask("by_hand", asked)
    await asyncio.to_thread(keep_steps, visit.project, found["settings"])
    ui.navigate.to(visit.address("by_hand"))


def _in_words(remedy: dict[str, Any]) -> str:
    """What was tried, and what came of it.

    >>> spec = {"method": "generalisation", "k": 10, "suppress": 5.0}
    >>> _in_words({"gate": "an intruder finds at most 5 people in 100", "reading": 3.67, "met": True, "spec": spec})
    'What would help: coarser values until 10 records are alike, with up to 5 % of the records emptied. Required is: an intruder finds at most 5 people in 100; it would be 3.67, which meets it.'
    """
    spec = remedy["spec"]
    what = f"coarser values until {spec.get('k')} records are alike"
    if spec.get("suppress"):
        what += f", with up to {spec['suppress']:g} % of the records emptied"
    met = "which meets it" if remedy["met"] else "which does not meet it yet"
    return (
        f"What would help: {what}. Required is: {remedy['gate']}; it would be {remedy['reading']:.3g}, {met}."
    )
