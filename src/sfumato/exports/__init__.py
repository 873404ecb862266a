"""Steps in the words of other programs: a script of Python, of R with sdcMicro, or of Stata, by the suffix of its file."""

from collections.abc import Callable
from pathlib import Path

from sfumato.core import FileError
from sfumato.exports._script import Script, Step
from sfumato.exports.python_script import python_script
from sfumato.exports.sdcmicro_script import sdcmicro_script
from sfumato.exports.stata_script import stata_script

__all__ = ["SUFFIXES", "Script", "Step", "exported"]

WRITERS: dict[str, Callable[[Script], str]] = {
    ".py": python_script,
    ".r": sdcmicro_script,
    ".do": stata_script,
}
SUFFIXES = tuple(WRITERS)


def exported(path: Path, script: Script) -> str:
    """The text of a script, in the language that the suffix of its file says."""
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise FileError(f"Output {path}: unknown suffix {path.suffix!r}. Known: {', '.join(SUFFIXES)}.")
    return writer(script)
