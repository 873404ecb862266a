"""`sfumato groups report`: attack a file and its protected version, and report what is seen in both."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.group_protecting import attack_options, learnt_model, say_comparison
from sfumato.cli.groups import group_from
from sfumato.cli.options import (
    file_path,
    json_option,
    quiet_option,
    schema_option,
    seed_option,
    text_options,
)
from sfumato.cli.outputs import check_output
from sfumato.cli.printing import print_json
from sfumato.cli.watching import watching

if TYPE_CHECKING:
    from sfumato.data import CsvOptions


@click.command(short_help="Attack a file and its protected version, and report what is seen in both.")
@click.argument("original", type=file_path)
@click.argument("protected", type=file_path)
@attack_options
@click.option(
    "--html",
    type=file_path,
    metavar="FILE.html",
    help="Write the report with both signals; keep it to yourself.",
)
@schema_option
@click.option(
    "--protected-schema",
    "protected_schema_path",
    type=file_path,
    metavar="FILE.toml",
    help="What the columns of the protected file are.  [default: as in the original]",
)
@seed_option
@text_options
@json_option
@quiet_option
def command(
    original: Path,
    protected: Path,
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
    html: Path | None,
    schema_path: Path | None,
    protected_schema_path: Path | None,
    seed: int,
    options: "CsvOptions",
    as_json: bool,
    quiet: bool,
) -> None:
    """Attack ORIGINAL and PROTECTED in the same way, and say which places stand out in each, in how many
    values they differ, and whether every place kept its number of records.

    It needs no list of swaps and believes nothing that was said when the file was protected.
    """
    from sfumato.cli.reading import load_pair
    from sfumato.data import writing
    from sfumato.studies.group_comparison import compare_groups
    from sfumato.studies.group_report import group_report_html

    inputs = (original, protected, auxiliary, words, schema_path, protected_schema_path)
    if html is not None:
        check_output(html, inputs, (".html", ".htm"))
    group = group_from(vital, parameter, weight)
    with watching(quiet=quiet):
        before, after = load_pair(original, protected, schema_path, protected_schema_path, options)
        model = learnt_model(
            before,
            group,
            auxiliary=auxiliary,
            auxiliary_schema=auxiliary_schema_path,
            words=words,
            generations=attack_generations,
            seed=seed,
            options=options,
        )
        comparison = compare_groups(
            before,
            after,
            group,
            model=model,
            named=named,
            signal=signal,
            significance=significance,
            strike=strike,
        )
        if html is not None:
            with writing(html) as path:
                page = group_report_html(comparison, source=original.name, model=model)
                path.write_text(page, encoding="utf-8", newline="\n")
    if as_json:
        print_json(comparison)
        return
    say_comparison(comparison)
    if html is not None:
        click.echo(f"Wrote {html}")
