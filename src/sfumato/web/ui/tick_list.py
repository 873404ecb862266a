"""Boxes to tick, several at once."""

from collections.abc import Collection, Sequence
from html import escape
from typing import Any

from nicegui.element import Element

from sfumato.web.ui.fields import Changed


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
