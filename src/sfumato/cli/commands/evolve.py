"""`sfumato evolve`: evolve masked versions of a file towards the best balance."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.options import (
    file_path,
    for_option,
    generations_option,
    json_option,
    keep_option,
    names_option,
    output_option,
    quiet_option,
    require_option,
    run_option,
    schema_option,
    seed_option,
    stagnation_option,
    target_option,
    text_options,
    workers_option,
)
from sfumato.cli.outputs import check_is_folder, check_output
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching

if TYPE_CHECKING:
    from sfumato.data import CsvOptions


@click.command(short_help="Evolve masked versions of a file towards the best balance, and write it.")
@click.argument("file", type=file_path)
@output_option
@schema_option
@names_option("--key", "keys", help="The key attributes, in place of those proposed or declared.")
@names_option("--methods", help="Methods that make the start.  [default: those of the preset]")
@click.option(
    "--preset",
    type=click.Choice(["fast", "mares2013"]),
    default="fast",
    help="How to search: our own way, or that of the publication.  [default: fast]",
)
@for_option("60s")
@generations_option()
@target_option
@stagnation_option
@click.option(
    "--score",
    type=click.Choice(["max", "mean", "weighted"]),
    help="Lower the larger of loss and risk, their mean, or a weighted mean.  [default: that of the preset]",
)
@click.option(
    "--weight",
    type=click.FloatRange(0, 1),
    default=0.5,
    help="Share of the loss in a weighted score.  [default: 0.5]",
)
@names_option("--loss", help="Measures of loss to lower, in place of the preset's.")
@names_option("--risk", help="Measures of risk to lower, in place of the preset's.")
@names_option("--add", help="Measures to lower as well, such as propensity.")
@click.option("--front", is_flag=True, help="Search for all compromises at once; release the best balanced.")
@names_option("--objective", "objectives", help="Measures to search all compromises between.")
@click.option(
    "--drop-best",
    type=click.FloatRange(0, 99),
    default=0.0,
    metavar="PERCENT",
    help="Leave out so many percent of the best of the start.",
)
@click.option(
    "--selection",
    type=click.Choice(["inverted", "printed"]),
    help="Draw individuals by how good they are, or as eq. 3.3 is printed.",
)
@run_option
@require_option
@keep_option
@seed_option
@workers_option
@click.option(
    "--cluster", default="", metavar="ADDRESS", help="Judge on a Dask cluster: local, or tcp://host:port."
)
@text_options
@json_option
@quiet_option
def command(
    file: Path,
    output: Path,
    schema_path: Path | None,
    keys: tuple[str, ...],
    methods: tuple[str, ...],
    preset: str,
    seconds: float | None,
    generations: int | None,
    target: float | None,
    stagnation: int | None,
    score: str | None,
    weight: float,
    loss: tuple[str, ...],
    risk: tuple[str, ...],
    add: tuple[str, ...],
    front: bool,
    objectives: tuple[str, ...],
    drop_best: float,
    selection: str | None,
    folder: Path | None,
    require: tuple[str, ...],
    keep: tuple[str, ...],
    seed: int,
    workers: int | None,
    cluster: str,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Make many masked versions of FILE, mix and change them until their balance of disclosure risk and
    information loss is as good as it gets, and write the best to OUT with a report beside it.

    The outcome is also judged by attackers and losses that the search did not see; the report says where
    they part. Ctrl-C stops the search and writes the best so far; a second one stops at once.

    As many generations with the same seed give the same file, however long they take.
    """
    from sfumato.cli.reading import load
    from sfumato.cli.releasing import print_evolved
    from sfumato.cli.writing import writable_suffixes
    from sfumato.parallel import available_cores
    from sfumato.studies import evolve, write_release
    from sfumato.studies.release import release_paths

    check_output(output, [file, schema_path], writable_suffixes())
    for companion in release_paths(output)[1:]:
        check_output(companion, [file, schema_path])
    check_is_folder(folder)
    with watching(quiet=quiet):
        loaded = load(file, schema_path, options).with_keys(keys)
        loaded.say_keys()
        loaded.say_dropped(keep)
        evolved = evolve(
            loaded.table,
            preset=preset,
            seed=seed,
            seconds=seconds,
            generations=generations,
            target=target,
            stagnation=stagnation,
            score=score,
            weight=weight,
            loss=loss,
            risk=risk,
            add=add,
            front=front,
            objectives=objectives,
            drop_best=drop_best,
            selection=selection,
            methods=methods,
            require=require,
            keep=keep,
            workers=workers or available_cores(),
            cluster=cluster,
            folder=folder,
        )
        stop_if_asked()
        written = write_release(evolved, output, source=file, options=options)
    print_evolved(evolved, written, source=file.name, as_json=as_json)
