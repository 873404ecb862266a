"""`sfumato run`: do what a study file says."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sfumato.cli.options import file_path, json_option, quiet_option, workers_option
from sfumato.cli.study_saving import FLAG, can_be_a_study
from sfumato.core.errors import FileError, SfumatoError, suggestion

if TYPE_CHECKING:
    from sfumato.data.study_file import Study


@click.command(short_help="Do what a study file says.")
@click.argument("study_path", type=file_path, metavar="STUDY.toml")
@click.option(
    "-o", "--output", type=file_path, metavar="OUT", help="Where to write, in place of what the study says."
)
@workers_option
@click.option("--cluster", metavar="ADDRESS", help="Work on a Dask cluster: local, or tcp://host:port.")
@click.option("--memory", metavar="SIZE", help="Work from disk beyond this, such as 2GB.")
@json_option
@quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    study_path: Path,
    output: Path | None,
    workers: int | None,
    cluster: str | None,
    memory: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Do the job that STUDY.toml says: a command with its arguments and options, under their own names. Any
    command that works on files writes such a file with --save-study.

    Paths in it are relative to its folder. The options here say where the job runs, what is shown and where
    it is written; they replace those of the study.
    """
    from sfumato.data.study_file import Study

    study = Study.read(study_path)
    here = {"output": output, "workers": workers, "cluster": cluster, "memory": memory}
    shown = {"json": as_json, "quiet": quiet}
    replaced = {key: value for key, value in here.items() if value is not None}
    replaced |= {key: True for key, wanted in shown.items() if wanted}
    with _prepared(ctx, study, study_path, replaced) as job:
        _say_version(study, study_path, quiet=bool(job.params.get("quiet")))
        job.command.invoke(job)


@contextmanager
def _prepared(
    ctx: click.Context, study: "Study", path: Path, replaced: Mapping[str, Any]
) -> Iterator[click.Context]:
    """The context of the command that a study names, with everything it says understood."""
    from sfumato.cli.study_words import parameters_of, words_from

    source = str(path)
    command = _command(ctx, study.command, source)
    with _naming(source):
        known = parameters_of(command, _first_words(study.settings))
        del known[FLAG.lstrip("-")]
    for key in replaced:
        if key not in known:
            raise click.UsageError(f"{study.command} has no --{key}: leave it out.", ctx)
    words = words_from(study.settings, known, source=source, folder=path.parent, replaced=replaced)
    with _naming(source):
        job = command.make_context(study.command, words, parent=ctx.parent)
    with job:
        yield job


def _command(ctx: click.Context, name: str, source: str) -> click.Command:
    """The command of a name such as "protect" or "graph protect"."""
    group: click.Command | None = ctx.find_root().command
    for word in name.split():
        known = group.list_commands(ctx) if isinstance(group, click.Group) else []
        if word not in known:
            raise FileError(f"{source}: unknown command {name!r}.{suggestion(word, known)}")
        group = group.get_command(ctx, word) if isinstance(group, click.Group) else None
    if group is None or isinstance(group, click.Group) or not can_be_a_study(group):
        raise FileError(f"{source}: command {name!r} is no job on files; name one such as protect.")
    return group


def _first_words(settings: Mapping[str, Any]) -> list[str]:
    """What decides which options there are: the method of `mask`, or the name of a reproduction."""
    method = ["--method", str(settings["method"])] if "method" in settings else []
    return method + ([str(settings["name"])] if "name" in settings else [])


@contextmanager
def _naming(source: str) -> Iterator[None]:
    """Name the study and, where it is known, the key of what is refused."""
    from sfumato.cli.study_words import key_of

    try:
        yield
    except click.MissingParameter as error:
        key = key_of(error.param) if error.param else "an option"
        raise FileError(f"{source}: {key} is missing.") from None
    except click.BadParameter as error:
        key = f"{key_of(error.param)}: " if error.param else ""
        raise FileError(f"{source}: {key}{error.message}") from None
    except click.UsageError as error:
        raise FileError(f"{source}: {error.message}") from None
    except SfumatoError as error:
        raise FileError(f"{source}: {error}") from None


def _say_version(study: "Study", path: Path, *, quiet: bool) -> None:
    from sfumato.version import __version__

    if study.sfumato != __version__ and not quiet:
        click.echo(
            f"Note: {path} was written by sfumato {study.sfumato}; this is {__version__}, which may give other results.",
            err=True,
        )
