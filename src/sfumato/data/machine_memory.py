"""How much memory there is."""

import os
from pathlib import Path

from sfumato.core import FileError
from sfumato.core.quantities import Size

LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
CONVERT = "convert it to Parquet, which is worked on from disk, or give more --memory"
UNKNOWN = 4 * 10**9  # bytes to count on where the system does not say


def machine_memory() -> int:
    """The bytes of memory that this machine has, or that the container we run in may use.

    >>> machine_memory() > 10**6
    True
    """
    return min([_of_machine(), *(limit for limit in map(_limit, map(Path, LIMITS)) if limit > 0)])


def memory_limit(asked: int | None = None) -> Size:
    """The bytes that a table may take: so many, or half of what there is."""
    return Size(asked or machine_memory() // 2)


def check_fits(path: Path, needed: int, limit: Size, advice: str = CONVERT) -> None:
    """Refuse a file that would need more memory than it may, before any of it is taken."""
    if needed > limit:
        raise FileError(f"{path} would need about {Size(needed)} of memory, more than {limit}: {advice}.")


def _of_machine() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN


def _limit(path: Path) -> int:
    """The limit that a file holds; 0 where it sets none."""
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return 0
    return int(text) if text.isdigit() else 0
