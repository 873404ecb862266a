"""`sfumato groups`: where a group is, who could find out, and how to hide it."""

import click

from sfumato.cli.folder_group import FolderGroup


@click.group(
    cls=FolderGroup,
    folder="group_commands",
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
