"""What can go wrong, in one small tree.

Each error is also the builtin a caller would expect, and its message is one sentence that names who,
which rule, what was got and what to do. No message ever holds a record's value.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class SfumatoError(Exception):
    """Anything this package refuses; the command line turns it into one sentence and a status."""

    status = 2


class ParameterError(SfumatoError, ValueError):
    """A parameter of a method is outside what the method allows."""


class DataError(SfumatoError, ValueError):
    """The data, or the schema that describes them, break a rule."""


class UnknownNameError(SfumatoError, LookupError):
    """A method, parameter, column or role that does not exist; where few are known, all of them may be `listed`."""

    def __init__(self, what: str, name: str, known: Iterable[str], listed: bool = False) -> None:
        self.what, self.name, self.known, self.listed = what, name, tuple(known), listed
        super().__init__(f"Unknown {what} {name!r}.{suggestion(name, self.known, listed=listed)}")

    def __reduce__(self) -> tuple[type, tuple[str, str, tuple[str, ...], bool]]:
        return type(self), (self.what, self.name, self.known, self.listed)


class FileError(SfumatoError, OSError):
    """A file cannot be found, read or written."""


class MissingExtraError(SfumatoError, ImportError):
    """A feature needs an optional package that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        self.feature, self.extra = feature, extra
        super().__init__(
            f"{feature} needs an optional package: install it with pip install 'sfumato[{extra}]'."
        )

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.feature, self.extra)


class GateError(SfumatoError):
    """No candidate meets what the user required of a release; nothing was written."""

    status = 3


class Cancelled(SfumatoError):  # noqa: N818 -- a request, not a mistake
    """The user stopped the work."""

    status = 130


def suggestion(name: str, known: Iterable[str], *, listed: bool = False) -> str:
    """Say which known name was probably meant, or list them all where none is close or a list is wanted.

    >>> suggestion("mdva", ["mdav", "pram"])
    ' Did you mean mdav?'
    >>> suggestion("noise", ["mdav", "pram"])
    ' Known: mdav, pram.'
    """
    names = sorted(known)
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    meant = f" Did you mean {close[0]}?" if close else ""
    if meant and not listed:
        return meant
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return f"{meant} Known: {shown}." if names else ""
