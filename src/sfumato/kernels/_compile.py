"""How kernels are compiled: kept on disk wherever numba keeps code, and without the interpreter lock."""

import re
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numba import njit
from numba.core.caching import IndexDataCacheFile

INT64: type[int] = np.int64  # type: ignore[assignment]
TRUTH: type[bool] = np.bool_  # type: ignore[assignment]
"""Numbers as arrays hold them: a plain 0 has a type of its own, for which every kernel that is given it was compiled again."""

P = ParamSpec("P")
R = TypeVar("R")

IMPORTED = re.compile(r"^from ([\w.]+) import", re.MULTILINE)


@cache
def fingerprint(path: Path) -> str:
    """Of the sources that code compiled of this file hangs on: its own, and those beside it that it imports, and so on."""
    digest = blake2b(digest_size=16)
    for one in sorted(_with_imported(path)):
        digest.update(one.read_bytes())
    return digest.hexdigest()


def _with_imported(path: Path) -> set[Path]:
    found, waiting = set(), [path]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            names = IMPORTED.findall(one.read_text(encoding="utf-8"))
            beside = (path.with_name(f"{name.rpartition('.')[2]}.py") for name in names)
            waiting += [other for other in beside if other.exists()]
    return found


class KeptCode(IndexDataCacheFile):
    """Numba's store of compiled code, made safe for several processes and for kernels that call each other.

    Numba numbers the files of a function in the order they are saved: two processes that compile it for different types
    at the same time may take one number, and then the code of one is found under the types of the other. Here a file
    is named by what it is for. And numba looks only whether the file of a function has changed, not those it calls; here
    their texts decide, whenever and wherever they were written.
    """

    def __init__(self, numbas: IndexDataCacheFile, sources: str) -> None:
        super().__init__(numbas._cache_path, numbas._index_name.removesuffix(".nbi"), sources)

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
    path = Path(function.__code__.co_filename)
    forget_stale_code(path)
    return kept(function, fingerprint(path))


@cache
def forget_stale_code(path: Path) -> None:
    """Remove from the tree what was kept of a file with other sources: nobody would load it again."""
    old, sources = path.parent / "__pycache__", fingerprint(path)
    mark = old / f"{path.stem}.fingerprint"
    try:
        if mark.exists() and mark.read_text() == sources:
            return
        old.mkdir(exist_ok=True)
        for code in old.glob(f"{path.stem}.*.nb[ic]"):
            code.unlink(missing_ok=True)
        mark.write_text(sources)
    except OSError:  # a folder that cannot be written to holds no kept code either
        return
