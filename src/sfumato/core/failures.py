"""Whatever goes wrong, in one sentence and with the status that a command leaves with."""

import errno

from sfumato.core.errors import SfumatoError

UNEXPECTED, REFUSED = 1, 2


def explain(error: BaseException) -> tuple[str, int]:
    """The sentence and the status for an error.

    >>> explain(MemoryError())
    ('Not enough memory for this job: try fewer --workers, fewer columns or a larger machine.', 2)
    """
    if isinstance(error, SfumatoError):
        return str(error), error.status
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return (
            "Not enough memory for this job: try fewer --workers, fewer columns or a larger machine.",
            REFUSED,
        )
    if isinstance(error, RecursionError):
        return "What was given is nested too deeply to be read.", REFUSED
    if isinstance(error, OSError) and error.errno is not None:
        return _system(error), REFUSED
    # the message of a foreign error may hold a record's value: only its kind is shown
    return (
        f"Something unexpected failed ({type(error).__name__}); set SFUMATO_DEBUG=1 to see where, "
        "and please report it.",
        UNEXPECTED,
    )


def _system(error: OSError) -> str:
    what = "The disk is full" if error.errno == errno.ENOSPC else error.strerror or type(error).__name__
    return f"{error.filename}: {what}." if error.filename else f"{what}."
