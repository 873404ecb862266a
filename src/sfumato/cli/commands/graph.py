"""`sfumato graph`: social graphs made from profiles, and their nodes as a table."""

import click

from sfumato.cli.folder_group import FolderGroup


@click.group(
    cls=FolderGroup,
    folder="graph_commands",
    short_help="Make social graphs from profiles, protect and judge them.",
    invoke_without_command=True,
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Social graphs: people with a place and topics of interest, and who knows or follows whom.

    Taking the names away protects nobody: a few attributes and the acquaintances of a person are enough to
    find them again.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
