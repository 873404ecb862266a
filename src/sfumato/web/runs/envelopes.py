"""The two envelopes of a run: what goes out, and what stays with the owner. Whatever is not known to go out stays."""

import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.jobs import GOES_OUT, STAYS, Job, Releasing
from sfumato.web.runs.run_folder import OUT

OTHERS = "for you alone"
PIECE = 2**18  # bytes of an archive that are sent at a time


@dataclass(frozen=True)
class RunFile:
    """A file that a run wrote, by its name below the folder of its output, and what it is for."""

    name: str
    about: str

    @property
    def title(self) -> str:
        return Path(self.name).name


@dataclass(frozen=True)
class Envelopes:
    """The files of a run, sorted."""

    goes_out: tuple[RunFile, ...]
    stays: tuple[RunFile, ...]

    @property
    def by_name(self) -> dict[str, tuple[RunFile, ...]]:
        """Each under the name of its archive."""
        return {"public": self.goes_out, "private": self.stays}


def envelopes(job: Job, names: Sequence[str]) -> Envelopes:
    """Sort the files that a job wrote."""
    known = {}
    if isinstance(job, Releasing) and job.output is not None:
        here = job.with_(output=Path(job.output.name))
        known = {path.as_posix(): what for what, path in here.targets().items()}
    return Envelopes(
        tuple(_told(GOES_OUT, known, names)),
        (
            *_told(STAYS, known, names),
            *(RunFile(name, OTHERS) for name in names if known.get(name) not in {*GOES_OUT, *STAYS}),
        ),
    )


def _told(about: Mapping[str, str], known: Mapping[str, str], names: Sequence[str]) -> Iterator[RunFile]:
    """The files of which something is told, in the order of the telling."""
    for what, says in about.items():
        yield from (RunFile(name, says) for name in names if known.get(name) == what)


def archived(folder: Path, files: Sequence[RunFile]) -> Iterator[bytes]:
    """Files of a run as a ZIP archive, piece by piece; on disk it has no name, so that nothing is left of it."""
    with tempfile.TemporaryFile(dir=folder) as made:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as zipped:
            for file in files:
                zipped.write(folder / OUT / file.name, file.name)
        made.seek(0)
        while piece := made.read(PIECE):
            yield piece
