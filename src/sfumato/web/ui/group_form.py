"""The form about a group: who is meant, over what they are counted, and who looks for them."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from sfumato.core import DataError, SfumatoError
from sfumato.groups.named_values import Vital
from sfumato.jobs import Job
from sfumato.web.bench import Visit
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, choice, entry
from sfumato.web.ui.form_fields import TickList, number_field
from sfumato.web.ui.job_form import JobForm

MOST_TICKS = 40  # values; the names of more are typed
SIGNALS = {"quantity": "their number in each place", "concentration": "their share of each place"}
COUNTING = "anybody who counts them in the file"
ASKED = ("signal", "generations", "attack-generations", "seed")
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
        with html.row():
            self.auxiliary = choice(
                "Who looks for them", self._files(), value="", on_change=self._attacker_changed
            )
            self.generations = number_field("Generations", value=300, low=1, high=1_000_000)
            self.learning = number_field(
                "Generations to learn the group from a file", value=60, low=1, high=100_000
            )
            self.seed = number_field("Seed", value=0)
        self._more = JobForm(protect, beside=ASKED, summary="More options of the protection")
        self._attack = JobForm(attack, beside=ASKED, summary="More options of the attack alone")

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
        """The values that say who belongs."""
        if isinstance(self._values, TickList):
            return self._values.value
        typed = str(self._values.value) if self._values is not None else ""
        return tuple(value.strip() for value in typed.split(",") if value.strip())

    def in_words(self) -> str:
        """The group in short."""
        return f"{self.vital.value} over {self.parameter.value}"

    def settings(self, *, attack: bool) -> dict[str, Any]:
        """The settings of the job that attacks, or of the one that protects."""
        if not self.values:
            raise DataError("Tick the values that say who belongs to the group.")
        if self.parameter.value == self.vital.value:
            raise DataError(
                "The group must be counted over another column than the one that tells who belongs."
            )
        given: dict[str, Any] = {
            "vital": [Vital(self.vital.value, self.values)],
            "parameter": self.parameter.value,
            "signal": self.signal.value,
            "seed": self.seed.value,
        }
        if self.auxiliary.value:
            given["auxiliary"] = self._visit.bench.workspace.inside(self.auxiliary.value)
        if attack:
            alone = {"generations": self.learning.value, "record": "attack.record.json"}
            return {**given, **alone, **self._attack.settings()}
        return {
            **given,
            "generations": self.generations.value,
            "attack-generations": self.learning.value,
            "output": "hidden.csv",
            **self._more.settings(),
        }

    def _attacker_changed(self, file: str) -> None:
        self._attack.place.set_visibility(bool(file))
        self._told(bool(file))

    def _files(self) -> dict[str, str]:
        """The tables beside the file of the project, which an attacker may have."""
        workspace, project = self._visit.bench.workspace, self._visit.project
        below = "" if project.uploaded else project.path.parent.relative_to(workspace.folder).as_posix()
        try:
            entries = workspace.entries("" if below == "." else below)
        except SfumatoError:
            entries = []
        files = [one for one in entries if not one.is_folder and one.name != project.path.name]
        return {
            "": COUNTING,
            **{one.path: f"somebody with {one.name}, who learns what they look like" for one in files},
        }
