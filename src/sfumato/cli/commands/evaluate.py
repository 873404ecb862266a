"""`sfumato evaluate`: how much a masked file lost, and how much it gives away."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.options import (
    cluster_option,
    disk_options,
    file_path,
    json_option,
    quiet_option,
    schema_option,
    seed_option,
    text_options,
    workers_option,
)
from sfumato.cli.printing import print_json, print_scores
from sfumato.cli.watching import watching
from sfumato.core.errors import DataError

if TYPE_CHECKING:
    from sfumato.cli.large import Means
    from sfumato.data import CsvOptions, Schema
    from sfumato.studies import Evaluation


@click.command(short_help="Compare a masked file with its original: information loss and risk.")
@click.argument("original", type=file_path)
@click.argument("masked", type=file_path)
@schema_option
@click.option(
    "--masked-schema",
    "masked_schema_path",
    type=file_path,
    metavar="FILE.toml",
    help="The schema of MASKED; without it STEM.schema.toml beside MASKED, else the original's.",
)
@click.option("--parts", is_flag=True, help="Show what each number is made of.")
@seed_option
@disk_options
@workers_option
@cluster_option
@text_options
@json_option
@quiet_option
def command(
    original: Path,
    masked: Path,
    schema_path: Path | None,
    masked_schema_path: Path | None,
    parts: bool,
    seed: int,
    memory: int | None,
    work: Path | None,
    workers: int | None,
    cluster: str,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare MASKED with ORIGINAL, which must hold the same records in the same order.

    All key attributes are judged by every measure that can take them. MASKED may lack columns that are no
    keys, and may hold categories that ORIGINAL does not have: each of these could then be any.

    Both may be folders of Parquet files. Parquet that is too large for memory is judged from disk, on all
    cores or on a cluster; risks of linkage are then estimated on a random sample, which --seed fixes.
    """
    from sfumato.cli.large import Means

    means = Means(memory, work, workers, cluster)
    files, schemas = (original, masked), (schema_path, masked_schema_path)
    with watching(quiet=quiet):
        sources = [means.source(file) for file in files]
        if any(sources):
            n, evaluation = _from_disk(files, schemas, means, seed)
        else:
            n, evaluation = _in_memory(files, schemas, options)
    if as_json:
        print_json(evaluation)
    else:
        click.echo(f"{masked} compared with {original}: {n} records")
        print_scores(evaluation, parts=parts)


def _in_memory(
    files: tuple[Path, Path], schemas: tuple[Path | None, Path | None], options: "CsvOptions"
) -> "tuple[int, Evaluation]":
    from sfumato.cli.reading import load_pair
    from sfumato.studies import evaluate

    before, after = load_pair(*files, *schemas, options)
    _check_keys(before.schema)
    return before.n, evaluate(before, after)


def _from_disk(
    files: tuple[Path, Path], schemas: tuple[Path | None, Path | None], means: "Means", seed: int
) -> "tuple[int, Evaluation]":
    from sfumato.cli.large import spooled_pair
    from sfumato.data.parquet_source import parquet_source
    from sfumato.studies.large_evaluate import evaluate_from_disk

    sources = parquet_source(files[0]), parquet_source(files[1])
    means.say(max(sources, key=lambda source: source.bytes_in_memory))
    with means.place(files[1]) as place:
        before, after = spooled_pair(sources, *schemas, place)
        _check_keys(before.schema)
        return before.n, evaluate_from_disk(before, after, place=place, seed=seed)


def _check_keys(schema: "Schema") -> None:
    if not schema.with_role("key"):
        raise DataError("No attribute has the role key: say in the schema what an intruder may know.")
