"""A form made from a job: a field for every option that its page does not ask for by itself."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import ui

from sfumato.core import Parameter, SfumatoError
from sfumato.jobs import Job
from sfumato.web.runs.project_job import READ
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, Tick, choice, entry, lines, tick
from sfumato.web.ui.form_fields import TickList

ANSWERS = {"true": "yes", "false": "no"}


class JobForm:
    """What a job can be told besides what its page asks for, one click away.

    Options are left out that say where the work is done, lead to files, or are settled by the project; `beside` are
    those that the page has fields of its own for, or no use of.
    """

    def __init__(
        self, job: type[Job], *, beside: Collection[str] = (), summary: str = "More options"
    ) -> None:
        self.job = job
        with html.more(summary) as self.place, ui.element("div").classes("options"):
            self.fields = {
                key: OptionField(parameter, _drawn(parameter))
                for key, parameter in job.options().items()
                if key not in (*READ, *beside) and _is_asked_here(parameter)
            }

    def settings(self) -> dict[str, Any]:
        """What was said, by the names of options; nothing of what was left as it is."""
        told = {key: field.read(self.job.name) for key, field in self.fields.items()}
        return {key: value for key, value in told.items() if value is not None}


@dataclass(frozen=True)
class OptionField:
    """A control, and the option that it is for."""

    parameter: Parameter
    control: Field | TickList

    def read(self, owner: str) -> Any:
        """The value that was given; nothing where it is the default. A wrong one is refused, and the field marked."""
        parameter, given = self.parameter, self.control.value
        if isinstance(self.control, TickList):
            return given or None
        if isinstance(self.control, Tick):
            return None if given == parameter.default else bool(given)
        text = str(given).strip()
        try:
            value = None if text in ("", _shown_default(parameter)) else _value(parameter, owner, text)
        except SfumatoError:
            self.control.complain(True)
            raise
        self.control.complain(False)
        return value


def _is_asked_here(parameter: Parameter) -> bool:
    elsewhere = parameter.where or parameter.needed or parameter.argument
    return not (elsewhere or parameter.file or parameter.type is Path)


def _drawn(parameter: Parameter) -> Field | TickList:
    """The control that fits the kind of values."""
    label, shown = _label(parameter), _shown_default(parameter)
    if parameter.choices and parameter.repeated:
        return TickList(label, parameter.choices)
    if parameter.type is bool and not parameter.optional:
        return tick(label, value=parameter.default)
    usual = f"as usual ({parameter.usual})" if parameter.usual else "as usual"
    if parameter.choices or parameter.type is bool:
        named = ANSWERS if parameter.type is bool else {one: one for one in parameter.choices}
        return choice(label, {**({} if shown else {"": usual}), **named}, value=shown)
    if _has_lines(parameter):
        return lines(label, hint="one a line").props("rows=2")
    control = entry(label, value=shown, hint=parameter.usual)
    control.props["title"] = parameter.rule()
    if parameter.type in (int, float) and not parameter.repeated:
        control.props("inputmode=numeric" if parameter.type is int else "inputmode=decimal")
    return control


def _label(parameter: Parameter) -> str:
    """What an option is called, and what it means.

    >>> from sfumato.jobs.protect import Protect
    >>> _label(Protect.options()["keep"])
    'Keep: identifiers to release all the same; others are dropped'
    """
    return f"{parameter.key.replace('-', ' ').capitalize()}: {parameter.help}"


def _shown_default(parameter: Parameter) -> str:
    """The default as somebody would type it; empty where there is none."""
    value = parameter.default
    if value is None or value == ():
        return ""
    plain = parameter.plain(value)
    return ", ".join(map(str, plain)) if isinstance(plain, list) else str(plain)


def _value(parameter: Parameter, owner: str, text: str) -> Any:
    if _has_lines(parameter):
        return [item for line in text.splitlines() if line.strip() for item in parameter.read(owner, line)]
    if parameter.type in (int, float) and not parameter.repeated:
        text = text.replace(",", ".")
    return parameter.read(owner, text)


def _has_lines(parameter: Parameter) -> bool:
    """Whether its values cannot be told apart by commas."""
    return parameter.repeated and not getattr(parameter.type, "listed", True)
