"""Pages and questions by name: the folder is the list, the file name is the name."""

import importlib
from pathlib import Path
from types import ModuleType

from sfumato.core import UnknownNameError


def names(folder: str) -> tuple[str, ...]:
    """The names of the files of a folder of this package, in alphabetical order.

    >>> "columns" in names("questions")
    True
    """
    files = (Path(__file__).parent / folder).glob("*.py")
    return tuple(sorted(path.stem for path in files if not path.stem.startswith("_")))


def load(folder: str, name: str) -> ModuleType:
    if name not in names(folder):
        raise UnknownNameError(folder.removesuffix("s"), name, names(folder))
    return importlib.import_module(f"sfumato.web.{folder}.{name}")
