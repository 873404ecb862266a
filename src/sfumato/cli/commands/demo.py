"""`sfumato demo`: the main job on a generated survey."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.options import file_path, quiet_option, seed_option, workers_option
from sfumato.cli.outputs import check_folder
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching
from sfumato.core.errors import FileError
from sfumato.core.progress import note

if TYPE_CHECKING:
    from sfumato.data import Table

RECORDS = 3000
SURVEY, SCHEMA, RELEASE = "survey.csv", "survey.schema.toml", "protected.csv"


@click.command(short_help="Protect a generated survey: nothing needed, under a minute.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=file_path,
    default=Path("sfumato-demo"),
    metavar="FOLDER",
    help="Where to write.  [default: sfumato-demo]",
)
@seed_option
@workers_option
@quiet_option
def command(folder: Path, seed: int, workers: int | None, quiet: bool) -> None:
    """Make a survey of a few thousand persons, search for its best balanced protection, and write the
    survey, its schema, the protected file and a report into FOLDER.
    """
    _check(folder)
    from sfumato.cli.releasing import print_protection
    from sfumato.datasets import household_survey
    from sfumato.parallel import available_cores
    from sfumato.studies import protect, write_release

    with watching(quiet=quiet):
        survey = household_survey(RECORDS, seed=seed)
        note(f"protecting {survey.n} generated persons; this takes less than a minute.")
        protection = protect(survey, seed=seed, workers=workers or available_cores())
        stop_if_asked()
        folder.mkdir(exist_ok=True)
        _write(survey, folder)
        written = write_release(protection, folder / RELEASE, source=folder / SURVEY)
    print_protection(protection, written, source=SURVEY)
    click.echo(
        f"\nThe generated survey is {folder / SURVEY}, what its columns are says {folder / SCHEMA}.\n"
        f"Open {written[1]} in a browser, then try it yourself:\n"
        f"  sfumato describe {folder / SURVEY} --schema {folder / SCHEMA}\n"
        f'  sfumato protect {folder / SURVEY} --schema {folder / SCHEMA} -o mine.csv --require "linkage <= 10"'
    )


def _check(folder: Path) -> None:
    """Write into a new or empty folder, or over an earlier demo, and never over anything else."""
    if not folder.exists():
        check_folder(folder.parent, folder)
        return
    check_folder(folder, folder)
    from sfumato.studies.release import release_paths

    own = {SURVEY, SCHEMA, *(path.name for path in release_paths(RELEASE))}
    if any(path.name not in own for path in folder.iterdir()):
        raise FileError(f"Folder {folder} holds other files: give a new one with -o FOLDER.")


def _write(survey: "Table", folder: Path) -> None:
    from sfumato.data import write_table, writing_all

    with writing_all([folder / SURVEY, folder / SCHEMA]) as (table, schema):
        write_table(survey, table)
        schema.write_text(survey.schema.to_toml(), encoding="utf-8")
