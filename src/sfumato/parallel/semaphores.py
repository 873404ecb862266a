"""Semaphores of processes, named after a temporary folder, so that whoever removes what is left of it finds them too."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import process
from pathlib import Path
from typing import Any

PREFIX = "semprefix"  # where multiprocessing keeps how names begin; there is no public way


@contextmanager
def semaphores_of(folder: Path) -> Iterator[None]:
    """Let semaphores made inside the block bear the name of a temporary folder."""
    settings: dict[str, Any] = getattr(process.current_process(), "_config", {})
    if (
        sys.platform != "linux" or PREFIX not in settings
    ):  # others keep no files of them, or have shorter names
        yield
        return
    earlier = settings[PREFIX]
    settings[PREFIX] = f"/{folder.name.removeprefix('.')}"
    try:
        yield
    finally:
        settings[PREFIX] = earlier
