"""`sfumato web`: the workbench, pages in a browser on this machine."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.interrupt import deferred, forget
from sfumato.core.errors import MissingExtraError, ParameterError
from sfumato.core.private import OTHERS
from sfumato.core.quantities import Size

if TYPE_CHECKING:
    from sfumato.web.questions.process.question_pool import QuestionPool
    from sfumato.web.server.loopback_socket import LoopbackSocket
    from sfumato.web.workspace import Workspace


@click.command(short_help="Open the workbench: data, risk, search and release in a browser.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="FOLDER",
    help="The folder files may be opened from.  [default: this one]",
)
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where projects and runs are kept.  [default: FOLDER/.sfumato]",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="INTEGER",
    help="The port on this machine.  [default: a free one]",
)
@click.option(
    "--most-upload",
    default="200MB",
    metavar="SIZE",
    help="How large an uploaded file may be, such as 50MB or 2GB.  [default: 200MB]",
)
@click.option(
    "--memory",
    metavar="SIZE",
    help="What the pages may take to look at files, such as 2GB; runs come on top.  [default: half of the machine's]",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the address in a browser.")
def command(
    folder: Path, home: Path | None, port: int, most_upload: str, memory: str | None, open_browser: bool
) -> None:
    """Open the workbench: see the data, the risk and the trade-off, protect, inspect and release.

    It answers only on this machine, to whoever has the address that is printed. Runs go on when it ends, and are
    found again when it is started.
    """
    most = _bytes("--most-upload", most_upload)
    if find_spec("nicegui") is None:
        raise MissingExtraError("The workbench", "web")
    from sfumato.web.questions.process.question_pool import QuestionPool
    from sfumato.web.server.loopback_socket import listen
    from sfumato.web.workspace import Workspace

    os.umask(OTHERS)
    workspace, questions = (
        Workspace(folder, home),
        QuestionPool(_bytes("--memory", memory) if memory else None),
    )
    listening = listen(port)
    try:
        questions.start()  # while the pages are loaded
        click.echo(f"Open {listening.address} in a browser; Ctrl-C ends it, runs go on.")
        if open_browser:
            click.launch(listening.address)
        with deferred():
            serve = _loaded(workspace, listening, questions, most)
        serve()
    except KeyboardInterrupt:  # the way to end it
        forget()
    finally:
        questions.close()
        listening.socket.close()


def _loaded(
    workspace: "Workspace", listening: "LoopbackSocket", questions: "QuestionPool", most: int
) -> Callable[[], None]:
    """The pages, which take a while to load, with the address on the screen already."""
    from sfumato.web.server.application import server

    return server(workspace, listening, questions=questions, most_upload=most)


def _bytes(option: str, size: str) -> int:
    """The size that an option was given, in bytes.

    >>> _bytes("--most-upload", "2 KB")
    2000
    """
    try:
        return Size.convert(size)
    except ValueError:
        raise ParameterError(f"{option} must be {Size.noun}. Got {size!r}.") from None
