"""`sfumato mask`: one method with the parameters given."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sfumato.cli.options import (
    file_path,
    json_option,
    keep_option,
    output_option,
    quiet_option,
    schema_option,
    seed_option,
    text_options,
)
from sfumato.cli.outputs import check_output
from sfumato.cli.parameters import KEY, MethodCommand, given_parameters
from sfumato.cli.printing import print_json, print_scores
from sfumato.cli.watching import watching
from sfumato.core.progress import note

if TYPE_CHECKING:
    from sfumato.cli.reading import Loaded
    from sfumato.data import Table
    from sfumato.masking import Masking
    from sfumato.studies import Evaluation

NOT_MASKED = ("identifier", "household", "weight")  # roles that are left alone unless named


@click.command(cls=MethodCommand, short_help="Mask a file with one method.")
@click.argument("file", type=file_path)
@click.option(
    "-m", "--method", required=True, metavar="NAME", help="The method; list them with: sfumato methods"
)
@output_option
@schema_option
@keep_option
@seed_option
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
    delimiter: str | None,
    encoding: str | None,
    no_header: bool,
    as_json: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Mask FILE with one method and write OUT. The method's parameters are options: see them with
    sfumato mask --method NAME --help.

    Without --schema all columns the method can take are masked, save those that look like identifiers,
    households or survey weights; a method that draws whole records changes only survey weights.
    Identifiers are dropped. The schema of OUT is written beside it as STEM.schema.toml.
    """
    from sfumato.cli.reading import csv_options, load
    from sfumato.cli.writing import schema_beside, writable_suffixes, write_masked
    from sfumato.studies.released import released_names

    made = ctx.meta[KEY].from_parameters(given_parameters(ctx.meta[KEY], values))
    check_output(output, [file, schema_path], writable_suffixes())
    check_output(schema_beside(output), [file, schema_path])
    with watching(quiet=quiet):
        options = csv_options(delimiter, encoding, no_header)
        made, table = _prepared(made, load(file, schema_path, options))
        names = released_names(table, keep)
        masked, evaluation = _masked(made, table, seed)
        written = write_masked(masked.select(names), output, options)
    files = [str(path) for path in written]
    if as_json:
        scores = evaluation.to_dict() if evaluation else {}
        print_json({"method": made.spec(), "seed": seed, "files": files, **scores})
        return
    of_all = f" of {table.n}" if masked.n < table.n else ""
    click.echo(f"{made}\n{masked.n}{of_all} records; wrote {', '.join(files)}")
    if evaluation:
        print_scores(evaluation, parts=False)


def _prepared(made: "Masking", loaded: "Loaded") -> "tuple[Masking, Table]":
    """Without a schema: which columns to mask, taken as the keys so that they are also what is judged."""
    table = loaded.table
    if not made.keeps_records:
        loaded.say_keys()
    if not loaded.proposed or not made.keeps_records:
        return made, table
    names = made.named or tuple(
        a.name for a in table.schema if a.role not in NOT_MASKED and a.scale in made.taken
    )
    if not made.named and names:
        left = [a.name for a in table.schema if a.name not in names]
        note(f"no schema given: masking {', '.join(names)}" + (f"; not {', '.join(left)}." if left else "."))
        made = dataclasses.replace(made, attributes=names)
    return made, table.with_schema(table.schema.with_roles(dict.fromkeys(names, "key")))


def _masked(made: "Masking", table: "Table", seed: int) -> "tuple[Table, Evaluation | None]":
    from sfumato.studies import mask, mask_and_evaluate

    if table.n > 0 and table.schema.with_role("key"):
        return mask_and_evaluate(table, made, seed=seed)
    return mask(table, made, seed=seed), None
