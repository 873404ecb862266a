"""What the fields of a form say: numbers within bounds, and the boxes that are ticked."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from sfumato.core import ParameterError
from sfumato.web import pieces
from sfumato.web.fields import Field, Tick, entry, tick


@dataclass(frozen=True)
class NumberField:
    """A field that holds a number, with its bounds."""

    label: str
    field: Field
    low: float
    high: float
    whole: bool

    @property
    def value(self) -> Any:
        """The number; something else is refused, and the field marked."""
        try:
            number = (int if self.whole else float)(str(self.field.value).strip().replace(",", "."))
        except ValueError:
            number = None
        wrong = number is None or not self.low <= number <= self.high
        self.field.complain(wrong)
        if wrong:
            raise ParameterError(f"{self.label} must be {self._bounds}. Got {str(self.field.value)[:20]!r}.")
        return number

    @property
    def _bounds(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        top = "" if self.high == float("inf") else f" and at most {self.high:,.12g}"
        return f"{kind} of at least {self.low:,.12g}{top}"


def number_field(
    label: str, *, value: float, low: float = 0, high: float = float("inf"), whole: bool = True
) -> NumberField:
    """A field for a number."""
    field = entry(label, value=f"{value:g}", width=7)
    field.props("inputmode=numeric" if whole else "inputmode=decimal")
    return NumberField(label, field, low, high, whole)


@dataclass(frozen=True)
class TickList:
    """Boxes to tick, one for each name."""

    boxes: dict[str, Tick]

    @property
    def value(self) -> tuple[str, ...]:
        """The names that are ticked, in their order."""
        return tuple(name for name, box in self.boxes.items() if box.value)


def tick_list(
    label: str,
    names: Sequence[str],
    *,
    ticked: Collection[str] = (),
    on_change: Callable[[Any], Any] | None = None,
) -> TickList:
    """A group of boxes under a label."""
    with ui.element("fieldset").classes("ticks"):
        pieces.words(label, tag="legend")
        return TickList({name: tick(name, value=name in ticked, on_change=on_change) for name in names})
