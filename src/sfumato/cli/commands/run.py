"""`sfumato run`: do what a study file says."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sfumato.cli.command import JSON, QUIET, do
from sfumato.core.errors import FileError


@click.command(short_help="Do what a study file says.")
@click.argument("study_path", type=click.Path(path_type=Path), metavar="STUDY.toml")
@click.option("-o", "--output", metavar="OUT", help="Where to write, in place of what the study says.")
@click.option(
    "--workers",
    metavar="INTEGER",
    help="Processes to use; the result does not depend on it.  [default: all cores]",
)
@click.option("--cluster", metavar="ADDRESS", help="Work on a Dask cluster: local, or tls://host:port.")
@click.option(
    "--open-cluster",
    is_flag=True,
    default=None,
    help="Let the cluster be one without encryption, tcp://host:port.",
)
@click.option("--memory", metavar="SIZE", help="Work from disk beyond this, such as 2GB.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("-q", "--quiet", is_flag=True, help="No notes and no progress bars.")
@click.pass_context
def command(ctx: click.Context, /, study_path: Path, as_json: bool, quiet: bool, **given: Any) -> None:
    """Do the job that STUDY.toml says: a command with its arguments and options, under their own names. Any job
    writes such a file with --save-study.

    Paths in it are relative to its folder. The options here say where the job runs, what is shown and where it is
    written; they replace those of the study.
    """
    from sfumato.data.study_file import Study
    from sfumato.jobs import job_class, job_of

    study = Study.read(study_path)
    said = {key: study.settings[key] for key in (JSON, QUIET) if key in study.settings}
    for key, value in said.items():
        if not isinstance(value, bool):
            raise FileError(f"{study_path}: {key} must be true or false.")
    study = replace(study, settings={k: v for k, v in study.settings.items() if k not in said})
    replaced = {key.replace("_", "-"): value for key, value in given.items() if value is not None}
    known = job_class(study.command, str(study_path)).options()
    for key in replaced:
        if key not in known:
            raise click.UsageError(f"{study.command} has no --{key}: leave it out.", ctx)
    job = job_of(study, source=str(study_path), folder=study_path.parent, replaced=replaced)
    quiet = quiet or bool(said.get(QUIET))
    _say_version(study.sfumato, study_path, quiet=quiet)
    do(job, as_json=as_json or bool(said.get(JSON)), quiet=quiet)


def _say_version(written_by: str, path: Path, *, quiet: bool) -> None:
    from sfumato.version import __version__

    if written_by != __version__ and not quiet:
        click.echo(
            f"Note: {path} was written by sfumato {written_by}; this is {__version__}, which may give other results.",
            err=True,
        )
