"""`sfumato describe`: what a file holds, how it is read, and what an intruder sees in it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sfumato.cli.options import (
    cluster_option,
    disk_options,
    file_path,
    json_option,
    quiet_option,
    schema_option,
    text_options,
    workers_option,
)
from sfumato.cli.outputs import check_output
from sfumato.cli.printing import percent, print_json, print_table
from sfumato.cli.watching import watching
from sfumato.core.errors import FileError
from sfumato.core.progress import note

if TYPE_CHECKING:
    from sfumato.cli.large import Means
    from sfumato.cli.reading import Described
    from sfumato.data import CsvOptions
    from sfumato.data.parquet_source import ParquetSource
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
@disk_options
@workers_option
@cluster_option
@text_options
@json_option
@quiet_option
def command(
    file: Path,
    schema_path: Path | None,
    save_schema: Path | None,
    memory: int | None,
    work: Path | None,
    workers: int | None,
    cluster: str,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Show how FILE is read, the quality of each column, and what an intruder sees in the key attributes.

    Without --schema the proposed one is used, with a reason for each choice. Key attributes are those an
    intruder may know; confidential ones are what a release is about.

    FILE may be a folder of Parquet files. Of Parquet that is too large for memory a random sample of records
    is described; what all key attributes together give away is counted in the whole file.
    """
    from sfumato.cli.large import Means

    if save_schema is not None:
        _check_new(save_schema, file)
    means = Means(memory, work, workers, cluster)
    with watching(quiet=quiet):
        source = means.source(file)
        if source is not None:
            read_as, because, profile, sampled = _from_disk(source, schema_path, means)
        else:
            read_as, because, profile = _in_memory(file, schema_path, options)
            sampled = profile.records
        if save_schema is not None:
            _save(save_schema, read_as.schema.to_toml())
            note(f"wrote the schema to {save_schema}; edit it and use it with --schema {save_schema}.")
    if as_json:
        facts = {"sample": sampled} if sampled < profile.records else {}
        print_json(
            {
                "schema": "proposed" if read_as.proposed else "declared",
                **facts,
                **_with_reasons(profile, because),
            }
        )
    else:
        _print(file, read_as, profile, because, sampled)


def _in_memory(
    file: Path, schema_path: Path | None, options: "CsvOptions"
) -> "tuple[Described, dict[str, str], Profile]":
    from sfumato.cli.reading import load, reasons
    from sfumato.studies import describe

    loaded = load(file, schema_path, options)
    return loaded.described, reasons(file, loaded, options), describe(loaded.table)


def _from_disk(
    source: "ParquetSource", schema_path: Path | None, means: "Means"
) -> "tuple[Described, dict[str, str], Profile, int]":
    from sfumato.cli.large import described, spooled
    from sfumato.studies.large_describe import describe_from_disk

    means.say(source)
    with means.place(source.path) as place:
        read_as, because = described(source, schema_path, place)
        profile, sampled = describe_from_disk(spooled(source, read_as, place), place=place)
    return read_as, because, profile, sampled


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


def _print(
    file: Path, read_as: "Described", profile: "Profile", because: dict[str, str], sampled: int
) -> None:
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
    how = "as proposed" if read_as.proposed else "as the schema says"
    part = f"; described from {sampled} of them" if sampled < profile.records else ""
    print_table(f"{file}: {profile.records} records, {len(rows)} columns, read {how}{part}", heads, rows)
    if profile.keys is None:
        click.echo("\nNo key attributes: nothing an intruder may know is declared.")
        return
    click.echo()
    shown = [
        profile.keys,
        *(found for found in profile.riskiest if found.attributes != profile.keys.attributes),
    ]
    counted = "; in the whole file for all of them, in the sample for the others" if part else ""
    print_table(
        f"What the key attributes give away: percent of records with few or no others alike{counted}",
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
