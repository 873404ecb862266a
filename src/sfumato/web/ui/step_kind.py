"""What every kind of step by hand has: the columns that it fits, its fields, and the step that they make."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato.core import DataError
from sfumato.web.ui import html
from sfumato.web.ui.column_table import small_picture
from sfumato.web.ui.fields import Field, choice

Step = dict[str, Any]  # a method and its parameters
Ask = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Asks a question about the file as the last step left it."""


class StepKind:
    """One kind of step: the columns it fits, its fields, and the step they make. What it does is its docstring."""

    @classmethod
    def in_words(cls) -> str:
        return inspect.cleandoc(cls.__doc__ or "").removesuffix(".")

    def __init__(self, ask: Ask) -> None:
        self.ask = ask

    def fits(self, column: Mapping[str, Any]) -> bool:
        return True

    async def draw(self, columns: Sequence[dict[str, Any]]) -> None:
        self.by_name = {one["name"]: one for one in columns}
        with html.row():
            self.name = choice(
                "Column", list(self.by_name), value=columns[0]["name"], on_change=self._changed
            )
        self._below = ui.element("div").classes("step-fields")
        self._changed(columns[0]["name"])

    @property
    def column(self) -> dict[str, Any]:
        return self.by_name[self.name.value]

    def step(self) -> Step:
        return {**self.said(), "attributes": [self.column["name"]]}

    def said(self) -> Step:
        raise NotImplementedError

    def draw_fields(self) -> None:
        """The fields for the column that is chosen."""

    def _changed(self, name: str) -> None:
        if self._below.props.get("data-column") == name:  # what was typed for it stays
            return
        self._below.clear()
        with self._below:
            self.draw_fields()
        self._below.props["data-column"] = name  # so that scripts see that the fields are those of the column


class OfNumbers(StepKind):
    """Something that is done to numbers, which are shown as small bars."""

    def fits(self, column: Mapping[str, Any]) -> bool:
        return bool(column["scale"] == "numeric") and not is_of_days(column)

    def draw_fields(self) -> None:
        ui.html(small_picture(self.column), sanitize=False)
        with html.row():
            self.draw_numbers()

    def draw_numbers(self) -> None:
        raise NotImplementedError


def is_of_days(column: Mapping[str, Any]) -> bool:
    """Whether a column holds days or moments, as numbers or as categories."""
    return column["storage"] in ("date", "timestamp")


def numbers_in(what: str, field: Field) -> list[float]:
    """The numbers that were typed, between commas or blanks."""
    try:
        found = [float(part) for part in str(field.value or "").replace(",", " ").replace(";", " ").split()]
    except ValueError:
        field.complain(True)
        raise DataError(f"{what}: write numbers, such as 18, 30, 45; a decimal point is a point.") from None
    field.complain(False)
    return found
