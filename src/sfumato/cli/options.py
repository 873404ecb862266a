"""Options that several commands share, each described once."""

from collections.abc import Callable
from csv import reader
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from sfumato.cli.durations import Duration
from sfumato.cli.sizes import Size

Function = TypeVar("Function", bound=Callable[..., Any])


class NameList(click.ParamType):  # type: ignore[type-arg]
    """Names with commas between them; a name that holds a comma is put in double quotes."""

    name = "names"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """The names of one use of the option."""
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in next(reader([value]), []))
        if not names or not all(names):
            self.fail(f"names must not be empty. Got {value!r}", param, ctx)
        return names


def names_option(*declarations: str, help: str, metavar: str = "NAME,…") -> Callable[[Function], Function]:
    """An option that takes names, repeated or with commas between them."""
    return click.option(
        *declarations,
        type=NameList(),
        multiple=True,
        metavar=metavar,
        help=help,
        callback=lambda ctx, param, given: tuple(name for names in given for name in names),
    )


file_path = click.Path(path_type=Path)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
record_option = click.option(
    "--record",
    "record_path",
    type=file_path,
    metavar="FILE.json",
    help="Write what --json prints to this file, to keep it; it is for the owner alone.",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No notes and no progress bars.")
seed_option = click.option(
    "--seed", type=int, default=0, metavar="INTEGER", help="Fixes every random choice.  [default: 0]"
)
schema_option = click.option(
    "--schema",
    "schema_path",
    type=file_path,
    metavar="FILE.toml",
    help="What the columns are; make one with: sfumato describe FILE --save-schema FILE.toml",
)
output_option = click.option(
    "-o",
    "--output",
    type=file_path,
    required=True,
    metavar="OUT",
    help="Where to write the protected file; its suffix says the format.",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="INTEGER",
    help="Processes to use; the result does not depend on it.  [default: all cores]",
)
require_option = click.option(
    "--require",
    multiple=True,
    metavar="RULE",
    help="What a release must meet, such as 'k >= 5' or 'distance_linkage <= 2'; may be repeated.",
)
cluster_option = click.option(
    "--cluster", default="", metavar="ADDRESS", help="Work on a Dask cluster: local, or tcp://host:port."
)
keep_option = names_option("--keep", help="Identifiers to release all the same; others are dropped.")

run_option = click.option(
    "--run",
    "folder",
    type=file_path,
    metavar="FOLDER",
    help="Keep the run here, generation by generation; go on if it is there.",
)
target_option = click.option("--target", type=float, metavar="SCORE", help="Stop at this score.")
stagnation_option = click.option(
    "--stagnation",
    type=click.IntRange(min=1),
    metavar="N",
    help="Stop when the best score did not fall for so many generations.",
)


def generations_option(usual: int | None = None) -> Callable[[Function], Function]:
    """How many generations to search for."""
    help = "Stop after so many generations." + _usual(usual)
    return click.option("--generations", type=click.IntRange(min=1), metavar="N", help=help)


def for_option(usual: str = "") -> Callable[[Function], Function]:
    """How long to search."""
    help = "Stop after 60s, 5m, 1h." + _usual(usual)
    return click.option("--for", "seconds", type=Duration(), metavar="TIME", help=help)


def _usual(value: object) -> str:
    return f"  [default: {value}]" if value else ""


def disk_options(function: Function) -> Function:
    """When and where to work from disk."""
    for option in (
        click.option(
            "--work",
            type=file_path,
            metavar="FOLDER",
            help="Keep the files made on the way here, so that a stopped job goes on; on a cluster all "
            "workers must see it.  [default: a folder that is removed at the end]",
        ),
        click.option(
            "--memory",
            type=Size(),
            metavar="SIZE",
            help="Parquet that would need more than this, such as 2GB, is worked on from disk.  "
            "[default: half of the machine's]",
        ),
    ):
        function = option(function)
    return function


def text_options(function: Function) -> Function:
    """How to read files of delimited text; the command gets all of it as `options`."""

    @wraps(function)
    def read(*given: Any, delimiter: str | None, encoding: str | None, no_header: bool, **others: Any) -> Any:
        from sfumato.cli.reading import csv_options

        return function(*given, options=csv_options(delimiter, encoding, no_header), **others)

    for option in (
        click.option(
            "--no-header", is_flag=True, help="The first line is a record; columns become c1, c2, …"
        ),
        click.option("--encoding", metavar="NAME", help="Encoding of the text.  [default: utf-8]"),
        click.option("--delimiter", metavar="CHARACTER", help="Between cells; \\t or tab for a tabulator."),
    ):
        read = option(read)
    return cast(Function, read)
