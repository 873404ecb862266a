"""What the folder of a run holds, by name; what is known of the run from its start, and what is wanted of it."""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from sfumato.core import Key, Seed
from sfumato.core.errors import DataError
from sfumato.core.private import private_folder
from sfumato.core.streams import KEY_FILE
from sfumato.data.files import writing
from sfumato.data.schema import PRIVATE
from sfumato.data.study_file import Study
from sfumato.jobs import Job, job_of

STUDY = "study.toml"  # the job
REPEAT = "repeat.toml"  # the job that gives the same again, once it is done: generations in place of seconds
FACTS = "run.json"  # what it is called, and when it was made
OUT = "out"  # what it writes: what goes out, and in a private folder what stays
JOURNAL = "journal"  # what it needs to go on where it was, and the key of its random choices
SCRATCH = "scratch"  # temporary files of its processes, gone with them
LOG = "log.txt"  # what its processes print
CRASH = "crash.txt"  # where something unexpected failed
CONTROL = "control"  # what the user wants: a word, written by the server and read by its process

Wish = Literal["run", "pause", "stop", "end"]
"""Go on; wait; stop and keep the best; stop and keep nothing."""


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run from its start; one that `releases` checks what was found before, and searches nothing."""

    label: str
    command: str
    workers: int | None
    created: float
    releases: bool = False


def read_run_facts(folder: Path) -> RunFacts:
    try:
        return RunFacts(**json.loads((folder / FACTS).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise DataError(f"Run {folder.name} cannot be read: its {FACTS} is damaged.") from None


def record_in(out: Path) -> dict[str, Any] | None:
    """The record that a run wrote into the folder of its output; none where it has not, or not whole."""
    for path in (*sorted(out.glob(f"*{PRIVATE}/record.json")), *sorted(out.glob("*.record.json"))):
        with suppress(ValueError):
            found = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(found, dict):
                return found
    return None


def files_in(out: Path) -> tuple[str, ...]:
    """What a run wrote: the names of its files, with that of their folder if they are in one."""
    found = (path.relative_to(out) for path in out.rglob("*") if path.is_file())
    return tuple(sorted(path.as_posix() for path in found if not path.name.startswith(".")))


def key_in(folder: Path) -> Key:
    """The key that the random choices of a run hang on, where it has no seed; kept from its first start on."""
    kept = private_folder(folder / JOURNAL)
    Key.kept_in(kept)
    return Key.read(kept / KEY_FILE)


def randomness_in(folder: Path, job: Job) -> Seed:
    """What the random choices of a run hang on."""
    seed, secret = getattr(job, "seed", 0), getattr(job, "secret", None)
    return (secret or key_in(folder)) if seed is None else seed


def job_in(folder: Path, name: str) -> Job:
    """The job that a study of a run describes; its relative paths are as they were given."""
    return job_of(Study.read(folder / name), source=name, folder=Path())


def wish_of(folder: Path) -> Wish:
    """What is wanted of a run; to go on where nothing was said.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> wish_of(folder)
    'run'
    >>> ask(folder, "pause")
    >>> wish_of(folder)
    'pause'
    """
    try:
        word = (folder / CONTROL).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return "run"
    return next((wish for wish in get_args(Wish) if wish == word), "run")


def ask(folder: Path, wish: Wish) -> None:
    with writing(folder / CONTROL) as path:
        path.write_text(wish, encoding="utf-8")
