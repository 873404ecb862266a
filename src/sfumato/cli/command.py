"""Any job as a command: its help, its options, its checks, what it prints and how it ends come from the job."""

import inspect
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sfumato.cli.interrupt import stop_if_asked
from sfumato.cli.progress_bars import watching
from sfumato.core import registry
from sfumato.core.errors import FileError
from sfumato.core.parameters import Parameter

if TYPE_CHECKING:
    from sfumato.jobs import Job, Listing, Outcome

JSON, QUIET, STUDY = "json", "quiet", "save-study"
GIVEN = "given_"
WIDTH_IN_FILES = 160


class JobCommand(click.Command):
    """A command made from a job, which is loaded when the command is used."""

    def __init__(self, name: str, job_name: str) -> None:
        super().__init__(name, short_help=registry.summary("jobs", job_name), callback=self._run)
        self.job_name = job_name

    @property
    def job(self) -> "type[Job]":
        made: type[Job] = registry.load("jobs", self.job_name)
        return made

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look first for what decides which options there are, such as the method of `mask`."""
        ctx.meta[GIVEN] = decisive(self.job, args)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Arguments, then options, those that all jobs have last."""
        known = self.job.options(ctx.meta.get(GIVEN))
        arguments = sorted((p for p in known.values() if p.argument), key=lambda p: self.job.place(p.name))
        options = [p for p in known.values() if not p.argument]
        made = [_click_parameter(self.job_name, parameter) for parameter in (*arguments, *options)]
        return [*made, *_shared(), *super().get_params(ctx)]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The docstring of the job, without its examples."""
        self.help = (inspect.getdoc(self.job) or "").partition("\n\n>>>")[0]
        super().format_help_text(ctx, formatter)

    def _run(self, **values: Any) -> None:
        shown = {key: values.pop(key.replace("-", "_")) for key in (JSON, QUIET, STUDY)}
        ctx = click.get_current_context()
        settings = {}
        for key, parameter in self.job.options(ctx.meta.get(GIVEN)).items():
            value = values[_destination(key)]
            if value is not None and value != ():
                many = parameter.repeated and not parameter.holds
                settings[key] = [item for use in value for item in use] if many else value
        do(self.job.from_settings(settings), as_json=shown[JSON], quiet=shown[QUIET], study=shown[STUDY])


def do(job: "Job", *, as_json: bool, quiet: bool, study: Path | None = None) -> None:
    """Do a job as a command: with progress, then what came out, then its status."""
    from sfumato.jobs import study_of
    from sfumato.reports.delivery import perform

    if study is not None:
        _check_study(job, study)
    with watching(quiet=quiet):
        outcome, written = perform(job)
        stop_if_asked()
    show(outcome, written, as_json=as_json)
    if study is not None:
        study_of(job, folder=study.parent).write(study)
    if outcome.status:
        sys.exit(outcome.status)


def show(outcome: "Outcome", written: Sequence[Path], *, as_json: bool) -> None:
    from sfumato.reports.delivery import json_text

    if as_json:
        files = {"files": [str(path) for path in written]} if written else {}
        click.echo(json_text({**outcome.to_dict(), **files}))
        return
    for part in outcome.told():
        if isinstance(part, str):
            click.echo(part)
        else:
            print_listing(part)


def print_listing(listing: "Listing") -> None:
    """A titled table that fits the terminal; headings that begin with > hold numbers, set to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_IN_FILES
    console = Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for heading in listing.headings:
        justify: Any = "right" if heading.startswith(">") else "left"
        table.add_column(heading.removeprefix(">"), justify=justify, overflow="fold")
    for row in listing.rows:
        table.add_row(*row)
    if listing.title:
        click.echo(listing.title)
    console.print(table)


def decisive(job: "type[Job]", args: Sequence[str]) -> dict[str, str]:
    """The settings on which other options depend, found among the words of a command."""
    found: dict[str, str] = {}
    for parameter in job.options().values():
        if parameter.spread:
            value = _word_after(parameter, args)
            if value:
                found[parameter.key] = value
    return found


