"""The `sfumato` command: lists what can be asked for, and ends with one sentence and a status if something is wrong."""

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from sfumato.cli.failures import close_quietly, status_of
from sfumato.cli.interrupt import SENTENCE, stoppable
from sfumato.cli.job_group import CommandFolder
from sfumato.core.errors import Cancelled

ORDER = (
    "demo",
    "describe",
    "protect",
    "evolve",
    "evolve-pram",
    "evolve-equation",
    "group-attributes",
    "mask",
    "evaluate",
    "attack",
    "run",
    "methods",
)


class CommandLine(CommandFolder):
    """The command with all others in it."""

    def __init__(self, *, name: str, help: str, epilog: str) -> None:
        settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        super().__init__(
            name, help=help, epilog=epilog, context_settings=settings, params=[_version_option()]
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which people need them."""
        found = set(super().list_commands(ctx))
        return [name for name in ORDER if name in found] + sorted(found - set(ORDER))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; Ctrl-C is a request like any other."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Cancelled(SENTENCE) from None
        except BrokenPipeError:
            close_quietly()
            ctx.exit(0)

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run, and leave with a status; whatever goes wrong becomes one sentence."""
        extra["standalone_mode"] = False
        with stoppable():
            try:
                super().main(args, prog_name, **extra)
                sys.stdout.flush()
            except (Exception, KeyboardInterrupt) as error:
                sys.exit(status_of(error))
        sys.exit(0)


def _version_option() -> click.Option:
    def show(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted:
            from sfumato.version import __version__

            click.echo(f"sfumato {__version__}")
            ctx.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show the version.",
    )
