"""Files that appear whole or not at all.

The bytes go to a temporary name in the folder of the target, reach the disk, and are then renamed.
"""

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sfumato.core import FileError


@contextmanager
def writing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to; it takes the name `path` when the block ends well.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with writing(folder / "note.txt") as temporary:
    ...     _ = temporary.write_text("done")
    >>> [file.name for file in folder.iterdir()]
    ['note.txt']
    """
    with writing_all([path]) as (temporary,):
        yield temporary


@contextmanager
def writing_all(paths: Iterable[str | Path]) -> Iterator[tuple[Path, ...]]:
    """Give temporary paths for several files that appear together, or, if anything fails, not at all.

    Files that had the names before are put back when a later rename fails.
    """
    targets = [Path(path) for path in paths]
    temporaries: list[Path] = []
    try:
        for target in targets:
            temporaries.append(_reserved(target))  # noqa: PERF401 -- those made are removed if one fails
        yield tuple(temporaries)
        for temporary in temporaries:
            _flush(temporary)
        _rename_all(temporaries, targets)
    except FileError:
        raise
    except OSError as error:
        names = ", ".join(map(str, targets))
        raise FileError(f"{names} cannot be written: {_cause(error)}.") from None
    finally:
        for temporary in temporaries:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _reserved(target: Path) -> Path:
    """An empty file beside the target, with its suffix and the permissions a new file gets."""
    if target.is_dir():
        raise FileError(f"{target} cannot be written: it is a folder; give the name of a file in it.")
    if not target.parent.is_dir():
        raise FileError(f"{target} cannot be written: folder {target.parent} does not exist.")
    temporary = target.with_name(f".{secrets.token_hex(8)}{target.suffix}")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise FileError(
            f"{target} cannot be written: folder {target.parent} does not take new files ({_cause(error)})."
        ) from None
    return temporary


def _rename_all(temporaries: list[Path], targets: list[Path]) -> None:
    earlier = [_kept_aside(target) if len(targets) > 1 else None for target in targets]
    renamed: list[Path] = []
    try:
        for temporary, target in zip(temporaries, targets, strict=True):
            temporary.replace(target)
            renamed.append(target)
    except OSError:
        for target in renamed:
            target.unlink()
        for kept, target in zip(earlier, targets, strict=True):
            if kept is not None:
                kept.replace(target)
        raise
    for kept in earlier:
        if kept is not None:
            kept.unlink()
    for folder in {target.parent for target in targets}:
        _flush(folder)


def _kept_aside(target: Path) -> Path | None:
    """A second name for the file that is there now, by which it can come back."""
    if not target.is_file():
        return None
    kept = target.with_name(f".{secrets.token_hex(8)}.earlier")
    kept.hardlink_to(target)
    return kept


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _cause(error: OSError) -> str:
    return (error.strerror or "the disk refused").lower()
