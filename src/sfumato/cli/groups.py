"""Options and reading that the commands of `sfumato groups` share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sfumato.cli.options import file_path
from sfumato.core.errors import ParameterError
from sfumato.core.progress import note

if TYPE_CHECKING:
    from sfumato.data import CsvOptions, Table
    from sfumato.groups.harmonised_files import Harmonised
    from sfumato.groups.signals import Group

Function = TypeVar("Function", bound=Callable[..., Any])

auxiliary_schema_option = click.option(
    "--auxiliary-schema",
    "auxiliary_schema_path",
    type=file_path,
    metavar="FILE.toml",
    help="What the columns of the auxiliary file are.",
)


def group_options(function: Function) -> Function:
    """Who is meant, and over what they are counted."""
    for option in (
        click.option("--weight", default="", metavar="NAME", help="A column of survey weights."),
        click.option(
            "--parameter", required=True, metavar="NAME", help="The column to count over, such as an area."
        ),
        click.option(
            "--vital",
            multiple=True,
            required=True,
            metavar="NAME=VALUE,…",
            help="A column and the values that say who belongs; may be repeated, and all must agree.",
        ),
    ):
        function = option(function)
    return function


def group_from(vital: tuple[str, ...], parameter: str, weight: str) -> "Group":
    """The group that the options describe."""
    from sfumato.groups.signals import Group

    named = {}
    for text in vital:
        name, equals, values = text.partition("=")
        if not (name and equals and values):
            raise ParameterError(
                f"--vital takes a column and its values, such as occupation=551010. Got {text!r}."
            )
        named[name.strip()] = tuple(value.strip() for value in values.split(","))
    return Group(vital=named, parameter=parameter, weight=weight)


def load_files(
    file: Path,
    auxiliary: Path,
    schemas: tuple[Path | None, Path | None],
    spec: Path | None,
    options: "CsvOptions",
) -> tuple["Table", "Table"]:
    """The microfile and the auxiliary file, harmonised where a spec is given."""
    from sfumato.cli.reading import load

    microfile, other = (
        load(path, schema, options).table for path, schema in zip((file, auxiliary), schemas, strict=True)
    )
    if spec is None:
        return microfile, other
    first, second = harmonised(microfile, other, spec)
    return first.table, second.table


def harmonised(microfile: "Table", auxiliary: "Table", spec: Path) -> tuple["Harmonised", "Harmonised"]:
    """Both files by the rules of a harmonisation file; says how many records were left out."""
    from sfumato.groups.harmonised_files import SIDES, Harmonisation, harmonise

    both = harmonise(microfile, auxiliary, Harmonisation.read(spec))
    for side, found in zip(SIDES, both, strict=True):
        gone = sum(found.dropped.values())
        if gone:
            note(f"{side}: {gone:,} of {found.records:,} records lie outside what the harmonisation accepts.")
    return both
