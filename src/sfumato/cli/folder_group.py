"""A command whose subcommands are the files of a folder."""

import importlib
from pathlib import Path
from typing import Any

import click

from sfumato.cli.command import JobCommand
from sfumato.cli.study_saving import with_study_option
from sfumato.core import registry
from sfumato.core.errors import suggestion


class FolderGroup(click.Group):
    """A file in `sfumato/cli/FOLDER` is a command; the file is imported when the command is needed."""

    def __init__(self, *args: Any, folder: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.folder = folder

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        files = (Path(__file__).parent / self.folder).glob("*.py")
        found = {path.stem.replace("_", "-") for path in files if not path.stem.startswith("_")}
        return sorted(found | set(self._jobs()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, loaded now; nothing if there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        if cmd_name in self._jobs():
            return JobCommand(cmd_name, self._jobs()[cmd_name])
        module = f"sfumato.cli.{self.folder}.{cmd_name.replace('-', '_')}"
        command: click.Command = importlib.import_module(module).command
        return with_study_option(command, cmd_name)

    def _jobs(self) -> dict[str, str]:
        """The jobs that are commands here, by the word that asks for them."""
        group = {"group_commands": "groups", "graph_commands": "graph"}.get(self.folder, "")
        found = {}
        for name in registry.names("jobs"):
            *folders, last = name.split()
            if " ".join(folders) == group:
                found[last.replace("_", "-")] = name
        return found

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
