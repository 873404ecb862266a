"""The form about a group: who is meant, over what they are counted, and who looks for them."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from sfumato.core import DataError
from sfumato.groups.named_values import Vital
from sfumato.jobs import Job
from sfumato.web.bench import Visit
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, choice, entry
from sfumato.web.ui.job_form import JobForm
from sfumato.web.ui.tick_list import TickList

MOST_TICKS = 40  # values; the names of more are typed
SIGNALS = {"quantity": "their number in each place", "concentration": "their share of each place"}
COUNTING = "anybody who counts them in the file"
NOT_COUNTED = ("identifier", "weight", "household")


class GroupForm:
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

        async def other(_: Any) -> None:
            await changed()

        most = max(self._parameter_names, key=lambda name: self._columns[name]["distinct"])
        first = next(
            name for name in reversed(self._vital_names) if name != most or len(self._vital_names) == 1
        )
        with html.row():
            self.vital = choice(
                "Column that tells who belongs", self._vital_names, value=first, on_change=other_column
            )
            self.parameter = choice("Counted over", self._parameter_names, value=most, on_change=other)
            self.signal = choice("What is looked at", SIGNALS, value="quantity", on_change=other)
        place = ui.element("div").classes("values")
        self._draw_values(place, changed)

    def _draw_values(self, place: Any, changed: Callable[[], Awaitable[None]]) -> None:
        async def other(_: Any) -> None:
            await changed()

        categories = self._columns[self.vital.value]["categories"]
        place.clear()
        with place:
            if 0 < len(categories) <= MOST_TICKS:
                self._values = TickList("Values that say so", categories, on_change=other)
            else:
                self._values = entry("Values that say so, with commas between", on_change=other, width=40)

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
            self._seed = self._protect.ask("seed", "Seed")
        self._protect.ask_more(beside=("signal",), summary="More options of the protection")
        self._of_attack = self._attack.ask_more(
            beside=("signal", "generations", "seed"), summary="More options of the attack alone"
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
        """The job that only looks for the group."""
        shared = {"generations": self._learning.value, "seed": self._seed.value}
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
        return {
            "vital": [Vital(self.vital.value, self.values)],
            "parameter": self.parameter.value,
            "signal": self.signal.value,
            "auxiliary": self._visit.bench.workspace.inside(file) if file else None,
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
