"""How kernels are compiled: cached on disk, and without the interpreter lock."""

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import ParamSpec, TypeVar

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")

FOLDER = Path(__file__).parent


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called, and keep the result for later runs."""
    return njit(cache=True, nogil=True)(function)


def forget_stale_code(folder: Path = FOLDER) -> None:
    """Drop kept code where any kernel has changed.

    Kernels call each other across files, but numba only looks whether the caller's own file is still the
    same; code compiled against an older version of what it calls may crash.
    """
    digest = blake2b(digest_size=16)
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    kept = folder / "__pycache__"
    mark = kept / "kernels.fingerprint"
    try:
        if mark.exists() and mark.read_text() == digest.hexdigest():
            return
        kept.mkdir(exist_ok=True)
        for old in kept.glob("*.nb[ic]"):
            old.unlink(missing_ok=True)
        mark.write_text(digest.hexdigest())
    except OSError:  # a folder that cannot be written to holds no kept code either
        return


forget_stale_code()
