"""Group anonymity: where a group of people is, and how to hide it."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import APIRouter
from nicegui import ui
from nicegui.element import Element

from sfumato.core import DataError
from sfumato.groups.named_values import Vital
from sfumato.jobs import Job
from sfumato.web.bench import Bench, Columns, NavigationEntry, Visit
from sfumato.web.runs.chosen_point import answer_routes
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, TickList, choice, entry
from sfumato.web.ui.group_results import draw_attack, draw_protection, draw_today
from sfumato.web.ui.job_form import JobForm
from sfumato.web.ui.run_list import RunList, RunView


def _fits(columns: Columns) -> bool:
    """Whether there are categories, of places and of people."""
    return len([column for column in columns if column["scale"] != "numeric"]) > 1


NAVIGATION = NavigationEntry(
    title="Groups",
    about="Even if nobody can be found in a file, places with far too many of a group can: an area full of soldiers "
    "gives a base away. Here you see which places stand out, and let members trade places with similar people "
    "until none does.",
    fits=_fits,
)
PROTECT, ATTACK = "groups protect", "groups attack"
MOST_TICKS = 40  # values; the names of more are typed
SIGNALS = {"quantity": "their number in each place", "concentration": "their share of each place"}
COUNTING = "anybody who counts them in the file"
NOT_COUNTED = ("identifier", "weight", "household")
DRAWN = {PROTECT: ("group_protection", draw_protection), ATTACK: ("group_attack", draw_attack)}


def routes(bench: Bench) -> APIRouter:
    return answer_routes(bench, *(question for question, _ in DRAWN.values()))


async def draw(visit: Visit) -> None:
    with html.waiting(f"Reading {visit.project.name} …"):
        columns = (await visit.ask("columns"))["columns"]
        jobs = {name: await visit.job(name) for name in DRAWN}
    form = _GroupForm(visit, columns)
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


class _GroupForm:
    """The fields, and what they come to: a question about the group, or the settings of a job."""

    def __init__(self, visit: Visit, columns: list[dict[str, Any]]) -> None:
        usable = [column for column in columns if column["role"] not in NOT_COUNTED]
        self._columns = {column["name"]: column for column in usable}
        self._visit = visit
        telling = [column for column in usable if column["scale"] != "numeric"]
        self._parameter_names = [column["name"] for column in usable if 2 < column["distinct"] <= 2000]
        self._vital_names = [column["name"] for column in telling]
        self._values: TickList | Field | None = None

    @property
    def can_be_asked(self) -> bool:
        """Whether the file has columns for it."""
        return bool(self._vital_names and set(self._parameter_names) - set(self._vital_names[:1]))

    def draw(self, changed: Callable[[], Awaitable[None]]) -> None:
        """Draw who is meant and where they are counted; `changed` is called when that is another."""

        async def other_column(_: Any) -> None:
            self._draw_values(place, changed)
            await changed()

        most = max(self._parameter_names, key=lambda name: self._columns[name]["distinct"])
        first = next(
            name for name in reversed(self._vital_names) if name != most or len(self._vital_names) == 1
        )
        with html.row():
            self.vital = choice(
                "Column that tells who belongs", self._vital_names, value=first, on_change=other_column
            )
            self.parameter = choice(
                "Counted over", self._parameter_names, value=most, on_change=lambda _: changed()
            )
            self.signal = choice(
                "What is looked at", SIGNALS, value="quantity", on_change=lambda _: changed()
            )
        place = ui.element("div").classes("values")
        self._draw_values(place, changed)

    def _draw_values(self, place: Any, changed: Callable[[], Awaitable[None]]) -> None:
        categories = self._columns[self.vital.value]["categories"]
        place.clear()
        with place:
            if 0 < len(categories) <= MOST_TICKS:
                self._values = TickList("Values that say so", categories, on_change=lambda _: changed())
            else:
                self._values = entry(
                    "Values that say so, with commas between", on_change=lambda _: changed(), width=40
                )

    def draw_options(self, protect: type[Job], attack: type[Job]) -> None:
        """Draw who attacks, and what the protection and the attack may do."""
        self._protect, self._attack = JobForm(protect), JobForm(attack)
        with html.row():
            self.auxiliary = choice(
                "Who looks for them", self._files(), value="", on_change=self._attacker_changed
            )
            self._protect.ask("generations", "Generations", value=300)
            self._learning = self._protect.ask(
                "attack-generations", "Generations to learn the group from a file", value=60
            )
        self._protect.ask_more(beside=("signal",), summary="More options of the protection")
        self._of_attack = self._attack.ask_more(
            beside=("signal", "generations"), summary="More options of the attack alone"
        )

    def when_attacked_by(self, told: Callable[[bool], Any]) -> None:
        """Tell somebody whether the attacker has a file, now and whenever that changes."""
        self._told = told
        self._attacker_changed(self.auxiliary.value)

    def question(self) -> dict[str, Any] | None:
        """What to ask about the group; nothing where no value is chosen."""
        if not self.values:
            return None
        return {
            "vital": self.vital.value,
            "values": list(self.values),
            "parameter": self.parameter.value,
            "signal": self.signal.value,
        }

    @property
    def values(self) -> tuple[str, ...]:
        if isinstance(self._values, TickList):
            return self._values.value
        typed = str(self._values.value) if self._values is not None else ""
        return tuple(value.strip() for value in typed.split(",") if value.strip())

    def in_words(self) -> str:
        return f"{self.vital.value} over {self.parameter.value}"

    def protection(self) -> Job:
        return self._protect.made(self._visit.project, {**self._settings(), "output": "hidden.csv"})

    def attack(self) -> Job:
        shared = {"generations": self._learning.value}
        return self._attack.made(
            self._visit.project, {**self._settings(), **shared, "record": "attack.record.json"}
        )

    def _settings(self) -> dict[str, Any]:
        if not self.values:
            raise DataError("Tick the values that say who belongs to the group.")
        if self.parameter.value == self.vital.value:
            raise DataError(
                "The group must be counted over another column than the one that tells who belongs."
            )
        file = self.auxiliary.value
        known = {"auxiliary": self._visit.bench.workspace.inside(file)} if file else {}
        return known | {
            "vital": [Vital(self.vital.value, self.values)],
            "parameter": self.parameter.value,
            "signal": self.signal.value,
        }

    def _attacker_changed(self, file: str) -> None:
        self._of_attack.set_visibility(bool(file))
        self._told(bool(file))

    def _files(self) -> dict[str, str]:
        """The tables beside the file of the project, which an attacker may have."""
        files = self._visit.bench.workspace.beside(self._visit.project)
        return {
            "": COUNTING,
            **{one.path: f"somebody with {one.name}, who learns what they look like" for one in files},
        }


async def _look(visit: Visit, form: _GroupForm, today: Element) -> None:
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


def _draw_actions(form: _GroupForm, runs: RunList) -> None:
    async def start(job: Callable[[], Job], does: str) -> None:
        await runs.start(job(), label=f"{does} {form.in_words()}")

    with html.row():
        html.action("Hide the group", lambda: start(form.protection, "hide"), kind="main")
        attack = html.action("Only try the attack", lambda: start(form.attack, "attack"))
    form.when_attacked_by(attack.set_visibility)
