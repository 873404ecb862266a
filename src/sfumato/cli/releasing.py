"""The main job as the command line does it: protect, write, and say what came out."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from sfumato.cli.printing import percent, print_json
from sfumato.studies import Protection
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
        record = json.loads(record_json(protection, source=source))
        print_json({**record, "files": [str(path) for path in written]})
        return
    chosen = protection.chosen
    click.echo(f"Chosen among {len(protection.candidates)} candidates: {chosen.masking}")
    click.echo(f"  information loss  {percent(chosen.loss):>6} %")
    click.echo(f"  disclosure risk   {percent(chosen.risk):>6} %")
    for gate in protection.gates:
        click.echo(f"  required {gate.gate}: it is {gate.reading:g}")
    click.echo(f"Wrote {protection.release.n} records and {len(protection.release.names)} columns:")
    width = max(len(str(path)) for path in written)
    for path in written:
        click.echo(f"  {path!s:<{width}}  {_about(path)}".rstrip())


def _about(path: Path) -> str:
    return next((text for ending, text in SAYS.items() if path.name.endswith(ending)), "the protected file")
