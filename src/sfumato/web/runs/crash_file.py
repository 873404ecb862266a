"""What went wrong in a run: where, but never with what values."""

import traceback
from collections.abc import Iterator
from pathlib import Path

CRASHED = "An unexpected error; details in crash.txt."


def write_crash(error: BaseException, path: Path) -> None:
    """Write where an error came from: files, lines and kinds of errors.

    The message of a foreign error may hold a record's value, so that only its kind is told.
    """
    path.write_text("\n".join(_lines(error)) + "\n", encoding="utf-8")


def _lines(error: BaseException) -> Iterator[str]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _lines(before)
        yield "and then:"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}, line {frame.lineno}, in {frame.name}"
    yield type(error).__name__
