"""Whatever goes wrong becomes one sentence on the error stream and an exit status."""

import errno
import os
import sys
import traceback

import click

from sfumato.cli.interrupt import SENTENCE, was_asked_to_stop
from sfumato.core.errors import SfumatoError

UNEXPECTED, REFUSED, STOPPED = 1, 2, 130


def status_of(error: BaseException) -> int:
    """Report an error to the user and return the status to leave with."""
    if isinstance(error, BrokenPipeError):
        close_quietly()
        return 0
    if os.environ.get("SFUMATO_DEBUG"):
        traceback.print_exception(error)
    sentence, status = explain(error)
    click.echo(f"Error: {_one_line(sentence)}", err=True)
    return status


def explain(error: BaseException) -> tuple[str, int]:
    """The sentence and the status for an error.

    >>> explain(MemoryError())
    ('Not enough memory for this job: try fewer --workers, fewer columns or a larger machine.', 2)
    """
    if was_asked_to_stop() or isinstance(error, KeyboardInterrupt | click.Abort):
        return SENTENCE, STOPPED
    if isinstance(error, SfumatoError):
        return str(error), error.status
    if isinstance(error, click.ClickException):
        return _usage(error), REFUSED
    if isinstance(error, MemoryError):
        return (
            "Not enough memory for this job: try fewer --workers, fewer columns or a larger machine.",
            REFUSED,
        )
    if isinstance(error, OSError) and error.errno is not None:
        return _system(error), REFUSED
    # the message of a foreign error may hold a record's value: only its kind is shown
    return (
        f"Something unexpected failed ({type(error).__name__}); set SFUMATO_DEBUG=1 to see where, "
        "and please report it.",
        UNEXPECTED,
    )


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    where = f" See {context.command_path} --help." if context is not None else ""
    sentence = error.format_message().rstrip()
    return sentence + ("" if sentence.endswith((".", "?")) else ".") + where


def _system(error: OSError) -> str:
    what = "The disk is full" if error.errno == errno.ENOSPC else error.strerror or type(error).__name__
    return f"{error.filename}: {what}." if error.filename else f"{what}."


def _one_line(sentence: str) -> str:
    printable = (character if character.isprintable() else "?" for character in " ".join(sentence.split()))
    return "".join(printable)


def close_quietly() -> None:
    """Send what is left to nowhere: the reader has gone, and Python would complain when it flushes."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
