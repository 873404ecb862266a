"""Printing results: one JSON document, or tables that fit the terminal."""

import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sfumato.core.results import plain

if TYPE_CHECKING:
    from sfumato.studies import Evaluation

WIDTH_IN_FILES = 160


def print_json(value: Any) -> None:
    """One JSON document on the output stream."""
    click.echo(_json_text(value))


def write_json(value: Any, path: Path) -> None:
    """One JSON document in a file, which appears whole or not at all."""
    from sfumato.data.files import writing

    with writing(path) as temporary:
        temporary.write_text(_json_text(value) + "\n", encoding="utf-8", newline="\n")


def told_as_json(record: Any, path: Path | None, as_json: bool) -> bool:
    """Keep a record in a file where one is named, and print it where JSON is wanted; whether it was printed."""
    if path is not None:
        write_json(record, path)
    if as_json:
        print_json(record)
    return as_json


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A titled table; headings that begin with > hold numbers, set to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_IN_FILES
    console = Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for heading in headings:
        justify: Any = "right" if heading.startswith(">") else "left"
        table.add_column(heading.removeprefix(">"), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*row)
    click.echo(title)
    console.print(table)


def percent(value: float) -> str:
    """A percentage as people read it.

    >>> percent(12.345), percent(0.0)
    ('12.35', '0.00')
    """
    return f"{value:.2f}"


def print_scores(evaluation: "Evaluation", *, parts: bool) -> None:
    """Losses, then risks, in percent; lower is better. What was estimated is said to be."""
    from sfumato.studies.explanations import estimate_in_words

    rows: list[tuple[str, str, str, str]] = []
    for name, score in evaluation.scores.items():
        rows.append((evaluation.senses[name], name, percent(score.value), estimate_in_words(score)))
        if parts:
            rows += [("", f"  {part}", f"{value:.4g}", "") for part, value in score.parts.items()]
    columns = 4 if any(row[-1] for row in rows) else 3
    click.echo()
    print_table(
        "Information loss and disclosure risk (lower is better)",
        ("", "Measure", ">Value", "")[:columns],
        [row[:columns] for row in rows],
    )


def _json_text(value: Any) -> str:
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)
