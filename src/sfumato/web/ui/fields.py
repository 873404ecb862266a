"""Labelled fields: native ones, which every keyboard and screen reader knows."""

from collections.abc import Callable, Collection, Mapping, Sequence
from html import escape
from typing import Any

from nicegui import ui
from nicegui.element import Element

Changed = Callable[[Any], Any]


class Field(Element):
    """A native control that knows its value; `on_change` is told of each new one.

    The browser holds what is typed. It is given the first value as an attribute (`^` says so), never as a property:
    a property would be set again whenever anything on the page changes, over what somebody is typing.
    """

    held_in = "value"

    def __init__(self, tag: str, value: Any, on_change: Changed | None = None) -> None:
        super().__init__(tag)
        self.value = value
        self._on_change = on_change
        self.classes("control")
        self.on("change", self._changed, js_handler=f"(event) => emit(event.target.{self.held_in})")
        if tag == "textarea":
            self._text = value
        elif tag == "input" and value is not False:  # an attribute that is there counts, whatever it says
            self.props[f"^{self.held_in}"] = value

    def complain(self, wrong: bool) -> None:
        """Mark the control as one that holds something wrong, or as right again."""
        self.props("aria-invalid=true") if wrong else self.props(remove="aria-invalid")

    def _changed(self, event: Any) -> Any:
        self.value = event.args
        return self._on_change(self.value) if self._on_change is not None else None


class Tick(Field):
    """A box to tick."""

    held_in = "checked"


def choice(
    label: str,
    options: Mapping[str, str] | Sequence[str],
    *,
    value: str,
    on_change: Changed | None = None,
    bare: bool = False,
) -> Field:
    """A choice of one of several; a mapping gives the words for each value. `bare` hides the label from sight."""
    named = options if isinstance(options, Mapping) else {option: option for option in options}
    control = _labelled(label, "select", value, on_change, bare=bare)
    # all at once: elements of their own would take most of the time that a page of many choices takes
    control.props["innerHTML"] = "".join(
        f'<option value="{escape(option)}"{" selected" if option == value else ""}>{escape(text)}</option>'
        for option, text in named.items()
    )
    return control


def entry(
    label: str,
    *,
    value: str = "",
    on_change: Changed | None = None,
    hint: str = "",
    bare: bool = False,
    width: int = 0,
) -> Field:
    """A line of text; `width` is how many characters it shows."""
    control = _labelled(label, "input", value, on_change, bare=bare)
    control.props["type"] = "text"
    control.props["autocomplete"] = "off"
    if hint:
        control.props["placeholder"] = hint
    if width:
        control.props["size"] = width
    return control


def lines(
    label: str, *, value: str = "", on_change: Changed | None = None, hint: str = "", accept: str = ""
) -> Field:
    """Several lines of text; with `accept`, such as ".csv", they may also be taken from a file."""
    control = _labelled(label, "textarea", value, on_change, bare=False)
    control.props["placeholder"] = hint
    control.props["spellcheck"] = "false"
    if accept:
        with ui.element("label").classes("field small"):
            ui.html("or take it from a file", tag="span", sanitize=False)
            chooser = ui.element("input").props("type=file").props(f"accept={accept}")
        chooser.on("change", js_handler=f"(event) => fillFrom(event.target, '{control.html_id}')")
    return control


def tick(label: str, *, value: bool = False, on_change: Changed | None = None) -> Tick:
    with ui.element("label").classes("tick"):
        control = Tick("input", value, on_change)
        control.props["type"] = "checkbox"
        ui.html(escape(label), tag="span", sanitize=False)
    return control


def _labelled(label: str, tag: str, value: str, on_change: Changed | None, *, bare: bool) -> Field:
    if bare:
        control = Field(tag, value, on_change)
        control.props["aria-label"] = label
        return control
    with ui.element("div").classes("field"):
        shown = ui.html(escape(label), tag="label", sanitize=False)
        control = Field(tag, value, on_change)
        shown.props["for"] = control.html_id
    return control


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
        self._on_change = on_change
        self.classes("ticks")
        hidden = ' class="hidden-words"' if bare else ""
        self._legend = f"<legend{hidden}>{escape(label)}</legend>"
        self._names = tuple(names)
        self.put(ticked)
        told = "(event) => emit([event.target.value, event.target.checked])"
        self.on("change", self._changed, js_handler=told)

    def put(self, ticked: Collection[str]) -> None:
        """Tick these names and no others."""
        self._ticked = {name: name in ticked for name in self._names}
        self.props["innerHTML"] = self._legend + "".join(
            f'<label class="tick"><input type="checkbox" value="{escape(name)}"{" checked" if on else ""}>'
            f"<span>{escape(name)}</span></label>"
            for name, on in self._ticked.items()
        )

    @property
    def value(self) -> tuple[str, ...]:
        """The names that are ticked, in their order."""
        return tuple(name for name, on in self._ticked.items() if on)

    def _changed(self, event: Any) -> Any:
        name, on = event.args
        if name in self._ticked:
            self._ticked[name] = bool(on)
        return self._on_change(self.value) if self._on_change is not None else None
