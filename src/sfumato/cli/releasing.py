"""What a release came to, as the command line says it."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from sfumato.cli.evolving import say_evolution, say_honesty
from sfumato.cli.printing import percent, print_json
from sfumato.data import Table
from sfumato.studies import Evolved, Protection
from sfumato.studies.explanations import estimate_in_words
from sfumato.studies.large_protection import LargeProtection
from sfumato.studies.protection import Release
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
    if isinstance(protection, LargeProtection):
        _print_large(protection, written)
        return
    among = (
        f"Chosen among {len(protection.candidates)} candidates"
        if protection.searched
        else "As it was asked for"
    )
    click.echo(f"{among}: {protection.chosen.masking}")
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
    _print_paths(release.n, release.names, written)


def _print_large(protection: LargeProtection, written: Sequence[Path]) -> None:
    tried = (
        f"Chosen among {len(protection.candidates)} candidates, tried on {protection.original.n} of "
        f"{protection.blocks.n} records"
        if protection.searched
        else "As it was asked for"
    )
    click.echo(f"{tried}: {protection.chosen.masking}")
    for name, value in (("information_loss", protection.loss), ("disclosure_risk", protection.risk)):
        sure = estimate_in_words(protection.evaluation.scores[name])
        click.echo(f"  {name.replace('_', ' '):<17} {percent(value):>6} %" + (f" ({sure})" if sure else ""))
    for gate in protection.gates:
        click.echo(f"  required {gate.gate}: on the whole file it is {gate.reading:g}")
    _print_paths(protection.blocks.n, protection.names, written)


def _print_paths(records: int, names: Sequence[str], written: Sequence[Path]) -> None:
    click.echo(f"Wrote {records} records and {len(names)} columns:")
    width = max(len(str(path)) for path in written)
    for path in written:
        click.echo(f"  {path!s:<{width}}  {_about(path)}".rstrip())


def _print_record(release: Release, written: Sequence[Path], source: str) -> None:
    record = json.loads(record_json(release, source=source))
    print_json({**record, "files": [str(path) for path in written]})


def _about(path: Path) -> str:
    return next((text for ending, text in SAYS.items() if path.name.endswith(ending)), "the protected file")
