"""What the user wants of a run: a word in a file, written by the server and read by the run's process."""

from pathlib import Path
from typing import Literal, get_args

from sfumato.data.files import writing

CONTROL = "control"

Wish = Literal["run", "pause", "stop", "end"]
"""Go on; wait; stop and keep the best; stop and keep nothing."""


def wish_of(folder: Path) -> Wish:
    """What is wanted of a run; to go on where nothing was said.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> wish_of(folder)
    'run'
    >>> ask(folder, "pause")
    >>> wish_of(folder)
    'pause'
    """
    try:
        word = (folder / CONTROL).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return "run"
    return next((wish for wish in get_args(Wish) if wish == word), "run")


def ask(folder: Path, wish: Wish) -> None:
    with writing(folder / CONTROL) as path:
        path.write_text(wish, encoding="utf-8")
