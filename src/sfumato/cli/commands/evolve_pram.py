"""`sfumato evolve-pram`: find PRAM matrices that protect well and lose little."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

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
    text_options,
)
from sfumato.cli.outputs import check_is_folder, check_output
from sfumato.cli.printing import percent, print_table, told_as_json
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching

if TYPE_CHECKING:
    from sfumato.data import CsvOptions
    from sfumato.studies import EvolvedPram


@click.command(short_help="Evolve PRAM matrices towards the best balance, and write them.")
@click.argument("file", type=file_path)
@click.option(
    "-o",
    "--output",
    type=file_path,
    required=True,
    metavar="OUT.json",
    help="Where to write the matrices; apply them with: sfumato mask --method pram --matrix OUT.json",
)
@schema_option
@names_option("--attributes", help="The categorical columns whose matrices evolve.  [default: the keys]")
@click.option(
    "--preset",
    type=click.Choice(["fast", "mares2014"]),
    default="fast",
    help="How to search: our own way, or that of the publication.  [default: fast]",
)
@generations_option(1100)
@for_option()
@click.option(
    "--score",
    type=click.Choice(["mean", "max"]),
    default="mean",
    help="Lower the mean of loss and risk, or the larger of them.  [default: mean]",
)
@click.option(
    "-p",
    "p",
    type=click.FloatRange(0, 1),
    default=0.5,
    help="Probability that a category stays, in the matrices at the start.  [default: 0.5]",
)
@click.option(
    "--diagonal",
    type=(click.FloatRange(0, 1), click.FloatRange(0, 1)),
    metavar="LOW HIGH",
    help="Bounds of the probability that a category stays.  [default: none]",
)
@click.option("--invariant", is_flag=True, help="Keep the expected frequencies of all categories.")
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=5,
    metavar="N",
    help="Protected files that judge a candidate of mares2014.  [default: 5]",
)
@names_option("--crossed", help="Columns whose tables with the attributes are compared.")
@click.option("--front", is_flag=True, help="Show the compromises of a direct search as well.")
@record_option
@run_option
@seed_option
@text_options
@json_option
@quiet_option
def command(
    file: Path,
    output: Path,
    schema_path: Path | None,
    attributes: tuple[str, ...],
    preset: str,
    generations: int | None,
    seconds: float | None,
    score: Literal["mean", "max"],
    p: float,
    diagonal: tuple[float, float] | None,
    invariant: bool,
    draws: int,
    crossed: tuple[str, ...],
    front: bool,
    record_path: Path | None,
    folder: Path | None,
    seed: int,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Evolve the PRAM matrices of FILE until the files they make have little information loss and disclosure
    risk, and write them to OUT, with a picture of them beside it. No data are written.

    Keep OUT to yourself if the masked file is released: whoever has the matrices guesses better.
    """
    from sfumato.cli.reading import load
    from sfumato.data import writing_all
    from sfumato.plots._style import svg_text
    from sfumato.studies import evolve_pram

    picture = output.with_suffix(".svg")
    check_output(output, [file, schema_path], (".json",))
    check_output(picture, [file, schema_path])
    if record_path is not None:
        check_output(record_path, [file, schema_path, output], (".json",))
    check_is_folder(folder)
    with watching(quiet=quiet):
        loaded = load(file, schema_path, options).with_keys(attributes)
        loaded.say_keys()
        found = evolve_pram(
            loaded.table,
            attributes=attributes,
            preset=preset,
            generations=generations,
            seconds=seconds,
            score=score,
            p=p,
            diagonal=diagonal,
            invariant=invariant,
            draws=draws,
            crossed=crossed,
            front=front,
            seed=seed,
            folder=folder,
        )
        stop_if_asked()
        with writing_all([output, picture]) as (matrices, drawing):
            matrices.write_text(found.matrices_text(), encoding="utf-8", newline="\n")
            drawing.write_text(svg_text(found.plot()), encoding="utf-8", newline="\n")
    record = {**found.to_dict(), "files": [str(output), str(picture)]}
    if not told_as_json(record, record_path, as_json):
        _show(found, output, picture)


def _show(found: "EvolvedPram", output: Path, picture: Path) -> None:
    sets = {"at the start": found.before, "evolved": found.after, "direct search": found.direct}
    rows = [
        (name, *map(percent, (one.loss, one.risk, one.score, one.bivariate, one.guessed)))
        for name, one in sets.items()
        if one is not None
    ]
    headings = ("", ">Information loss", ">Disclosure risk", ">Score", ">Bivariate", ">Guessed right")
    print_table(f"Mean of fresh files, for {', '.join(found.attributes)} (lower is better)", headings, rows)
    click.echo("Guessed right: percent of the values, by whoever knows the matrices; not in the score.")
    if found.front:
        pairs = ", ".join(f"({percent(loss)}, {percent(risk)})" for loss, risk in found.front)
        click.echo(f"Compromises of the direct search (loss, risk): {pairs}")
    click.echo(
        f"\nThe score fell by {percent(found.fall)} % in {found.generations} generations; "
        f"it ended since {found.run.reason}."
    )
    if found.renamed:
        click.echo(
            f"Warning: the matrix of {', '.join(found.renamed)} mostly renames categories, which the measures "
            "take for protection; hold it to a --diagonal if the release must stand against who knows that."
        )
    click.echo(f"Wrote {output} and {picture}; apply with: sfumato mask --method pram --matrix {output}")
