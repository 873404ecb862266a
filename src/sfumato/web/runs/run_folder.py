"""What the folder of a run holds, by name, and what is known of the run from its start."""

import json
from dataclasses import dataclass
from pathlib import Path

from sfumato.core.errors import DataError
from sfumato.data.study_file import Study
from sfumato.jobs import Job, job_of

STUDY = "study.toml"  # the job
REPEAT = "repeat.toml"  # the job that gives the same again, once it is done: generations in place of seconds
FACTS = "run.json"  # what it is called, and when it was made
OUT = "out"  # what it writes: the release, its report, its record
JOURNAL = "journal"  # what it needs to go on where it was
SCRATCH = "scratch"  # temporary files of its processes, gone with them
LOG = "log.txt"  # what its processes print
CRASH = "crash.txt"  # where something unexpected failed


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run from its start."""

    label: str
    command: str
    workers: int | None
    created: float


def read_run_facts(folder: Path) -> RunFacts:
    """The facts of a run."""
    try:
        found = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        return RunFacts(found["label"], found["command"], found["workers"], found["created"])
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(f"Run {folder.name} cannot be read: its {FACTS} is damaged.") from None


def job_in(folder: Path, name: str) -> Job:
    """The job that a study of a run describes; its relative paths are as they were given."""
    return job_of(Study.read(folder / name), source=name, folder=Path())
