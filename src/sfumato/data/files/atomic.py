"""Files that appear whole or not at all.

The bytes go to a temporary name in the folder of the target, which nobody else can read, reach the disk, and are
then renamed. What a process that was killed left behind is removed by the next that writes to the folder.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sfumato.core import FileError
from sfumato.core.private import FILE
from sfumato.core.temporaries import claimed


@contextmanager
def writing(path: str | Path, *, private: bool = False) -> Iterator[Path]:
    """Give a temporary path to write to; it takes the name `path` when the block ends well.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with writing(folder / "note.txt") as temporary:
    ...     _ = temporary.write_text("done")
    >>> [file.name for file in folder.iterdir()]
    ['note.txt']
    """
    with writing_all([path], private=[path] if private else []) as (temporary,):
        yield temporary


@contextmanager
def writing_all(
    paths: Iterable[str | Path], *, private: Iterable[str | Path] = ()
) -> Iterator[tuple[Path, ...]]:
    """Give temporary paths for several files that appear together, or, if anything fails, not at all.

    Those among them that are `private` nobody else can read; the others get what the umask allows. Files that had
    the names before are put back when a later rename fails.
    """
    targets, hidden = [Path(path) for path in paths], {Path(path) for path in private}
    with ExitStack() as cleanup:
        try:
            for target in targets:
                _check(target)
            starts = {folder: _claimed(folder, targets, cleanup) for folder in {t.parent for t in targets}}
            temporaries = [
                _reserved(target, f"{starts[target.parent]}-{number}")
                for number, target in enumerate(targets)
            ]
            yield tuple(temporaries)
            for temporary, target in zip(temporaries, targets, strict=True):
                _flush(temporary)
                if target not in hidden:
                    _open_to_others(temporary)
            _rename_all(temporaries, targets)
        except FileError:
            raise
        except OSError as error:
            names = ", ".join(map(str, targets))
            raise FileError(f"{names} cannot be written: {_cause(error)}.") from None


def _check(target: Path) -> None:
    if target.is_dir():
        raise FileError(f"{target} cannot be written: it is a folder; give the name of a file in it.")
    if not target.parent.is_dir():
        raise FileError(f"{target} cannot be written: folder {target.parent} does not exist.")


def _claimed(folder: Path, targets: list[Path], cleanup: ExitStack) -> str:
    """How temporary names in a folder may begin; all that bear it are gone at the end."""
    try:
        return cleanup.enter_context(claimed(folder))
    except OSError as error:
        target = next(target for target in targets if target.parent == folder)
        raise FileError(
            f"{target} cannot be written: folder {folder} does not take new files ({_cause(error)})."
        ) from None


def _reserved(target: Path, name: str) -> Path:
    """An empty file beside the target, with its suffix, that nobody else can read."""
    temporary = target.with_name(f"{name}{target.suffix}")
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE))
    return temporary


def _open_to_others(temporary: Path) -> None:
    """Give a file that is complete the permissions of a new one, seen on an empty one: that leaves the umask alone."""
    probe = temporary.with_suffix(".mode")
    file = os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        with suppress(OSError):  # some file systems keep no permissions
            temporary.chmod(os.fstat(file).st_mode & 0o777)
    finally:
        os.close(file)
        probe.unlink()


def _rename_all(temporaries: list[Path], targets: list[Path]) -> None:
    pairs = zip(temporaries, targets, strict=True)
    earlier = [_kept_aside(*pair) if len(targets) > 1 else None for pair in pairs]
    renamed: list[Path] = []
    try:
        for temporary, target in zip(temporaries, targets, strict=True):
            temporary.replace(target)
            renamed.append(target)
    except BaseException:  # also a wish to stop
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
        _flush_folder(folder)


def _kept_aside(temporary: Path, target: Path) -> Path | None:
    """A second name for the file that is there now, by which it can come back."""
    if not target.is_file():
        return None
    kept = temporary.with_suffix(".earlier")
    try:
        kept.hardlink_to(target)
    except OSError:  # some file systems have no second names
        shutil.copy2(target, kept)
    return kept


def _flush(file: Path) -> None:
    handle = os.open(file, os.O_RDWR)  # what is open to be read alone, Windows does not flush
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _flush_folder(folder: Path) -> None:
    """Bring new names to the disk, where the system can: Windows opens no folders, and writes names by itself."""
    with suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _cause(error: OSError) -> str:
    return (error.strerror or "the disk refused").lower()
