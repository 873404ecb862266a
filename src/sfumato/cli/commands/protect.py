"""`sfumato protect`: the main job."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sfumato.cli.durations import Effort
from sfumato.cli.options import (
    cluster_option,
    disk_options,
    file_path,
    json_option,
    keep_option,
    names_option,
    output_option,
    quiet_option,
    require_option,
    run_option,
    schema_option,
    seed_option,
    text_options,
    workers_option,
)
from sfumato.cli.outputs import check_is_folder, check_output, check_outside
from sfumato.cli.specs import Spec
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching
from sfumato.core.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.data import CsvOptions


@click.command(short_help="Find the best balanced protection of a file and write it.")
@click.argument("file", type=file_path)
@output_option
@schema_option
@names_option("--key", "keys", help="The key attributes, in place of those proposed or declared.")
@names_option("--methods", help="Methods to try.  [default: all]")
@require_option
@click.option(
    "--score",
    type=click.Choice(["max", "mean"]),
    default="max",
    help="Balance by the larger of loss and risk, or by their mean.  [default: max]",
)
@names_option(
    "--group-attributes",
    "grouped",
    metavar="K,…",
    help="Also search which numeric keys to microaggregate together, for each K.",
)
@click.option(
    "--evolve",
    type=Effort(),
    metavar="TIME",
    help="Then evolve the best candidates for 60s, 5m, 1h, or 300g (generations).",
)
@click.option(
    "--masking",
    type=Spec(),
    metavar="SPEC",
    help="Protect with this masking, given as JSON, in place of a search: a method or a list of them, such as "
    '\'{"method": "mdav", "k": 5}\'.',
)
@run_option
@keep_option
@seed_option
@workers_option
@cluster_option
@disk_options
@click.option(
    "--sample",
    type=click.IntRange(min=100),
    default=50_000,
    metavar="INTEGER",
    help="Records to try candidates on where a file is worked on from disk.  [default: 50000]",
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
    require: tuple[str, ...],
    score: str,
    grouped: tuple[str, ...],
    evolve: dict[str, Any] | None,
    masking: Any,
    folder: Path | None,
    keep: tuple[str, ...],
    seed: int,
    workers: int | None,
    cluster: str,
    memory: int | None,
    work: Path | None,
    sample: int,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Try many maskings of FILE, choose the one with the best balance of disclosure risk and information
    loss, and write it to OUT with a report beside it.

    If no candidate meets every --require, nothing is written and the status is 3. With --evolve the best
    candidates are evolved after that, and the outcome is written if it is better; Ctrl-C ends the evolution
    and keeps what it found, a second one stops at once.

    FILE may be a folder of Parquet files. Parquet that is too large for memory is protected from disk: the
    candidates are tried on a random sample, and the best of them are applied to the whole file until one
    meets every --require there. OUT must then be Parquet too.
    """
    from sfumato.cli.large import Means
    from sfumato.cli.large_protecting import Asked, protect_large, refuse_searches
    from sfumato.cli.reading import load
    from sfumato.cli.releasing import print_protection
    from sfumato.cli.writing import writable_suffixes
    from sfumato.parallel import available_cores
    from sfumato.search.stop import Stop
    from sfumato.studies import Protection, protect, write_release
    from sfumato.studies.release import release_paths

    check_output(output, [file, schema_path], writable_suffixes())
    check_outside(output, file)
    for companion in release_paths(output)[1:]:
        check_output(companion, [file, schema_path])
    check_is_folder(folder)
    sizes = _sizes(grouped)
    means = Means(memory, work or folder, workers, cluster)
    with watching(quiet=quiet):
        large = means.source(file)
        if large is not None:
            refuse_searches(file, evolve=evolve is not None, grouped=bool(sizes))
            asked = Asked(methods, require, score, keep, seed, sample, masking)
            protection: Protection
            protection, written = protect_large(large, output, schema_path, keys, asked, means)
        else:
            loaded = load(file, schema_path, options).with_keys(keys)
            loaded.say_keys()
            loaded.say_dropped(keep)
            protection = protect(
                loaded.table,
                methods=methods,
                require=require,
                score=score,
                keep=keep,
                seed=seed,
                workers=workers or available_cores(),
                evolve=None if evolve is None else Stop(**evolve),
                grouped=sizes,
                masking=masking,
                folder=folder,
                cluster=cluster,
            )
            stop_if_asked()
            written = write_release(protection, output, source=file, options=options)
    print_protection(protection, written, source=file.name, as_json=as_json)


def _sizes(given: tuple[str, ...]) -> tuple[int, ...]:
    for text in given:
        if not text.isascii() or not text.isdigit() or int(text) < 2:
            raise ParameterError(f"--group-attributes takes whole numbers of at least 2. Got {text!r}.")
    return tuple(map(int, given))
