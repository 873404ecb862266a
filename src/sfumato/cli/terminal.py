"""Tables of texts on a terminal."""

import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from sfumato.jobs import Listing

WIDTH_IN_FILES = 160


def print_listing(listing: "Listing") -> None:
    """A titled table that fits the terminal; headings that begin with > hold numbers, set to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_IN_FILES
    console = Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for heading in listing.headings:
        justify: Any = "right" if heading.startswith(">") else "left"
        table.add_column(heading.removeprefix(">"), justify=justify, overflow="fold")
    for row in listing.rows:
        table.add_row(*row)
    if listing.title:
        click.echo(listing.title)
    console.print(table)
