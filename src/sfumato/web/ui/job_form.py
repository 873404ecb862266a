"""A form made from a job: a field for every option, whether its page asks for it or has never heard of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.element import Element

from sfumato.core import Parameter, SfumatoError
from sfumato.jobs import Job
from sfumato.web.projects import Project
from sfumato.web.runs.project_job import READ, project_job
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, Tick, TickList, choice, entry, lines, tick

ANSWERS = {"true": "yes", "false": "no"}
SEED, SECRET = "seed", "secret"
UNDONE = (
    "Whoever knows this program can draw the same random numbers and undo a release that is made with a seed. It is "
    "for studies, and never called ready for publication."
)


class JobForm:
    """What a job can be told: some of it is asked in the words of a page, the rest is one click away."""

    def __init__(self, job: type[Job]) -> None:
        self.job = job
        self.options = job.options()
        self.fields: dict[str, OptionField] = {}

    def ask(
        self, key: str, label: str, *, words: Mapping[str, str] | None = None, value: Any = None
    ) -> "OptionField":
        """Draw the field of an option; `words` say what may be chosen, `value` is there in place of the default."""
        self.fields[key] = option_field(
            self.job.name, self.options[key], label=label, words=words, value=value
        )
        return self.fields[key]

    def ask_more(self, *, beside: Collection[str] = (), summary: str = "More options") -> Element:
        """Draw, to be opened, the fields of what was not asked yet, under the help of each option.

        Options are left out that say where the work is done, lead to files, or are settled by the project; `beside`
        are those that the page has another way to ask for, or no use of.
        """
        left_out = (*READ, *self.fields, *beside)
        with html.more(summary) as place, ui.element("div").classes("options"):
            asked = [key for key, one in self.options.items() if key not in left_out and _is_asked_here(one)]
            is_secret = SEED in asked and SECRET in self.options
            for key in asked:
                if key != SEED or not is_secret:
                    self.ask(key, _label(self.options[key]))
            if is_secret:
                self._ask_seed(self.options[SEED])
        return place

    @property
    def label_of_seed(self) -> str:
        """What the name of a run says of its seed, if it has one."""
        seed = self.fields[SEED].value if SEED in self.fields else None
        return "" if seed is None else f", for a study (seed {seed})"

    def _ask_seed(self, parameter: Parameter) -> None:
        """Draw the switch from a secret key, which nobody is asked for, to a seed, which undoes what it protects."""

        shown = "0"  # what the browser holds in the field while it is out of sight

        def switched(on: bool) -> None:
            nonlocal shown
            place.set_visibility(on)
            shown, control.value = (shown, shown) if on else (control.value, "")

        with ui.element("div").classes("study"):
            tick("For a study: fixed seed", on_change=switched)
            with ui.element("div") as place:
                html.notice(UNDONE, kind="bad")
                control = entry("Seed", value=shown, width=8).props("inputmode=numeric")
        control.value = ""
        place.set_visibility(False)
        self.fields[SEED] = OptionField(self.job.name, parameter, control)

    def settings(self) -> dict[str, Any]:
        """What was said, by the names of options; nothing of what is the default."""
        said = {key: field.said() for key, field in self.fields.items()}
        return {key: value for key, value in said.items() if value is not None}

    def made(self, project: Project, settings: Mapping[str, Any]) -> Job:
        """The job on the file of a project, by what was said here and what the page has settled besides."""
        return project_job(project, self.job, {**settings, **self.settings()})


@dataclass(frozen=True)
class OptionField:
    """A control, and the option that it is for."""

    owner: str
    parameter: Parameter
    control: Field | TickList

    @property
    def value(self) -> Any:
        """The value that was given, or the default."""
        said = self.said()
        return self.parameter.default if said is None else said

    def said(self) -> Any:
        """The value that was given; nothing where it is the default. A wrong one is refused, and the field marked."""
        parameter, given = self.parameter, self.control.value
        if isinstance(self.control, TickList):
            return given or None
        if isinstance(self.control, Tick):
            return None if given == parameter.default else bool(given)
        text = str(given).strip()
        is_default = text in ("", _typed(parameter, parameter.default))
        try:
            value = None if is_default else _read(parameter, self.owner, text)
        except SfumatoError:
            self.control.complain(True)
            raise
        self.control.complain(False)
        return value

    def plain_said(self) -> Any:
        """What was said, as a spec has it."""
        said = self.said()
        return None if said is None else self.parameter.plain(said)


def option_field(
    owner: str,
    parameter: Parameter,
    *,
    label: str = "",
    words: Mapping[str, str] | None = None,
    value: Any = None,
) -> OptionField:
    """Draw the field of a parameter, by default under its help; `words` say what may be chosen."""
    shown = _typed(parameter, parameter.default if value is None else value)
    control = _drawn(parameter, label or _label(parameter), shown, words or _named(parameter))
    return OptionField(owner, parameter, control)


def _is_asked_here(parameter: Parameter) -> bool:
    elsewhere = parameter.where or parameter.needed or parameter.argument
    return not (elsewhere or parameter.file or parameter.type is Path)


def _drawn(parameter: Parameter, label: str, shown: str, words: Mapping[str, str]) -> Field | TickList:
    """The control that fits the kind of values."""
    if parameter.choices and parameter.repeated:
        return TickList(label, parameter.choices)
    if parameter.type is bool and not parameter.optional:
        return tick(label, value=parameter.default)
    if words:
        return choice(label, words, value=shown)
    if _has_lines(parameter):
        return lines(label, hint="one a line").props("rows=2")
    is_number = parameter.type in (int, float) and not parameter.repeated
    control = entry(label, value=shown, hint=parameter.usual, width=8 if is_number else 0)
    control.props["title"] = parameter.rule()
    if is_number:
        control.props("inputmode=numeric" if parameter.type is int else "inputmode=decimal")
    return control


def _named(parameter: Parameter) -> dict[str, str]:
    """What may be chosen, where it is one of a few; nothing chosen is as usual."""
    named = ANSWERS if parameter.type is bool else {one: one for one in parameter.choices}
    usual = f"as usual ({parameter.usual})" if parameter.usual else "as usual"
    return {"": usual, **named} if named and parameter.default is None else named


def _label(parameter: Parameter) -> str:
    """What an option is called, and what it means.

    >>> from sfumato.jobs.protect import Protect
    >>> _label(Protect.options()["keep"])
    'Keep: identifiers and doubtful columns to release all the same'
    """
    return f"{parameter.key.replace('-', ' ').capitalize()}: {parameter.help}"


def _typed(parameter: Parameter, value: Any) -> str:
    """A value as somebody would type it; empty where there is none."""
    if value is None or value == ():
        return ""
    plain = parameter.plain(value)
    return ", ".join(map(str, plain)) if isinstance(plain, list) else str(plain)


def _read(parameter: Parameter, owner: str, text: str) -> Any:
    if _has_lines(parameter):
        return [item for line in text.splitlines() if line.strip() for item in parameter.read(owner, line)]
    if parameter.type in (int, float) and not parameter.repeated:
        text = text.replace(",", ".")
    return parameter.read(owner, text)


def _has_lines(parameter: Parameter) -> bool:
    """Whether its values cannot be told apart by commas."""
    return parameter.repeated and not getattr(parameter.type, "listed", True)
