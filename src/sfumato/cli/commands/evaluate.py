"""`sfumato evaluate`: how much a masked file lost, and how much it gives away."""

from pathlib import Path

import click

from sfumato.cli.options import file_path, json_option, quiet_option, schema_option, text_options
from sfumato.cli.printing import print_json, print_scores
from sfumato.cli.watching import watching
from sfumato.core.errors import DataError


@click.command(short_help="Compare a masked file with its original: information loss and risk.")
@click.argument("original", type=file_path)
@click.argument("masked", type=file_path)
@schema_option
@click.option(
    "--masked-schema",
    "masked_schema_path",
    type=file_path,
    metavar="FILE.toml",
    help="The schema of MASKED; without it STEM.schema.toml beside MASKED, else the original's.",
)
@click.option("--parts", is_flag=True, help="Show what each number is made of.")
@text_options
@json_option
@quiet_option
def command(
    original: Path,
    masked: Path,
    schema_path: Path | None,
    masked_schema_path: Path | None,
    parts: bool,
    delimiter: str | None,
    encoding: str | None,
    no_header: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare MASKED with ORIGINAL, which must hold the same records in the same order.

    All key attributes are judged by every measure that can take them. MASKED may lack columns that are no
    keys, and may hold categories that ORIGINAL does not have: each of these could then be any.
    """
    from sfumato.cli.reading import csv_options, load_pair
    from sfumato.studies import evaluate

    with watching(quiet=quiet):
        options = csv_options(delimiter, encoding, no_header)
        before, after = load_pair(original, masked, schema_path, masked_schema_path, options)
        if not before.schema.with_role("key"):
            raise DataError("No attribute has the role key: say in the schema what an intruder may know.")
        evaluation = evaluate(before, after)
    if as_json:
        print_json(evaluation)
    else:
        click.echo(f"{masked} compared with {original}: {before.n} records")
        print_scores(evaluation, parts=parts)
