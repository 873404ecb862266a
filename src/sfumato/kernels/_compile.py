"""How kernels are compiled: kept on disk wherever numba keeps code, and without the interpreter lock."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numba import njit
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock

try:
    from fcntl import LOCK_EX, LOCK_UN, lockf
except ImportError:  # elsewhere two processes may compile the same at once
    lockf = None  # type: ignore[assignment]

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
        self._turns: set[int] = set()

    def load(self, key: Any) -> Any:
        """What is kept; if another process is about to keep it, that is waited for."""
        found = super().load(key)
        if found is None and self._its_turn(self._number(key)):
            found = super().load(key)
        return found

    def save(self, key: Any, data: Any) -> None:
        name = self._data_name(self._number(key))
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        """What is compiled within is compiled by no other process at the same time."""
        with global_compiler_lock:  # or a thread could wait for a process that waits for the next thread
            try:
                yield
            finally:
                while self._turns:
                    lockf(_turns_of(self._cache_path), LOCK_UN, 1, self._turns.pop())

    def _its_turn(self, place: int) -> bool:
        """Take a turn; false where there are none: a folder that nobody may write to, a system without such locks."""
        if lockf is None:
            return False
        try:
            lockf(_turns_of(self._cache_path), LOCK_EX, 1, place)
        except OSError:
            return False
        self._turns.add(place)
        return True

    def _number(self, key: Any) -> int:
        digest = blake2b(repr((self._index_name, self._source_stamp, key)).encode(), digest_size=8).digest()
        return int.from_bytes(digest) >> 2  # also a place in a file, as far as systems count these


@cache
def _turns_of(folder: str) -> int:
    """A file of a folder of kept code, of which each byte is one thing to compile; locks go with the process, however it ends."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    return os.open(Path(folder, "turns"), os.O_RDWR | os.O_CREAT, 0o666)


def kept(
    function: Callable[P, R], sources: str, *, rough: bool = False, within: bool = False
) -> Callable[P, R]:
    """Compile a function when it is first called, and keep the result for runs with the same sources.

    Sums of a rough one may be rounded otherwise on another processor: its results are only ever used as bounds. The code
    of one that is `within` others becomes theirs.
    """
    fast = {"contract", "nsz", "reassoc"} if rough else set()
    compiled: Any = njit(cache=True, nogil=True, fastmath=fast, forceinline=within)(function)
    code = compiled._cache._cache_file = KeptCode(compiled._cache._cache_file, sources)
    compiled.compile = code.in_turn()(compiled.compile)
    return compiled  # type: ignore[no-any-return]


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called, and keep the result for later runs."""
    path = Path(function.__code__.co_filename)
    forget_stale_code(path)
    return kept(function, fingerprint(path))


def rough_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """The same for sums that only tell what to look at: in any order, and products added without rounding."""
    path = Path(function.__code__.co_filename)
    forget_stale_code(path)
    return kept(function, fingerprint(path), rough=True)


def kernel_within(function: Callable[P, R]) -> Callable[P, R]:
    """The same for a part of others that is short beside what handing over its arguments would take."""
    path = Path(function.__code__.co_filename)
    forget_stale_code(path)
    return kept(function, fingerprint(path), within=True)


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
