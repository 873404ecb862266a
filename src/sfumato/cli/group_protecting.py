"""What `sfumato groups protect` and `sfumato groups report` share: the attack before, and what is said after."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sfumato.cli.groups import auxiliary_schema_option, group_options
from sfumato.cli.options import file_path, names_option
from sfumato.core.progress import note

if TYPE_CHECKING:
    from sfumato.data import CsvOptions, Table
    from sfumato.groups.fuzzy_model import FuzzyModel
    from sfumato.groups.signals import Group
    from sfumato.studies.group_comparison import GroupComparison

Function = TypeVar("Function", bound=Callable[..., Any])

SAYS = {
    ".swaps.csv": "the list of swaps: whoever has it can undo the protection; keep it",
    ".record.json": "all that is needed to repeat and to audit it; keep it",
    ".report.html": "the report, for you alone: open it next",
    ".schema.toml": "the schema of the protected file",
}


def attack_options(function: Function) -> Function:
    """Who is meant, and who attacks: somebody with a third-party file, or whoever can count."""
    for option in (
        names_option("--strike", help="Places that are no secret: never counted as outliers."),
        click.option(
            "--significance",
            type=float,
            default=0.001,
            metavar="ALPHA",
            help="Of outliers.  [default: 0.001]",
        ),
        click.option(
            "--signal",
            type=click.Choice(["quantity", "concentration"]),
            default="quantity",
            help="Count members, or their share of each place.  [default: quantity]",
        ),
        names_option("--hide", "named", help="The places to hide.  [default: those the attack sees]"),
        click.option(
            "--attack-generations",
            type=click.IntRange(min=1),
            default=200,
            metavar="N",
            help="Of each of ten runs that learn the rules.  [default: 200]",
        ),
        click.option(
            "--words", type=file_path, metavar="FILE.toml", help="The linguistic variables of the attack."
        ),
        auxiliary_schema_option,
        click.option(
            "--auxiliary",
            type=file_path,
            metavar="FILE",
            help="A third-party file to learn the group from.  [default: count the group itself]",
        ),
        group_options,
    ):
        function = option(function)
    return function


def learnt_model(
    microfile: "Table",
    group: "Group",
    *,
    auxiliary: Path | None,
    auxiliary_schema: Path | None,
    words: Path | None,
    generations: int,
    seed: int,
    options: "CsvOptions",
    folder: Path | None = None,
) -> "FuzzyModel | None":
    """The model that the attack learns from a third-party file; none where there is no such file.

    An attack that is stopped teaches nothing: what follows would not fit the one that is learnt to the end.
    """
    if auxiliary is None:
        return None
    from sfumato.cli.reading import load
    from sfumato.groups.linguistic_variables import Vocabulary
    from sfumato.parallel import available_cores
    from sfumato.studies.group_attack import group_attack

    vocabulary = None if words is None else Vocabulary.read(words)
    other = load(auxiliary, auxiliary_schema, options).table
    attack = group_attack(
        microfile,
        other,
        group,
        vocabulary,
        generations=generations,
        seed=seed,
        workers=available_cores(),
        folder=folder,
        whole=True,
    )
    note(attack.verdict)
    return attack.model


def say_comparison(comparison: "GroupComparison") -> None:
    """What the attack sees before and after, and what it cost."""
    click.echo(comparison.verdict)
    click.echo(f"  to be hidden    {', '.join(comparison.named) or 'nothing'}")
    click.echo(f"  seen before     {', '.join(comparison.found_before.names) or 'nothing'}")
    click.echo(f"  seen after      {', '.join(comparison.found_after.names) or 'nothing'}")
    click.echo(f"  values altered  {comparison.altered_values:,} ({comparison.altered_percent:.4f} %)")
    kept = "kept" if comparison.sizes_kept else "changed"
    click.echo(f"  records of every place  {kept}")


def say_files(written: Sequence[Path]) -> None:
    """What was written, and what each file is."""
    click.echo("Wrote:")
    width = max(len(str(path)) for path in written)
    for path in written:
        about = next((text for end, text in SAYS.items() if path.name.endswith(end)), "the protected file")
        click.echo(f"  {path!s:<{width}}  {about}")
