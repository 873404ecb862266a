"""How kernels are compiled: kept on disk wherever numba keeps code, and without the interpreter lock."""

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from numba import njit
from numba.core.caching import IndexDataCacheFile

P = ParamSpec("P")
R = TypeVar("R")

FOLDER = Path(__file__).parent


def fingerprint(folder: Path) -> str:
    """Of the sources of all kernels: they call each other across files, so code compiled of one hangs on all."""
    digest = blake2b(digest_size=16)
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class KeptCode(IndexDataCacheFile):
    """Numba's store of compiled code, made safe for several processes and for kernels that call each other.

    Numba numbers the files of a function in the order they are saved: two processes that compile it for different types
    at the same time may take one number, and then the code of one is found under the types of the other. Here a file
    is named by what it is for. And numba looks only whether the file of a function has changed, not those it calls.
    """

    def __init__(self, numbas: IndexDataCacheFile, sources: str) -> None:
        stem = numbas._index_name.removesuffix(".nbi")
        super().__init__(numbas._cache_path, stem, (numbas._source_stamp, sources))

    def save(self, key: Any, data: Any) -> None:
        number = int.from_bytes(blake2b(repr((self._source_stamp, key)).encode(), digest_size=8).digest())
        name = self._data_name(number)
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})


def kept(function: Callable[P, R], sources: str) -> Callable[P, R]:
    """Compile a function when it is first called, and keep the result for runs with the same sources."""
    compiled: Any = njit(cache=True, nogil=True)(function)
    compiled._cache._cache_file = KeptCode(compiled._cache._cache_file, sources)
    return compiled  # type: ignore[no-any-return]


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called, and keep the result for later runs."""
    return kept(function, SOURCES)


def forget_stale_code(folder: Path, sources: str) -> None:
    """Remove from the tree what was kept of other sources: nobody would load it again."""
    old = folder / "__pycache__"
    mark = old / "kernels.fingerprint"
    try:
        if mark.exists() and mark.read_text() == sources:
            return
        old.mkdir(exist_ok=True)
        for path in old.glob("*.nb[ic]"):
            path.unlink(missing_ok=True)
        mark.write_text(sources)
    except OSError:  # a folder that cannot be written to holds no kept code either
        return


SOURCES = fingerprint(FOLDER)
forget_stale_code(FOLDER, SOURCES)
