"""`sfumato groups harmonise`: bring a file and a third-party file to the same attributes."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.groups import auxiliary_schema_option, harmonised
from sfumato.cli.options import (
    file_path,
    json_option,
    output_option,
    quiet_option,
    schema_option,
    text_options,
)
from sfumato.cli.outputs import check_output, same_file
from sfumato.cli.printing import print_json, print_table
from sfumato.cli.watching import watching
from sfumato.core.errors import FileError

if TYPE_CHECKING:
    from sfumato.data import CsvOptions


@click.command(short_help="Bring a file and a third-party file to the same attributes and values.")
@click.argument("file", type=file_path)
@click.option("--auxiliary", type=file_path, required=True, metavar="FILE", help="The third-party file.")
@click.option(
    "--spec", type=file_path, required=True, metavar="FILE.toml", help="How each attribute is made."
)
@output_option
@click.option(
    "--auxiliary-output",
    type=file_path,
    required=True,
    metavar="OUT",
    help="Where to write the harmonised auxiliary file.",
)
@schema_option
@auxiliary_schema_option
@text_options
@json_option
@quiet_option
def command(
    file: Path,
    auxiliary: Path,
    spec: Path,
    output: Path,
    auxiliary_output: Path,
    schema_path: Path | None,
    auxiliary_schema_path: Path | None,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Merge columns and values of FILE and of a third-party file, and drop records outside given ranges.

    The spec is a TOML file with a table [attributes.NAME] for each attribute of the outcome: from (columns),
    values (new = [old, …]), otherwise, range = [low, high], scale, optional.
    """
    from sfumato.cli.reading import load
    from sfumato.cli.writing import writable_suffixes, write_masked

    inputs = (file, auxiliary, spec, schema_path, auxiliary_schema_path)
    for path in (output, auxiliary_output):
        check_output(path, inputs, writable_suffixes())
    if same_file(output, auxiliary_output):
        raise FileError(f"Output {output}: the two files need names of their own.")
    with watching(quiet=quiet):
        tables = (
            load(file, schema_path, options).table,
            load(auxiliary, auxiliary_schema_path, options).table,
        )
        both = harmonised(*tables, spec)
        for found, path in zip(both, (output, auxiliary_output), strict=True):
            write_masked(found.table, path, options)
    if as_json:
        print_json({"microfile": both[0].dropped, "auxiliary": both[1].dropped})
        return
    names = dict.fromkeys([*both[0].dropped, *both[1].dropped])
    rows = [(name, *(str(found.dropped.get(name, "")) for found in both)) for name in names]
    rows.append(("records kept", *(str(found.table.n) for found in both)))
    print_table("Records left out, by the first attribute that was not acceptable", HEADINGS, rows)


HEADINGS = ("Attribute", ">Microfile", ">Auxiliary file")
