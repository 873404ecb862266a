"""`sfumato mask`: one method with the parameters given."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sfumato.cli.options import (
    cluster_option,
    disk_options,
    file_path,
    json_option,
    keep_option,
    output_option,
    quiet_option,
    schema_option,
    seed_option,
    text_options,
    workers_option,
)
from sfumato.cli.outputs import check_output, check_outside
from sfumato.cli.parameters import KEY, MethodCommand, given_parameters
from sfumato.cli.printing import print_json, print_scores
from sfumato.cli.watching import watching

if TYPE_CHECKING:
    from sfumato.data import CsvOptions, Table
    from sfumato.masking import Masking
    from sfumato.studies import Evaluation


@click.command(cls=MethodCommand, short_help="Mask a file with one method.")
@click.argument("file", type=file_path)
@click.option(
    "-m", "--method", required=True, metavar="NAME", help="The method; list them with: sfumato methods"
)
@output_option
@schema_option
@keep_option
@seed_option
@disk_options
@workers_option
@cluster_option
@text_options
@json_option
@quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: Path,
    method: str,
    output: Path,
    schema_path: Path | None,
    keep: tuple[str, ...],
    seed: int,
    memory: int | None,
    work: Path | None,
    workers: int | None,
    cluster: str,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Mask FILE with one method and write OUT. The method's parameters are options: see them with
    sfumato mask --method NAME --help.

    Without --schema all columns the method can take are masked, save those that look like identifiers,
    households or survey weights; a method that draws whole records changes only survey weights.
    Identifiers are dropped. The schema of OUT is written beside it as STEM.schema.toml.

    FILE may be a folder of Parquet files. Parquet that is too large for memory is masked from disk, on all
    cores or on a cluster; OUT must then be Parquet too, and measures of linkage are estimated on a sample.
    """
    from sfumato.cli.large import Means
    from sfumato.cli.large_masking import mask_large
    from sfumato.cli.preparing import prepared
    from sfumato.cli.reading import load
    from sfumato.cli.writing import schema_beside, writable_suffixes, write_masked
    from sfumato.studies.released import released_names

    made = ctx.meta[KEY].from_parameters(given_parameters(ctx.meta[KEY], values))
    check_output(output, [file, schema_path], writable_suffixes())
    check_outside(output, file)
    check_output(schema_beside(output), [file, schema_path])
    means = Means(memory, work, workers, cluster)
    with watching(quiet=quiet):
        source = means.source(file)
        if source is not None:
            made, n, evaluation, written = mask_large(made, source, output, schema_path, keep, seed, means)
            kept = n
        else:
            loaded = load(file, schema_path, options)
            made, schema = prepared(made, loaded.described)
            table = loaded.table.with_schema(schema)
            names = released_names(table, keep)
            masked, evaluation = _masked(made, table, seed)
            written = write_masked(masked.select(names), output, options)
            n, kept = table.n, masked.n
    files = [str(path) for path in written]
    if as_json:
        scores = evaluation.to_dict() if evaluation else {}
        print_json({"method": made.spec(), "seed": seed, "files": files, **scores})
        return
    of_all = f" of {n}" if kept < n else ""
    click.echo(f"{made}\n{kept}{of_all} records; wrote {', '.join(files)}")
    if evaluation:
        print_scores(evaluation, parts=False)


def _masked(made: "Masking", table: "Table", seed: int) -> "tuple[Table, Evaluation | None]":
    from sfumato.studies import mask, mask_and_evaluate

    if table.n > 0 and table.schema.with_role("key"):
        return mask_and_evaluate(table, made, seed=seed)
    return mask(table, made, seed=seed), None
