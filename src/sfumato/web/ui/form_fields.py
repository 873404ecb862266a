"""What the fields of a form say: numbers within bounds, and the boxes that are ticked."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from nicegui.element import Element

from sfumato.core import ParameterError
from sfumato.web.ui.fields import Changed, Field, entry


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


class TickList(Element):
    """Boxes to tick, one for each name; `on_change` is told which are. `bare` hides the label from sight.

    All boxes are one element: elements of their own would take most of the time that a page with many takes.
    """

    def __init__(
        self,
        label: str,
        names: Sequence[str],
        *,
        ticked: Collection[str] = (),
        on_change: Changed | None = None,
        bare: bool = False,
    ) -> None:
        super().__init__("fieldset")
        self._ticked = {name: name in ticked for name in names}
        self._on_change = on_change
        self.classes("ticks")
        hidden = ' class="hidden-words"' if bare else ""
        self.props["innerHTML"] = f"<legend{hidden}>{escape(label)}</legend>" + "".join(
            f'<label class="tick"><input type="checkbox" value="{escape(name)}"{" checked" if on else ""}>'
            f"<span>{escape(name)}</span></label>"
            for name, on in self._ticked.items()
        )
        told = "(event) => emit([event.target.value, event.target.checked])"
        self.on("change", self._changed, js_handler=told)

    @property
    def value(self) -> tuple[str, ...]:
        """The names that are ticked, in their order."""
        return tuple(name for name, on in self._ticked.items() if on)

    def _changed(self, event: Any) -> Any:
        name, on = event.args
        if name in self._ticked:
            self._ticked[name] = bool(on)
        return self._on_change(self.value) if self._on_change is not None else None
