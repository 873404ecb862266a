"""`sfumato group-attributes`: find which numeric attributes to microaggregate together."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.options import (
    file_path,
    json_option,
    keep_option,
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
from sfumato.cli.printing import percent, print_table, told_as_json
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching

if TYPE_CHECKING:
    from sfumato.data import CsvOptions
    from sfumato.studies.group_attributes import Grouped


@click.command(short_help="Find which numeric attributes to microaggregate together.")
@click.argument("file", type=file_path)
@click.option("--k", type=click.IntRange(min=2), default=25, help="Smallest group of records.  [default: 25]")
@click.option(
    "-o",
    "--output",
    type=file_path,
    metavar="OUT",
    help="Where to write the file that the best grouping makes; its suffix says the format.",
)
@schema_option
@names_option("--key", "keys", help="The key attributes, in place of those proposed or declared.")
@click.option(
    "--search",
    type=click.Choice(["auto", "exact", "genetic"]),
    default="auto",
    help="Try all groupings, search genetically, or the first up to 8 attributes.  [default: auto]",
)
@click.option(
    "--generations", type=click.IntRange(min=1), default=100, help="Of a genetic search.  [default: 100]"
)
@click.option(
    "--population", type=click.IntRange(min=2), default=200, help="Groupings that survive.  [default: 200]"
)
@names_option("--operators", help="Operators to use.  [default: all six]")
@click.option(
    "--dynamic/--full",
    default=True,
    help="Use an operator no more when it idles (D-GOMM), or all to the end (GOMM).  [default: dynamic]",
)
@click.option("--front", is_flag=True, help="Search for all compromises of loss and risk at once.")
@click.option(
    "--analysis",
    type=file_path,
    metavar="FOLDER",
    help="Write what the operators did, and the front of groupings, as CSV and SVG.",
)
@record_option
@run_option
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
    k: int,
    output: Path | None,
    schema_path: Path | None,
    keys: tuple[str, ...],
    search: str,
    generations: int,
    population: int,
    operators: tuple[str, ...],
    dynamic: bool,
    front: bool,
    analysis: Path | None,
    record_path: Path | None,
    folder: Path | None,
    keep: tuple[str, ...],
    seed: int,
    workers: int | None,
    cluster: str,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Divide the numeric key attributes of FILE into groups such that microaggregation (MDAV) of each group
    by itself gives the best balance of information loss and disclosure risk.

    Up to 8 attributes all groupings are tried; more are searched by a genetic algorithm. Ctrl-C stops the
    search and keeps the best so far; a second one stops at once.
    """
    from sfumato.cli.reading import load
    from sfumato.cli.writing import schema_beside, writable_suffixes, write_masked
    from sfumato.parallel import available_cores
    from sfumato.search.grouping.grouping_operators import OPERATORS
    from sfumato.studies.group_attributes import group_attributes
    from sfumato.studies.grouping_analysis import write_analysis
    from sfumato.studies.released import released_names

    if output is not None:
        check_output(output, [file, schema_path], writable_suffixes())
        check_output(schema_beside(output), [file, schema_path])
    if record_path is not None:
        check_output(record_path, [file, schema_path, output], (".json",))
    check_is_folder(folder)
    check_is_folder(analysis, "--analysis")
    with watching(quiet=quiet):
        loaded = load(file, schema_path, options).with_keys(keys)
        loaded.say_keys()
        names = released_names(loaded.table, keep)
        grouped = group_attributes(
            loaded.table,
            k=k,
            search=search,
            generations=generations,
            population=population,
            operators=operators or OPERATORS,
            dynamic=dynamic,
            front=front,
            seed=seed,
            workers=workers or available_cores(),
            cluster=cluster,
            folder=folder,
        )
        stop_if_asked()
        written = [*write_masked(grouped.release.select(names), output, options)] if output else []
        written += write_analysis(grouped, analysis) if analysis is not None else []
    files = [str(path) for path in written]
    record = {**grouped.to_dict(), "files": files}
    if told_as_json(record, record_path, as_json):
        return
    _show(grouped, files)


def _show(grouped: "Grouped", files: list[str]) -> None:
    run, best = grouped.run, grouped.best
    count = len(best.groups)
    how = "all groupings were tried" if grouped.exact else f"{grouped.analytics.cached:.0f} % known before"
    click.echo(
        f"The best of {run.evaluations} groupings judged ({how}, {grouped.seconds:.1f} s) has "
        f"{count} {'group' if count == 1 else 'groups'}, for k = {grouped.k}:"
    )
    for group in best.groups:
        click.echo(f"  {', '.join(group)}")
    click.echo()
    rows = [
        (name, percent(place.score), percent(place.loss), percent(place.risk))
        for name, place in (
            ("this grouping", best),
            ("all together", grouped.together),
            ("one by one", grouped.apart),
        )
    ]
    print_table("Score, the mean of loss and risk (lower is better)", ("", ">Score", ">Loss", ">Risk"), rows)
    click.echo(f"\nRepeat it in Python: sfumato.mask(table, {grouped.masking.spec()})")
    if files:
        click.echo(f"Wrote {', '.join(files)}")
