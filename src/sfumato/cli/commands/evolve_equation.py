"""`sfumato evolve-equation`: find a formula that makes good PRAM matrices."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.options import (
    file_path,
    for_option,
    generations_option,
    json_option,
    names_option,
    quiet_option,
    record_option,
    run_option,
    schema_option,
    seed_option,
    stagnation_option,
    target_option,
    text_options,
)
from sfumato.cli.outputs import check_is_folder, check_output
from sfumato.cli.printing import percent, print_table, told_as_json
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching

if TYPE_CHECKING:
    from sfumato.data import CsvOptions
    from sfumato.studies import EvolvedEquation


@click.command(short_help="Find an equation that makes good PRAM matrices, and write it.")
@click.argument("file", type=file_path)
@click.option(
    "-o",
    "--output",
    type=file_path,
    required=True,
    metavar="OUT.json",
    help="Where to write the equation; apply it with: sfumato mask --method pram --matrix OUT.json",
)
@schema_option
@names_option("--attributes", help="The categorical columns to find it for.  [default: the keys]")
@click.option(
    "--score",
    type=click.Choice(["max", "mean"]),
    default="max",
    help="Lower the larger of loss and risk, or their mean.  [default: max]",
)
@generations_option(1500)
@for_option()
@target_option
@stagnation_option
@click.option(
    "--population",
    type=click.IntRange(min=2),
    default=100,
    metavar="N",
    help="Number of equations.  [default: 100]",
)
@click.option(
    "--depth",
    type=click.IntRange(1, 10),
    default=5,
    metavar="N",
    help="Levels that an equation may have.  [default: 5]",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    metavar="N",
    help="Judge equations by so many drawn files.  [default: by what is expected of them]",
)
@click.option(
    "--most-guessed",
    type=click.FloatRange(0, 100),
    default=100.0,
    metavar="PERCENT",
    help="Values that whoever knows the equation may guess right; more is a cost.  [default: 100]",
)
@record_option
@run_option
@seed_option
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="INTEGER",
    help="Processes to use; the result does not depend on it.  [default: 1; all cores with --draws]",
)
@text_options
@json_option
@quiet_option
def command(
    file: Path,
    output: Path,
    schema_path: Path | None,
    attributes: tuple[str, ...],
    score: str,
    generations: int | None,
    seconds: float | None,
    target: float | None,
    stagnation: int | None,
    population: int,
    depth: int,
    draws: int | None,
    most_guessed: float,
    record_path: Path | None,
    folder: Path | None,
    seed: int,
    workers: int | None,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Evolve an equation of the frequencies of categories that makes PRAM matrices with little information
    loss and disclosure risk, and write it to OUT. No data are written: the equation serves this file and others.
    """
    from sfumato.cli.reading import load
    from sfumato.parallel import available_cores
    from sfumato.studies import evolve_equation

    check_output(output, [file, schema_path], (".json",))
    if record_path is not None:
        check_output(record_path, [file, schema_path, output], (".json",))
    check_is_folder(folder)
    with watching(quiet=quiet):
        loaded = load(file, schema_path, options).with_keys(attributes)
        loaded.say_keys()
        found = evolve_equation(
            loaded.table,
            attributes=attributes,
            score=score,
            generations=generations,
            seconds=seconds,
            target=target,
            stagnation=stagnation,
            population=population,
            depth=depth,
            expected=draws is None,
            draws=draws or 5,
            most_guessed=most_guessed,
            seed=seed,
            workers=workers or (1 if draws is None else available_cores()),
            folder=folder,
        )
        stop_if_asked()
        found.save(output)
    record = {**found.to_dict(), "files": [str(output)]}
    if not told_as_json(record, record_path, as_json):
        _show(found, output)


def _show(found: "EvolvedEquation", output: Path) -> None:
    click.echo(f"The share of category i that becomes j is in proportion to\n\n    {found.formula}\n")
    click.echo("Cells below 0 count as 0; what is divided by 0 is 1; each row is divided by its sum.\n")
    rows = [
        (name, *map(percent, values))
        for name, values in (
            ("this equation", (found.loss, found.risk, found.score, found.guessed)),
            *(
                (f"{one.matrix} matrix, p = {one.p:g}", (one.loss, one.risk, one.score, one.guessed))
                for one in found.baselines
            ),
        )
    ]
    title = f"Mean of {found.fresh} fresh files, for {', '.join(found.attributes)} (lower is better)"
    print_table(title, ("", ">Information loss", ">Disclosure risk", ">Score", ">Guessed right"), rows)
    click.echo(
        "Guessed right: percent of the values, by whoever knows matrix and frequencies; not in the score."
    )
    click.echo(
        f"\n{found.generations} generations, {found.run.evaluations} equations judged; "
        f"it ended since {found.run.reason}."
    )
    for warning in found.warnings:
        click.echo(f"Warning: {warning}")
    click.echo(f"Wrote {output}; apply it with: sfumato mask --method pram --matrix {output}")
