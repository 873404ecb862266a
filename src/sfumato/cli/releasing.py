"""What a release came to, as the command line says it."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from sfumato.cli.evolving import say_evolution, say_honesty
from sfumato.cli.printing import percent, print_json
from sfumato.data import Table
from sfumato.studies import Evolved, Protection
from sfumato.studies.protect import Release
from sfumato.studies.release import record_json

SAYS = {
    ".report.html": "the report: open it next",
    ".record.json": "all that is needed to repeat and to audit the choice",
    ".schema.toml": "the schema of the protected file",
    ".risk-utility.svg": "the candidates by loss and risk",
}


def print_protection(
    protection: Protection, written: Sequence[Path], *, source: str, as_json: bool = False
) -> None:
    """The choice in a few lines, or the whole record as JSON."""
    if as_json:
        _print_record(protection, written, source)
        return
    click.echo(f"Chosen among {len(protection.candidates)} candidates: {protection.chosen.masking}")
    click.echo(f"  information loss  {percent(protection.chosen.loss):>6} %")
    click.echo(f"  disclosure risk   {percent(protection.chosen.risk):>6} %")
    if protection.evolution is not None:
        say_evolution(protection.evolution)
        click.echo(
            "The evolved file is released."
            if protection.is_evolved
            else "Evolving found nothing better; the chosen candidate is released."
        )
    for gate in protection.gates:
        click.echo(f"  required {gate.gate}: it is {gate.reading:g}")
    if protection.evolution is not None and protection.is_evolved:
        say_honesty(protection.evolution)
    print_files(protection.release, written)


def print_evolved(evolved: Evolved, written: Sequence[Path], *, source: str, as_json: bool = False) -> None:
    """The outcome in a few lines, or the whole record as JSON."""
    if as_json:
        _print_record(evolved, written, source)
        return
    say_evolution(evolved)
    for gate in evolved.gates:
        click.echo(f"  required {gate.gate}: it is {gate.reading:g}")
    say_honesty(evolved)
    print_files(evolved.release, written)


def print_files(release: Table, written: Sequence[Path]) -> None:
    """What was written, and what each file is."""
    click.echo(f"Wrote {release.n} records and {len(release.names)} columns:")
    width = max(len(str(path)) for path in written)
    for path in written:
        click.echo(f"  {path!s:<{width}}  {_about(path)}".rstrip())


def _print_record(release: Release, written: Sequence[Path], source: str) -> None:
    record = json.loads(record_json(release, source=source))
    print_json({**record, "files": [str(path) for path in written]})


def _about(path: Path) -> str:
    return next((text for ending, text in SAYS.items() if path.name.endswith(ending)), "the protected file")
