"""`sfumato groups`: where a group is, who could find out, and how to hide it."""

import importlib
from pathlib import Path

import click

from sfumato.core.errors import suggestion

FOLDER = Path(__file__).parent.parent / "group_commands"


class GroupCommands(click.Group):
    """A file in `group_commands` is a command; the file is imported when the command is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, loaded now; nothing if there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"sfumato.cli.group_commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words ask for, with a suggestion where there is none."""
        name = args[0]
        if not name.startswith("-") and name not in self.list_commands(ctx):
            raise click.UsageError(
                f"Unknown command {name!r}.{suggestion(name, self.list_commands(ctx))}", ctx
            )
        return super().resolve_command(ctx, args)


@click.group(
    cls=GroupCommands,
    short_help="Find out, and hide, where the members of a group are.",
    invoke_without_command=True,
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Group anonymity: where the members of a group are, and who could find out.

    A file can hide who belongs to a group and still tell where they are: an area with far too many people who
    look like soldiers gives a base away.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
