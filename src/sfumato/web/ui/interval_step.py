"""Intervals of numbers, with what each would hold and show; and days by the calendar."""

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from sfumato.core import DataError
from sfumato.web.ui import html
from sfumato.web.ui.fields import choice, entry
from sfumato.web.ui.step_kind import OfNumbers, Step, StepKind, is_of_days, numbers_in

VALUES = {"middle": "its middle", "mean": "the mean of its records"}
CALENDAR = {
    "month": "its month",
    "quarter": "its quarter",
    "year": "its year",
    "decade": "its decade",
    "age": "the age at a day",
}


class Intervals(OfNumbers):
    """Put numbers into intervals."""

    def draw_fields(self) -> None:
        super().draw_fields()
        with html.row():
            self.count = entry("Or so many intervals", value="5", width=6)
            html.action("of equal width", lambda: self._propose("widths"), kind="plain")
            html.action("of equally many records", lambda: self._propose("records"), kind="plain")
        self._listed = html.said_aloud()

    def draw_numbers(self) -> None:
        self._value = "middle"
        self._typed = ui.element("div")
        self._draw_cuts([])
        choice("and is shown by", VALUES, value="middle", on_change=self._show_by)

    def said(self) -> Step:
        cuts = sorted(numbers_in("The cuts", self.cuts))
        if not cuts:
            raise DataError("Say where the intervals begin, such as 18, 30, 45, 65.")
        return {"method": "intervals", "cuts": cuts, "value": self._value}

    def _draw_cuts(self, cuts: list[float]) -> None:
        self._typed.clear()
        with self._typed:
            self.cuts = entry(
                "Each interval begins at",
                hint="such as 18, 30, 45, 65",
                value=", ".join(f"{cut:.12g}" for cut in cuts),
                width=28,
                on_change=self._look,
            )

    async def _show_by(self, value: str) -> None:
        self._value = value
        await self._look("")

    async def _look(self, _: str) -> None:
        """What the intervals that were typed come to."""
        self._listed.clear()
        if str(self.cuts.value or "").strip():
            await html.attempted(self._listed, "Counting …", self._list_typed)

    async def _list_typed(self) -> None:
        await self._list(cuts=numbers_in("The cuts", self.cuts))

    async def _propose(self, way: str) -> None:
        async def proposed() -> None:
            count = numbers_in("How many intervals", self.count)[:1]
            self._draw_cuts(await self._list(by=way, count=int(count[0]) if count else 0))

        await html.attempted(self._listed, "Counting …", proposed)

    async def _list(self, **asked: Any) -> list[float]:
        """Draw the intervals with their shares; each can be joined with the next, or cut in two."""
        found = await self.ask("intervals", {"column": self.column["name"], "value": self._value, **asked})
        cuts: list[float] = found["cuts"]
        self._listed.clear()
        with self._listed, ui.element("table").classes("facts recode"):
            html.words("What each interval would hold and show", tag="caption")
            with ui.element("thead"), ui.element("tr"):
                for head in ("From", "To below", "Records", "Shown as", "Change"):
                    html.words(head, tag="th").props("scope=col")
            with ui.element("tbody"):
                for place, row in enumerate(found["rows"]):
                    self._draw_interval(row, cuts, place)
        return cuts

    def _draw_interval(self, row: Mapping[str, Any], cuts: list[float], place: int) -> None:
        start, end = (_number(row[one]) for one in ("from", "below"))
        name = f"{start or 'the lowest'} to {f'below {end}' if end else 'the highest'}"
        with ui.element("tr"):
            html.words(start or "the lowest", tag="th", kind="figure").props("scope=row")
            html.words(end or "the highest", tag="td", kind="figure")
            html.words(f"{row['share']:.1f} %", tag="td", kind="figure")
            html.words(_number(row["shown"]), tag="td", kind="figure")
            with ui.element("td"), html.row():
                if place < len(cuts):
                    joined = [cut for at, cut in enumerate(cuts) if at != place]
                    self._action("Join with the next", name, joined)
                if 0 < place < len(cuts):
                    halved = sorted({*cuts, (row["from"] + row["below"]) / 2})
                    self._action("Cut in two", name, halved)

    def _action(self, text: str, name: str, cuts: list[float]) -> None:
        async def change() -> None:
            self._draw_cuts(cuts)
            await self._look("")

        html.action(text, change, kind="plain").props["aria-label"] = f"{text}: {name}"


class Days(StepKind):
    """Make days coarser by the calendar."""

    def fits(self, column: Mapping[str, Any]) -> bool:
        return is_of_days(column)

    def draw_fields(self) -> None:
        with html.row():
            self.unit = choice("Each day is shown by", CALENDAR, value="month", on_change=self._choose)
            self._place = ui.element("div")
        self.at: Any = None

    def said(self) -> Step:
        method = "intervals" if self.column["scale"] == "numeric" else "recoding"
        day = {"at": str(self.at.value or "").strip()} if self.unit.value == "age" else {}
        if day == {"at": ""}:
            raise DataError("Say at which day ages are counted, such as 2024-01-31.")
        return {"method": method, "calendar": self.unit.value, **day}

    def _choose(self, unit: str) -> None:
        self._place.clear()
        if unit == "age":
            with self._place:
                self.at = entry("at the day", hint="such as 2024-01-31", width=12)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.12g}"
