"""Group anonymity: where a group of people is, and how to hide it."""

from collections.abc import Callable

from fastapi import APIRouter
from nicegui import ui
from nicegui.element import Element

from sfumato.jobs import Job
from sfumato.web.bench import Bench, NavigationEntry, Visit
from sfumato.web.runs.chosen_point import answer_routes
from sfumato.web.ui import html
from sfumato.web.ui.group_form import GroupForm
from sfumato.web.ui.group_results import draw_attack, draw_protection, draw_today
from sfumato.web.ui.run_list import RunList
from sfumato.web.ui.run_view import RunView

NAVIGATION = NavigationEntry(
    title="Groups",
    about="Even if nobody can be found in a file, places with far too many of a group can: an area full of soldiers "
    "gives a base away. Here you see which places stand out, and let members trade places with similar people "
    "until none does.",
)
PROTECT, ATTACK = "groups protect", "groups attack"
DRAWN = {PROTECT: ("group_protection", draw_protection), ATTACK: ("group_attack", draw_attack)}


def routes(bench: Bench) -> APIRouter:
    return answer_routes(bench, *(question for question, _ in DRAWN.values()))


async def draw(visit: Visit) -> None:
    with html.waiting(f"Reading {visit.project.name} …"):
        columns = (await visit.ask("columns"))["columns"]
        jobs = {name: await visit.job(name) for name in DRAWN}
    form = GroupForm(visit, columns)
    if not form.can_be_asked:
        html.notice(
            "A group is told by a column of categories, and counted over another one: this file has none."
        )
        return

    with html.panel("Who is meant, and where they are counted"):
        form.draw(lambda: _look(visit, form, today))
    today, doing = ui.element("div"), ui.element("div")
    runs = RunView(visit, DRAWN).runs
    with doing, html.panel("Hide them", about="The file is attacked, protected, and attacked again."):
        form.draw_options(jobs[PROTECT], jobs[ATTACK])
        _draw_actions(form, runs)
    await _look(visit, form, today)
    await runs.begin()


async def _look(visit: Visit, form: GroupForm, today: Element) -> None:
    """Draw where the group is in the file as it is."""
    asked = form.question()
    found = await visit.ask("group_signals", asked) if asked else None
    if asked != form.question():  # the last one asked for is the one shown
        return
    today.clear()
    with today:
        if found is None:
            html.notice("Tick the values that say who belongs to the group, to see where they are.")
        else:
            draw_today(found)


def _draw_actions(form: GroupForm, runs: RunList) -> None:
    async def start(job: Callable[[], Job], does: str) -> None:
        await runs.start(job(), label=f"{does} {form.in_words()}")

    with html.row():
        html.action("Hide the group", lambda: start(form.protection, "hide"), kind="main")
        attack = html.action("Only try the attack", lambda: start(form.attack, "attack"))
    form.when_attacked_by(attack.set_visibility)
