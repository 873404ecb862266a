"""Whose folder it is: work that was stopped may be taken up by the same work, and by no other."""

import json
from pathlib import Path

from sfumato.core import FileError
from sfumato.data import writing
from sfumato.data.blocks import INDEX

IDENTITY = "identity.json"


def claim(folder: Path, *, seed: int, masking: str, partition: int, original: str) -> None:
    """Write down what a folder is for; refuse one that is for something else."""
    wanted = {"seed": seed, "masking": masking, "partition": partition, "original": original}
    path = folder / IDENTITY
    if path.exists() or (folder / INDEX).exists():
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = None
        if found != wanted:
            raise FileError(f"{folder} holds the work of another masking; remove it, or give another folder.")
        return
    folder.mkdir(parents=True, exist_ok=True)
    with writing(path) as temporary:
        temporary.write_text(json.dumps(wanted), encoding="utf-8")
