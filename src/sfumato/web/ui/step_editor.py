"""The editor of a step: what to do, to which column, and the fields that this takes."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato.core import DataError, parameters, registry
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, TickList, choice, entry
from sfumato.web.ui.hierarchy_step import Groups
from sfumato.web.ui.interval_step import Days, Intervals
from sfumato.web.ui.job_form import OptionField, option_field
from sfumato.web.ui.step_kind import Ask, OfNumbers, Step, StepKind, numbers_in

Take = Callable[[Step], Awaitable[bool]]

MOST_ROWS = 200  # categories that can be edited one by one
NOT_CHANGED = ("identifier", "weight", "household")


class StepEditor:
    """What is asked hangs on what is to be done; `take` is given the step, and says whether it was taken."""

    def __init__(self, take: Take, ask: Ask) -> None:
        self._take, self._ask = take, ask
        self._what = next(iter(KINDS))
        self._columns: Sequence[dict[str, Any]] = ()
        with html.row():
            words = {name: kind.in_words() for name, kind in KINDS.items()}
            choice("What to do", words, value=self._what, on_change=self._choose)
        self._place = ui.element("div").classes("step-editor")
        self.said = html.said_aloud()

    async def draw(self, columns: Sequence[dict[str, Any]]) -> None:
        """Draw the fields for the columns as the last step left them."""
        self._columns = [one for one in columns if one["role"] not in NOT_CHANGED]
        self._place.clear()
        kind = KINDS[self._what](self._ask)
        fitting = [one for one in self._columns if kind.fits(one)]
        with self._place:
            if not fitting:
                html.words("No column is of a kind for this step.", kind="faint")
                return
            await kind.draw(fitting)

            async def add() -> None:
                step = await html.attempted(self.said, "Reading the step …", lambda: _read(kind))
                if step is not None:
                    await self._take(step)

            html.action("Take this step", add, kind="main")

    async def _choose(self, what: str) -> None:
        self._what = what if what in KINDS else self._what
        self.said.clear()
        await self.draw(self._columns)


async def _read(kind: "StepKind") -> Step:
    return kind.step()


class Recode(StepKind):
    """Merge or rename categories."""

    def fits(self, column: Mapping[str, Any]) -> bool:
        return bool(column["scale"] != "numeric") and 0 < len(column["categories"]) <= MOST_ROWS

    def draw_fields(self) -> None:
        html.words(
            "Write a new name beside the categories that are to change; those with the same name are merged. "
            "A new name must be one that no category had.",
            kind="small faint",
        )
        column = self.column
        self._becomes: dict[str, Field] = {}
        shown = column["distribution"] or {"labels": (), "shares": ()}
        shares = dict(zip(shown["labels"], shown["shares"], strict=True))
        with (
            ui.element("div").classes("scrolling list long").props("tabindex=0 role=region") as region,
            ui.element("table").classes("facts recode"),
        ):
            region.props["aria-label"] = f"Categories of {column['name']}"
            html.words(f"Categories of {column['name']}", tag="caption", kind="hidden-words")
            with ui.element("thead"), ui.element("tr"):
                for head in ("Category", "Records", "Becomes"):
                    html.words(head, tag="th").props("scope=col")
            with ui.element("tbody"):
                for name in column["categories"]:
                    self._draw_row(name, column["labels"].get(name, ""), shares.get(name))
        self.others = entry("All others become", hint="they stay", width=16)

    def _draw_row(self, name: str, label: str, share: float | None) -> None:
        with ui.element("tr"):
            with ui.element("th").props("scope=row"):
                html.words(name, tag="span")
                if label:
                    html.words(label, tag="div", kind="faint small")
            html.words("" if share is None else f"{share:.1f} %", tag="td", kind="figure")
            with ui.element("td"):
                self._becomes[name] = entry(f"What {name} becomes", hint="stays", bare=True, width=16)

    def said(self) -> Step:
        to: dict[str, list[str]] = {}
        for old, field in self._becomes.items():
            new = str(field.value or "").strip()
            if new and new != old:
                to.setdefault(new, []).append(old)
        others = str(self.others.value or "").strip()
        if not to and not others:
            raise DataError("Write a new name beside at least one category.")
        return {"method": "recoding", **({"to": to} if to else {}), **({"others": others} if others else {})}


class Level(StepKind):
    """Go up a hierarchy."""

    def fits(self, column: Mapping[str, Any]) -> bool:
        return bool(column["hierarchy"])

    def draw_fields(self) -> None:
        rows = self.column["hierarchy"]
        depth = len(rows[0])
        levels = {str(level): _level_words(rows, level) for level in range(1, depth)}
        self.level = choice("Up to", levels, value="1")
        html.words("The page Data holds the hierarchy, under Details.", kind="small faint")

    def said(self) -> Step:
        return {"method": "global_recoding", "level": int(self.level.value)}


def _level_words(rows: Sequence[Sequence[str]], level: int) -> str:
    """What a level of a hierarchy holds.

    >>> _level_words([("Lleida", "Catalonia", "Spain"), ("Soria", "Castile", "Spain")], 1)
    'level 1: Catalonia, Castile'
    """
    names = list(dict.fromkeys(row[level] for row in rows))
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return f"level {level}: {', '.join(names[:4])}{more}"


class Ends(OfNumbers):
    """Cut off the ends (top and bottom coding)."""

    def draw_numbers(self) -> None:
        self.bottom = entry("No number below", hint="none", width=10)
        self.top = entry("No number above", hint="none", width=10)

    def said(self) -> Step:
        ends = {
            "top": numbers_in("The top", self.top)[:1],
            "bottom": numbers_in("The bottom", self.bottom)[:1],
        }
        given = {name: value[0] for name, value in ends.items() if value}
        if not given:
            raise DataError("Say the largest or the smallest number that may be shown.")
        return {"method": "top_bottom_coding", **given}


class Round(OfNumbers):
    """Round numbers."""

    def draw_numbers(self) -> None:
        self.base = entry("To multiples of", hint="such as 100", width=10)

    def said(self) -> Step:
        base = numbers_in("What to round to", self.base)
        if not base:
            raise DataError("Say what numbers become multiples of, such as 100.")
        return {"method": "rounding", "base": base[0]}


class Suppress(StepKind):
    """Empty cells where something is true."""

    def draw_fields(self) -> None:
        self.where = entry("Where", hint="such as age > 90 and region = Soria", width=36)
        html.words(
            "Conditions compare a column with a value: =, !=, <, <=, >, >=, joined by and.",
            kind="small faint",
        )

    def said(self) -> Step:
        where = str(self.where.value or "").strip()
        if not where:
            raise DataError("Say where the cells are emptied, such as age > 90.")
        return {"method": "suppression", "where": where}


class Remove(StepKind):
    """Leave the column out."""

    def said(self) -> Step:
        return {"method": "removal"}


class Alone(StepKind):
    """Empty as few cells as possible until nobody stands alone."""

    async def draw(self, columns: Sequence[dict[str, Any]]) -> None:
        names = [one["name"] for one in columns]
        keys = [one["name"] for one in columns if one["role"] == "key"]
        self.names = TickList("Columns that count together", names, ticked=keys)
        with html.row():
            self.k = entry("Everybody shares their values with at least", value="3", width=6)

    def fits(self, column: Mapping[str, Any]) -> bool:
        return bool(column["scale"] != "numeric" or column["role"] == "key")

    def step(self) -> Step:
        k = numbers_in("The least number", self.k)
        if not self.names.value or not k:
            raise DataError("Tick the columns that count together, and say how many records must be alike.")
        return {"method": "local_suppression", "k": int(k[0]), "attributes": list(self.names.value)}


class AnyMethod(StepKind):
    """Any other method."""

    async def draw(self, columns: Sequence[dict[str, Any]]) -> None:
        names = [one["name"] for one in columns]
        self.names = TickList("Columns", names)
        with html.row():
            self.method = choice("Method", registry.names("masking"), value="mdav", on_change=self._choose)
        self._below = ui.element("div").classes("step-fields")
        await self._choose("mdav")

    async def _choose(self, name: str) -> None:
        method = await asyncio.to_thread(registry.load, "masking", name)
        self._below.clear()
        with self._below:
            html.words(method.summary(), kind="small faint")
            with ui.element("div").classes("options"):
                self.fields: dict[str, OptionField] = {
                    one.name: option_field(name, one)
                    for one in parameters(method).values()
                    if one.name != "attributes"
                }

    def step(self) -> Step:
        given = {
            name: value for name, field in self.fields.items() if (value := field.plain_said()) is not None
        }
        return {"method": self.method.value, "attributes": list(self.names.value), **given}


KINDS: dict[str, type[StepKind]] = {
    "recode": Recode,
    "groups": Groups,
    "intervals": Intervals,
    "days": Days,
    "ends": Ends,
    "round": Round,
    "level": Level,
    "suppress": Suppress,
    "remove": Remove,
    "alone": Alone,
    "any": AnyMethod,
}
