"""`--save-study`: any command that works on files can leave a study file that repeats it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.options import file_path
from sfumato.cli.outputs import check_output

if TYPE_CHECKING:
    from sfumato.data.study_file import Study

WORDS = "sfumato.words"
STUDY = "sfumato.study"
FLAG = "--save-study"
WITHOUT = ("run", "web")  # no job, or one that is a file already
WHERE = ("workers", "cluster", "json", "quiet")  # where it runs and what is shown is no part of a job


def with_study_option(command: click.Command, name: str) -> click.Command:
    """The command with an option to save it as a study, if it is a job on files."""
    on_files = any(isinstance(one.type, click.Path) for one in command.params)
    if on_files and name not in WITHOUT and not can_be_a_study(command):
        command.params.append(_option())
    return command


def can_be_a_study(command: click.Command) -> bool:
    """Whether a command has the option to be saved as a study."""
    return any(FLAG in one.opts for one in command.params)


def write_study(ctx: click.Context) -> None:
    """Write the study that was asked for, once the job is done."""
    if STUDY in ctx.meta:
        path, study = ctx.meta[STUDY]
        study.write(path)


def _option() -> click.Option:
    return click.Option(
        [FLAG],
        type=file_path,
        metavar="FILE.toml",
        expose_value=False,
        callback=_remember,
        help="Write what was asked for here at the end; repeat it with: sfumato run FILE.toml",
    )


def _remember(ctx: click.Context, _: click.Parameter, path: Path | None) -> None:
    if path is None or WORDS not in ctx.meta:
        return
    names = ctx.command_path.split()[1:]
    study, inputs = _study(ctx.command, names, ctx.meta[WORDS][len(names) :], path)
    check_output(path, inputs, (".toml",))
    ctx.meta[STUDY] = path, study


def _study(
    command: click.Command, names: list[str], words: list[str], path: Path
) -> "tuple[Study, list[Path]]":
    """The study that the words of a command make, and the files that it names."""
    from sfumato.cli.study_words import parameters_of, settings_from
    from sfumato.data.study_file import Study

    known = parameters_of(command, words)
    found = settings_from(words, known, folder=path.parent)
    settings = {key: value for key, value in found.items() if key not in (*WHERE, FLAG.lstrip("-"))}
    files = [
        path.parent / str(value) for key, value in settings.items() if isinstance(known[key].type, click.Path)
    ]
    return Study(command=" ".join(names), settings=settings), files
