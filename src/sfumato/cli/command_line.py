"""The `sfumato` command: lists what can be asked for, and ends with one sentence and a status if something is wrong."""

import ast
import gc
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from sfumato.cli.command import JobCommand
from sfumato.cli.failures import close_quietly, status_of
from sfumato.cli.interrupt import SENTENCE, Terminated, stoppable
from sfumato.core import registry
from sfumato.core.errors import Cancelled, suggestion

ORDER = (
    "demo",
    "describe",
    "protect",
    "steps",
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


COLLECTED = 10_000  # new objects before Python looks for cycles among all: a tenth of a short run, where it looks at 700


class JobGroup(click.Group):
    """The jobs of a folder, and groups of those in the folders within it. Nothing is loaded to list them."""

    def __init__(self, name: str, folder: str = "", **settings: Any) -> None:
        super().__init__(name, invoke_without_command=True, callback=_welcome, **settings)
        self.folder = folder

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self._jobs(), *self._groups()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self._jobs():
            return JobCommand(cmd_name, self._jobs()[cmd_name])
        if cmd_name in self._groups():
            folder = f"{self.folder} {cmd_name}".strip()
            short, _, text = _docstring(folder).partition("\n\n")
            return JobGroup(cmd_name, folder, short_help=short, help=text)
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words ask for, with a suggestion where there is none."""
        name = args[0]
        known = self.list_commands(ctx)
        if not name.startswith("-") and name not in known:
            raise click.UsageError(f"Unknown command {name!r}.{suggestion(name, known)}", ctx)
        return super().resolve_command(ctx, args)

    def _jobs(self) -> dict[str, str]:
        """The jobs of the folder, by the word that asks for them."""
        inner = [(name, name.rpartition(" ")) for name in registry.names("jobs")]
        return {last.replace("_", "-"): name for name, (folder, _, last) in inner if folder == self.folder}

    def _groups(self) -> set[str]:
        start = self.folder.split()
        words = [name.split()[:-1] for name in registry.names("jobs")]
        return {w[len(start)] for w in words if w[: len(start)] == start and len(w) > len(start)}


class CommandLine(JobGroup):
    """The command with all others in it: the jobs, and the commands of `cli/commands` that are none."""

    def __init__(self, *, name: str, help: str, epilog: str) -> None:
        settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        super().__init__(
            name, help=help, epilog=epilog, context_settings=settings, params=[_version_option()]
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which people need them."""
        others = (path.stem for path in (Path(__file__).parent / "commands").glob("[!_]*.py"))
        found = {*super().list_commands(ctx), *others}
        return [name for name in ORDER if name in found] + sorted(found - set(ORDER))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)
        if found is None and cmd_name in self.list_commands(ctx):
            found = importlib.import_module(f"sfumato.cli.commands.{cmd_name}").command
        return found

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
        gc.set_threshold(COLLECTED)
        with stoppable():
            try:
                super().main(args, prog_name, **extra)
                sys.stdout.flush()
            except (Exception, KeyboardInterrupt, Terminated) as error:
                sys.exit(status_of(error))
        sys.exit(0)


@click.pass_context
def _welcome(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _docstring(folder: str) -> str:
    """What a folder of jobs says of itself, read without importing it."""
    path = Path(__file__).parents[1] / "jobs" / Path(*folder.split()) / "__init__.py"
    text = path.read_text(encoding="utf-8") if path.is_file() else '""'
    return ast.get_docstring(ast.parse(text)) or ""


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
