"""`sfumato groups protect`: hide where a group is, by swaps with similar records elsewhere."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.group_protecting import attack_options, learnt_model, say_comparison, say_files
from sfumato.cli.groups import group_from
from sfumato.cli.options import (
    file_path,
    for_option,
    json_option,
    keep_option,
    names_option,
    output_option,
    quiet_option,
    run_option,
    schema_option,
    seed_option,
    text_options,
)
from sfumato.cli.outputs import check_is_folder, check_output
from sfumato.cli.printing import print_json
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching

if TYPE_CHECKING:
    from sfumato.data import CsvOptions


@click.command(short_help="Hide where a group is, by swaps with similar records elsewhere.")
@click.argument("file", type=file_path)
@output_option
@attack_options
@click.option(
    "--limit",
    type=click.FloatRange(min=0),
    metavar="N",
    help="At most so many of the group in a hidden place.  [default: as many as in an ordinary one]",
)
@names_option("--along", help="Columns that tell the place as well, such as the state: they move along.")
@names_option("--ordinal", help="Columns in which a small difference matters less than a large one.")
@click.option("--generations", type=click.IntRange(min=1), default=1000, metavar="N", help="[default: 1000]")
@for_option()
@click.option("--without-vital", is_flag=True, help="Leave the vital columns out, as with --auxiliary.")
@run_option
@keep_option
@schema_option
@seed_option
@text_options
@json_option
@quiet_option
def command(
    file: Path,
    output: Path,
    vital: tuple[str, ...],
    parameter: str,
    weight: str,
    auxiliary: Path | None,
    auxiliary_schema_path: Path | None,
    words: Path | None,
    attack_generations: int,
    named: tuple[str, ...],
    signal: str,
    significance: float,
    strike: tuple[str, ...],
    limit: float | None,
    along: tuple[str, ...],
    ordinal: tuple[str, ...],
    generations: int,
    seconds: float | None,
    without_vital: bool,
    folder: Path | None,
    keep: tuple[str, ...],
    schema_path: Path | None,
    seed: int,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Attack FILE, let members of the group trade places with similar people elsewhere until the attack
    sees the places to hide no more, attack again, and write the protected file to OUT.

    With --auxiliary the attack learns from a third-party file who looks like the group, and the vital
    columns are not released; without it, the group is counted as FILE tells it. Every place keeps its number
    of records. Beside OUT are written its schema and, for the owner alone, the list of swaps, a record and a
    report. Ctrl-C while swaps are searched for keeps the best so far; before, or a second time, it ends the
    job.
    """
    from sfumato.cli.reading import load
    from sfumato.cli.writing import writable_suffixes
    from sfumato.groups.influential_metric import InfluentialMetric
    from sfumato.studies.group_protect import basic_attributes, group_protect
    from sfumato.studies.group_release import group_release_paths, write_group_release

    inputs = (file, auxiliary, words, schema_path, auxiliary_schema_path)
    check_output(output, inputs, writable_suffixes())
    for companion in group_release_paths(output)[1:]:
        check_output(companion, inputs)
    check_is_folder(folder)
    group = group_from(vital, parameter, weight)
    with watching(quiet=quiet):
        microfile = load(file, schema_path, options).table
        model = learnt_model(
            microfile,
            group,
            auxiliary=auxiliary,
            auxiliary_schema=auxiliary_schema_path,
            words=words,
            generations=attack_generations,
            seed=seed,
            options=options,
            folder=folder,
        )
        protection = group_protect(
            microfile,
            group,
            model=model,
            named=named,
            strike=strike,
            signal=signal,
            significance=significance,
            limit=limit,
            metric=InfluentialMetric(attributes=basic_attributes(microfile, group, along), ordinal=ordinal),
            along=along,
            keep=keep,
            without_vital=without_vital,
            generations=generations,
            seconds=seconds,
            seed=seed,
            folder=folder,
        )
        stop_if_asked()
        written = write_group_release(protection, output, source=file, options=options)
    if as_json:
        print_json({**protection.to_dict(), "files": [str(path) for path in written]})
        return
    say_comparison(protection.comparison)
    click.echo(
        f"  swaps           {len(protection.swaps)} (distortion {protection.distortion:g}; "
        f"{protection.valid:.0f} % of the last lists hide all)"
    )
    say_files(written)
