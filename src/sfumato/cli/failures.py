"""Whatever goes wrong becomes one sentence on the error stream and an exit status."""

import os
import sys
import traceback

import click

from sfumato.cli.interrupt import SENTENCE, termination, was_asked_to_stop
from sfumato.core import failures
from sfumato.core.failures import REFUSED

STOPPED = 130


def status_of(error: BaseException) -> int:
    """Report an error to the user and return the status to leave with."""
    if isinstance(error, BrokenPipeError):
        close_quietly()
        return 0
    if os.environ.get("SFUMATO_DEBUG"):
        traceback.print_exception(error)
    sentence, status = explain(error)
    click.echo(f"Error: {one_line(sentence)}", err=True)
    return status


def explain(error: BaseException) -> tuple[str, int]:
    """The sentence and the status for an error, those of the command line among them."""
    if (ended := termination()) is not None:
        return str(ended), ended.status
    if was_asked_to_stop() or isinstance(error, KeyboardInterrupt | click.Abort):
        return SENTENCE, STOPPED
    if isinstance(error, click.ClickException):
        return _usage(error), REFUSED
    return failures.explain(error)


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    where = f" See {context.command_path} --help." if context is not None else ""
    sentence = error.format_message().rstrip()
    return sentence + ("" if sentence.endswith((".", "?")) else ".") + where


def one_line(sentence: str) -> str:
    """A sentence as a terminal may show it: names of columns can hold line ends and control characters."""
    printable = (character if character.isprintable() else "?" for character in " ".join(sentence.split()))
    return "".join(printable)


def close_quietly() -> None:
    """Send what is left to nowhere: the reader has gone, and Python would complain when it flushes."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