def _word_after(parameter: Parameter, args: Sequence[str]) -> str:
    """What an option is given, or the first word that an argument could be."""
    if parameter.argument:
        known = registry.names(parameter.type.registered_in)
        before = ["", *args]
        words = [w for w, last in zip(args, before, strict=False) if last not in ("-o", "--output")]
        named = [
            w
            for w in words
            if registry.resolved(parameter.type.registered_in, w.partition("(")[0])[0] in known
        ]
        return next(iter(named + [word for word in words[:1] if not word.startswith("-")]), "")
    flags = [f"--{parameter.key}", *([f"-{parameter.short}"] if parameter.short else [])]
    found = ""
    for word, following in zip(args, [*args[1:], ""], strict=False):
        if word == "--":
            break
        if word in flags:
            found = following
        elif word.startswith(f"--{parameter.key}="):
            found = word.partition("=")[2]
    return found


class _ParameterText(click.ParamType):  # type: ignore[type-arg]
    """Reads the text of an option; the parameter itself says what is wrong with it."""

    def __init__(self, owner: str, parameter: Parameter) -> None:
        self.owner, self.parameter, self.name = owner, parameter, parameter.key

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value, or the values of one use of the option."""
        if not isinstance(value, str) or self.parameter.spread:
            return value
        return self.parameter.read(self.owner, value)


class _ParameterTexts(_ParameterText):
    """Reads the texts of an option that takes several, one after the other."""

    is_composite = True

    @property
    def arity(self) -> int:  # type: ignore[override]
        return self.parameter.holds or 1

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self.parameter.read(self.owner, ",".join(value)) if isinstance(value, tuple) else value


def _click_parameter(owner: str, parameter: Parameter) -> click.Parameter:
    destination = _destination(parameter.key)
    if parameter.argument:
        return click.Argument(
            [destination],
            type=_ParameterText(owner, parameter),
            required=parameter.needed,
            metavar=parameter.key.upper() if parameter.needed else f"[{parameter.key.upper()}]",
        )
    flags = [f"-{parameter.short}"] if parameter.short else []
    if parameter.type is bool and not parameter.repeated:
        opposite = parameter.opposite or f"no-{parameter.key}"
        pair = f"--{parameter.key}" + ("" if parameter.default is False else f"/--{opposite}")
        return click.Option([*flags, pair, destination], default=None, help=_help(parameter), is_flag=True)
    kind = _ParameterTexts if parameter.holds else _ParameterText
    return click.Option(
        [*flags, f"--{parameter.key}", destination],
        type=kind(owner, parameter),
        multiple=parameter.repeated and not parameter.holds,
        required=parameter.needed,
        metavar=parameter.metavar,
        help=_help(parameter),
    )


def _help(parameter: Parameter) -> str:
    """The help of an option: what it is, what a value must be where that is not plain, and the default."""
    words = parameter.help[:1].upper() + parameter.help[1:]
    if parameter.choices or parameter.low is not None or parameter.high is not None:
        words += f": {replace(parameter, optional=False).rule()}"
    usual = parameter.usual or _usual(parameter)
    return words + "." + (f"  [default: {usual}]" if usual else "")


def _usual(parameter: Parameter) -> str:
    value = parameter.default
    if value in (None, (), "") or isinstance(value, bool) or not isinstance(value, str | int | float | tuple):
        return ""
    plain = parameter.plain(value)
    return ", ".join(map(str, plain)) if isinstance(plain, list) else str(plain)


def _destination(key: str) -> str:
    return GIVEN + key.replace("-", "_")


def _shared() -> list[click.Parameter]:
    study_help = "Write what was asked for here at the end; repeat it with: sfumato run FILE.toml"
    path = click.Path(path_type=Path)
    return [
        click.Option([f"--{JSON}"], is_flag=True, help="Print one JSON document."),
        click.Option(["-q", f"--{QUIET}"], is_flag=True, help="No notes and no progress bars."),
        click.Option([f"--{STUDY}"], type=path, metavar="FILE.toml", help=study_help),
    ]


def _check_study(job: "Job", study: Path) -> None:
    from sfumato.jobs import check_target, same_file

    check_target(study, job.inputs(), (".toml",))
    if any(same_file(study, target) for target in job.targets().values()):
        raise FileError(f"Output {study}: the study needs a name of its own.")
