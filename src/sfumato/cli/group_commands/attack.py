"""`sfumato groups attack`: what somebody with a third-party file finds out about where a group is."""

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.groups import auxiliary_schema_option, group_from, group_options, load_files
from sfumato.cli.options import (
    file_path,
    json_option,
    names_option,
    quiet_option,
    record_option,
    run_option,
    schema_option,
    seed_option,
    text_options,
    workers_option,
)
from sfumato.cli.outputs import check_is_folder, check_output
from sfumato.cli.printing import print_table, told_as_json
from sfumato.cli.watching import watching

if TYPE_CHECKING:
    from sfumato.data import CsvOptions
    from sfumato.groups.adequacy import Adequacy
    from sfumato.studies.group_attack import GroupAttack

SHOWN = 20  # rules that are printed
PICTURES = (".svg", ".png", ".pdf")


@click.command(short_help="Find out where a group is, from a third-party file that tells who belongs.")
@click.argument("file", type=file_path)
@click.option("--auxiliary", type=file_path, required=True, metavar="FILE", help="The third-party file.")
@group_options
@click.option(
    "--words",
    type=file_path,
    metavar="FILE.toml",
    help="The linguistic variables.  [default: words from the quantiles of all common columns]",
)
@click.option("--harmonise", "spec", type=file_path, metavar="FILE.toml", help="Harmonise both files first.")
@click.option(
    "--signal",
    type=click.Choice(["quantity", "concentration"]),
    default="quantity",
    help="Count members, or their share of each place.  [default: quantity]",
)
@click.option(
    "--significance", type=float, default=0.001, metavar="ALPHA", help="Of outliers.  [default: 0.001]"
)
@names_option("--strike", help="Places that are no secret: never counted as outliers.")
@click.option(
    "--fitness",
    type=click.Choice(["df_rcf", "wracc", "youden"]),
    default="df_rcf",
    help="How rules are judged.  [default: df_rcf]",
)
@click.option("--runs", type=click.IntRange(min=1), default=10, metavar="N", help="Runs.  [default: 10]")
@click.option(
    "--generations", type=click.IntRange(min=1), default=200, metavar="N", help="Of each run.  [default: 200]"
)
@click.option(
    "--plot", "picture", type=file_path, metavar="FILE", help="Draw the signals (.svg, .png, .pdf)."
)
@record_option
@run_option
@schema_option
@auxiliary_schema_option
@seed_option
@workers_option
@text_options
@json_option
@quiet_option
def command(
    file: Path,
    auxiliary: Path,
    vital: tuple[str, ...],
    parameter: str,
    weight: str,
    words: Path | None,
    spec: Path | None,
    signal: str,
    significance: float,
    strike: tuple[str, ...],
    fitness: str,
    runs: int,
    generations: int,
    picture: Path | None,
    record_path: Path | None,
    folder: Path | None,
    schema_path: Path | None,
    auxiliary_schema_path: Path | None,
    seed: int,
    workers: int | None,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Learn from a third-party file what members of a group look like, and find where they are in FILE.

    Fuzzy rules are evolved on the auxiliary file, which must have the vital columns. If FILE has them too,
    they only serve to say how right the attack is.
    """
    from sfumato.groups.linguistic_variables import Vocabulary
    from sfumato.parallel import available_cores
    from sfumato.studies.group_attack import group_attack

    if picture is not None:
        check_output(picture, (file, auxiliary, words, spec), PICTURES)
    if record_path is not None:
        check_output(record_path, (file, auxiliary, words, spec), (".json",))
    check_is_folder(folder)
    with watching(quiet=quiet):
        schemas = (schema_path, auxiliary_schema_path)
        microfile, other = load_files(file, auxiliary, schemas, spec, options)
        found = group_attack(
            microfile,
            other,
            group_from(vital, parameter, weight),
            None if words is None else Vocabulary.read(words),
            signal=signal,
            significance=significance,
            strike=strike,
            fitness=fitness,
            runs=runs,
            generations=generations,
            seed=seed,
            workers=workers or available_cores(),
            folder=folder,
        )
    if picture is not None:
        found.plot().savefig(picture)
    if not told_as_json(found, record_path, as_json):
        _print(found)


def _print(found: "GroupAttack") -> None:
    click.echo(f"{found.verdict}\n")
    rows = [
        (row["sentence"], f"{row['support']:.3f}", f"{row['relative_confidence']:.2f}")
        for row in found.to_dict()["rules"]
    ]
    if rows:
        left = f" ({len(rows) - SHOWN} more with --json)" if len(rows) > SHOWN else ""
        print_table(f"{len(rows)} rules{left}", ("Rule", ">Support", ">Confidence"), rows[:SHOWN])
    click.echo(f"\nOutliers that the attack sees: {_listed(found.found.names)}")
    if found.adequacy is not None:
        _print_adequacy("The truth of this file", found.adequacy)
    _print_adequacy("The same on the auxiliary file", found.rehearsal)


def _print_adequacy(title: str, judged: "Adequacy") -> None:
    j = "not defined" if isnan(judged.youden) else f"{judged.youden:.3f}"
    click.echo(
        f"\n{title}: accuracy {judged.accuracy:.3f}, Youden's J {j}, ln B {judged.ln_b:.2f} ({judged.reading})"
    )
    click.echo(f"  disclosed:   {_listed(judged.disclosed)}")
    click.echo(f"  undisclosed: {_listed(judged.undisclosed)}")
    click.echo(f"  false:       {_listed(judged.false)}")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
