"""`sfumato attack`: what an intruder would find out from a release."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.options import (
    file_path,
    json_option,
    names_option,
    quiet_option,
    schema_option,
    seed_option,
    text_options,
)
from sfumato.cli.printing import percent, print_json, print_table
from sfumato.cli.watching import watching
from sfumato.core.errors import DataError

if TYPE_CHECKING:
    from sfumato.attacks import Rate
    from sfumato.data import CsvOptions
    from sfumato.studies import Attacks


@click.command(short_help="Attack a release as an intruder would, and say how often that works.")
@click.argument("original", type=file_path)
@click.argument("released", type=file_path)
@names_option("--attack", "names", help="Attacks to make; all that fit if none is named.")
@schema_option
@click.option(
    "--released-schema",
    "released_schema_path",
    type=file_path,
    metavar="FILE.toml",
    help="The schema of RELEASED; without it STEM.schema.toml beside RELEASED, else the original's.",
)
@seed_option
@text_options
@json_option
@quiet_option
def command(
    original: Path,
    released: Path,
    names: tuple[str, ...],
    schema_path: Path | None,
    released_schema_path: Path | None,
    seed: int,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Attack RELEASED, which must hold the records of ORIGINAL in the same order.

    The intruder knows the key attributes of ORIGINAL. Each attack is compared with a guess that does not look
    at RELEASED, and with the same attack after its columns were shuffled: what lies above both was disclosed.
    """
    from sfumato.cli.reading import load_pair
    from sfumato.studies import attack

    with watching(quiet=quiet):
        known, release = load_pair(original, released, schema_path, released_schema_path, options)
        if not known.schema.with_role("key"):
            raise DataError("No attribute has the role key: say in the schema what an intruder may know.")
        chosen = [name.replace("-", "_") for name in names]
        found = attack(known, release, chosen or None, seed=seed)
    if as_json:
        print_json(found)
    else:
        click.echo(f"Attacks on {released} by somebody who knows {original}: {known.n} records\n")
        _print(found)


def _print(found: "Attacks") -> None:
    rows = [
        (name, _shown(one.attack), _shown(one.control), _shown(one.baseline))
        for name, one in found.results.items()
    ]
    headings = ("Attack", ">Success", ">Columns shuffled", ">Guess")
    print_table("Percent of records, with 95 % intervals (lower is better)", headings, rows)


def _shown(rate: "Rate") -> str:
    return f"{percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)})"
