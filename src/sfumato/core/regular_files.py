"""Files that are what their names promise: no device, pipe or folder, and where a text is wanted, a small one."""

from pathlib import Path
from stat import S_ISDIR, S_ISREG

from sfumato.core.errors import FileError
from sfumato.core.quantities import Size

MOST = Size(64 * 10**6)  # bytes of a schema, a hierarchy, a study or another text that people write


def check_regular(path: Path, what: str = "") -> None:
    """Refuse what is no file that can be read to its end; `what` says what it should have been.

    >>> check_regular(Path("/dev/zero"))
    Traceback (most recent call last):
    sfumato.core.errors.FileError: /dev/zero is no ordinary file: give the name of one on a disk.
    """
    name = f"{what} {path}".strip()
    try:
        mode = path.stat().st_mode
        if S_ISREG(mode):
            path.open("rb").close()
    except PermissionError:
        raise FileError(f"{name} cannot be read: permission is denied.") from None
    except (OSError, ValueError):  # a name that no file can have is the name of none
        raise FileError(f"{name} does not exist.") from None
    if S_ISDIR(mode):
        raise FileError(f"{name} is a folder: give the name of a file in it.")
    if not S_ISREG(mode):
        raise FileError(f"{name} is no ordinary file: give the name of one on a disk.")


def small_text(path: Path, what: str, *, encoding: str = "utf-8") -> str:
    """The text of a file that people write, never more of it than a machine can hold with ease."""
    check_regular(path, what)
    try:
        with path.open("rb") as file:
            content = file.read(MOST + 1)
    except OSError as error:
        raise FileError(f"{what} {path} cannot be read: {error.strerror}.") from None
    if len(content) > MOST:
        raise FileError(f"{what} {path} is larger than {MOST}, the most that such a file may have.")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        raise FileError(f"{what} {path} cannot be read as {encoding.upper()} text.") from None
