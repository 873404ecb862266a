"""Whose folder it is: work that was stopped may be taken up by the same work, and by no other."""

import json
from hashlib import blake2b
from pathlib import Path

from sfumato.core import FileError
from sfumato.data import writing
from sfumato.data.blocks import INDEX, SCHEMA, Blocks
from sfumato.parallel.crews import Crew, outcomes

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


def fingerprint(blocks: Blocks, crew: Crew) -> str:
    """A short text that changes whenever a value or a declaration in the blocks does."""
    paths = [blocks.folder / SCHEMA, *sorted(blocks.folder.glob("*.arrow"))]
    digests = outcomes(crew, _digest, paths, label="Reading the file")
    return blake2b("".join(digests).encode(), digest_size=16).hexdigest()


def _digest(_: None, path: Path) -> str:
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(1 << 22):
            digest.update(piece)
    return digest.hexdigest()
