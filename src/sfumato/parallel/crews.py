"""Crews that work in a shared folder."""

import socket
import uuid
from pathlib import Path

from sfumato.core import FileError
from sfumato.core.crew import Crew
from sfumato.parallel.cluster import Cluster

ASKED = 256  # times that the folder is looked for, so that each worker does so


def check_shared(folder: Path, crew: Crew) -> None:
    """Raise unless every worker sees the folder: all they work on, and what they make of it, lies there."""
    if not isinstance(crew, Cluster):
        return
    token = folder / f".{uuid.uuid4().hex}.token"
    token.touch()
    try:
        jobs = [str(token)] * ASKED
        blind = sorted({host for _, host in crew.run(_blind, jobs, things=range(ASKED)) if host})
    finally:
        token.unlink()
    if blind:
        raise FileError(
            f"Workers of the cluster on {', '.join(blind)} do not see folder {folder}: "
            "give a folder on storage that all of them share with --work FOLDER."
        )


def _blind(_: None, token: str) -> str:
    """The name of this machine if it does not see a file."""
    return "" if Path(token).exists() else socket.gethostname()
