"""`sfumato reproduce`: a published study run again, and our numbers beside its own."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from sfumato.cli.options import file_path, json_option, quiet_option
from sfumato.cli.outputs import check_folder
from sfumato.cli.parameters import KEY, MethodCommand, given_parameters
from sfumato.cli.printing import print_json, print_table
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching
from sfumato.core import registry

if TYPE_CHECKING:
    from sfumato.studies.reproductions import Reproduced

BAR_FAILS = 1


class ReproduceCommand(MethodCommand):
    """A command whose further options are the parameters of the study that is named."""

    kind: ClassVar[str] = "reproductions"

    def named(self, args: Sequence[str]) -> str | None:
        """The first word that is a reproduction and no folder; without one, the first word if no option."""
        known = registry.names(self.kind)
        before = ["", *args]
        words = [word for word, last in zip(args, before, strict=False) if last not in ("-o", "--output")]
        found = [word for word in words if word.replace("-", "_") in known]
        others = [word for word in words[:1] if not word.startswith("-")]
        return next(iter(found + others), None)


@click.command(cls=ReproduceCommand, short_help="Run a published study again and compare the numbers.")
@click.argument("name", required=False, metavar="[NAME]")
@click.option(
    "-o",
    "--output",
    "folder",
    type=file_path,
    metavar="FOLDER",
    help="Where to write the table (CSV, JSON) and the plots (SVG, PNG).",
)
@json_option
@quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    name: str | None,
    folder: Path | None,
    as_json: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Run a published study again: a table of the published numbers, ours, and what ours must reach.

    Without NAME, list the studies. Their parameters, --seed and --workers among them, are options: see them
    with sfumato reproduce NAME --help. The status is 0 only if every bar holds. Classic files are looked for
    in the folder that the environment variable SFUMATO_DATA names.
    """
    if name is None:
        _show_list(as_json)
        return
    made = ctx.meta[KEY].from_parameters(given_parameters(ctx.meta[KEY], values))
    if folder is not None:
        check_folder(folder if folder.exists() else folder.parent, folder)
    from sfumato.studies.reproductions import write_reproduced

    with watching(quiet=quiet):
        reproduced = made.run()
        stop_if_asked()
        written: list[Path] = []
        if folder is not None:
            folder.mkdir(exist_ok=True)
            written = write_reproduced(reproduced, folder)
    if as_json:
        print_json({**reproduced.to_dict(), "files": [str(path) for path in written]})
    else:
        _show(reproduced, written)
    if not reproduced.holds:
        sys.exit(BAR_FAILS)


def _show_list(as_json: bool) -> None:
    found = {name: registry.summary("reproductions", name) for name in registry.names("reproductions")}
    if as_json:
        print_json(found)
        return
    formatter = click.HelpFormatter(max_width=100)
    with formatter.section("Published studies that can be run again"):
        formatter.write_dl(list(found.items()))
    click.echo(formatter.getvalue().strip())
    click.echo("\nRun one: sfumato reproduce NAME; see its parameters: sfumato reproduce NAME --help")


def _show(reproduced: "Reproduced", written: Sequence[Path]) -> None:
    headings = ("", ">Published", ">Ours", "Bar", "Verdict")
    rows = [
        (line.what, _number(line.published), _number(line.ours), str(line.bar or ""), line.verdict)
        for line in reproduced.lines
    ]
    print_table(f"{reproduced.name}: {reproduced.source}", headings, rows)
    if written:
        click.echo("\nWrote " + ", ".join(str(path) for path in written))
    click.echo(f"\n{reproduced.summary}")


def _number(value: float | None) -> str:
    """Two decimals, more for small numbers, none for large counts.

    >>> _number(19.456), _number(1080.0), _number(0.0123), _number(None)
    ('19.46', '1080', '0.0123', '')
    """
    if value is None:
        return ""
    if abs(value) >= 1000 and float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.3g}" if 0 < abs(value) < 0.1 else f"{value:.2f}"
