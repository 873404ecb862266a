"""`sfumato protect`: the main job."""

from pathlib import Path
from typing import Any

import click

from sfumato.cli.durations import Effort
from sfumato.cli.options import (
    file_path,
    json_option,
    keep_option,
    names_option,
    output_option,
    quiet_option,
    require_option,
    schema_option,
    seed_option,
    text_options,
    workers_option,
)
from sfumato.cli.outputs import check_output
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching
from sfumato.core.errors import ParameterError


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
@keep_option
@seed_option
@workers_option
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
    keep: tuple[str, ...],
    seed: int,
    workers: int | None,
    delimiter: str | None,
    encoding: str | None,
    no_header: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Try many maskings of FILE, choose the one with the best balance of disclosure risk and information
    loss, and write it to OUT with a report beside it.

    If no candidate meets every --require, nothing is written and the status is 3. With --evolve the best
    candidates are evolved after that, and the outcome is written if it is better; Ctrl-C ends the evolution
    and keeps what it found, a second one stops at once.
    """
    from sfumato.cli.reading import csv_options, load
    from sfumato.cli.releasing import print_protection
    from sfumato.cli.writing import writable_suffixes
    from sfumato.parallel import available_cores
    from sfumato.search.stopping import Stop
    from sfumato.studies import protect, write_release
    from sfumato.studies.release import release_paths

    check_output(output, [file, schema_path], writable_suffixes())
    for companion in release_paths(output)[1:]:
        check_output(companion, [file, schema_path])
    options = csv_options(delimiter, encoding, no_header)
    with watching(quiet=quiet):
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
            grouped=_sizes(grouped),
        )
        stop_if_asked()
        written = write_release(protection, output, source=file, options=options)
    print_protection(protection, written, source=file.name, as_json=as_json)


def _sizes(given: tuple[str, ...]) -> tuple[int, ...]:
    for text in given:
        if not text.isascii() or not text.isdigit() or int(text) < 2:
            raise ParameterError(f"--group-attributes takes whole numbers of at least 2. Got {text!r}.")
    return tuple(map(int, given))
