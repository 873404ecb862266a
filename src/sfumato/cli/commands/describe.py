"""`sfumato describe`: what a file holds, how it is read, and what an intruder sees in it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sfumato.cli.options import file_path, json_option, quiet_option, schema_option, text_options
from sfumato.cli.outputs import check_output
from sfumato.cli.printing import percent, print_json, print_table
from sfumato.cli.watching import watching
from sfumato.core.errors import FileError
from sfumato.core.progress import note

if TYPE_CHECKING:
    from sfumato.cli.reading import Loaded
    from sfumato.studies import Profile


@click.command(short_help="Show how a file is read, its quality and its risks; propose a schema.")
@click.argument("file", type=file_path)
@schema_option
@click.option(
    "--save-schema",
    "save_schema",
    type=file_path,
    metavar="FILE.toml",
    help="Write the schema to a new file, to edit and use with --schema.",
)
@text_options
@json_option
@quiet_option
def command(
    file: Path,
    schema_path: Path | None,
    save_schema: Path | None,
    delimiter: str | None,
    encoding: str | None,
    no_header: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show how FILE is read, the quality of each column, and what an intruder sees in the key attributes.

    Without --schema the proposed one is used, with a reason for each choice. Key attributes are those an
    intruder may know; confidential ones are what a release is about.
    """
    from sfumato.cli.reading import csv_options, load, reasons
    from sfumato.studies import describe

    if save_schema is not None:
        _check_new(save_schema, file)
    with watching(quiet=quiet):
        options = csv_options(delimiter, encoding, no_header)
        loaded = load(file, schema_path, options)
        because = reasons(file, loaded, options)
        profile = describe(loaded.table)
        if save_schema is not None:
            _save(save_schema, loaded.table.schema.to_toml())
            note(f"wrote the schema to {save_schema}; edit it and use it with --schema {save_schema}.")
    if as_json:
        print_json(
            {"schema": "proposed" if loaded.proposed else "declared", **_with_reasons(profile, because)}
        )
    else:
        _print(file, loaded, profile, because)


def _with_reasons(profile: "Profile", because: dict[str, str]) -> dict[str, Any]:
    facts = profile.to_dict()
    for column in facts["columns"]:
        column["because"] = because[column["name"]]
    return facts


def _check_new(path: Path, file: Path) -> None:
    check_output(path, [file], (".toml",))
    if path.exists():
        raise FileError(f"Schema file {path} exists already: give another name, so that no edit is lost.")


def _save(path: Path, text: str) -> None:
    from sfumato.data import writing

    with writing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _print(file: Path, loaded: "Loaded", profile: "Profile", because: dict[str, str]) -> None:
    heads = ("Column", "Scale", "Role", ">Missing", ">Distinct", "Values", "Why, and doubts")
    rows = [
        (
            column.name,
            column.scale,
            column.role,
            f"{column.missing:.1f} %",
            str(column.distinct),
            column.summary,
            "; ".join([because[column.name], *column.notes]),
        )
        for column in profile.columns
    ]
    read_as = "as proposed" if loaded.proposed else "as the schema says"
    print_table(f"{file}: {profile.records} records, {len(rows)} columns, read {read_as}", heads, rows)
    if profile.keys is None:
        click.echo("\nNo key attributes: nothing an intruder may know is declared.")
        return
    click.echo()
    shown = [
        profile.keys,
        *(found for found in profile.riskiest if found.attributes != profile.keys.attributes),
    ]
    print_table(
        "What the key attributes give away: percent of records with few or no others alike",
        ("Key attributes", ">Alone", ">Fewer than 3", ">Fewer than 5", ">Smallest group"),
        [
            (
                ", ".join(found.attributes),
                percent(found.uniques),
                percent(found.below_3),
                percent(found.below_5),
                str(found.smallest),
            )
            for found in shown
        ],
    )
