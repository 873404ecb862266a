"""Folders and files that nobody else on the machine may look into, whatever the umask is."""

from pathlib import Path

FOLDER, OTHERS = 0o700, 0o077


def private_folder(path: Path) -> Path:
    """Make a folder for its owner alone, or close one that is there to everybody else.

    >>> import tempfile
    >>> folder = private_folder(Path(tempfile.mkdtemp()) / "kept")
    >>> oct(folder.stat().st_mode & 0o777)
    '0o700'
    """
    path.mkdir(FOLDER, parents=True, exist_ok=True)
    if path.stat().st_mode & 0o777 != FOLDER:
        path.chmod(FOLDER)
    return path
