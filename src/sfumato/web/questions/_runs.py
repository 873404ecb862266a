"""What a run of a project left behind: its study and the files it wrote."""

import json
import re
from pathlib import Path
from typing import Any

from sfumato.core import DataError, FileError
from sfumato.data.study_file import Study
from sfumato.web.projects import RUNS
from sfumato.web.questions.process.project_data import ProjectData
from sfumato.web.runs.run_folder import OUT, STUDY


def run_folder(held: ProjectData, arguments: dict[str, Any]) -> Path:
    """The folder of the run that is asked for."""
    id = str(arguments.get("run", ""))
    folder = held.subject.folder / RUNS / id
    if not re.fullmatch(r"[0-9a-f]{12}", id) or not (folder / STUDY).is_file():
        raise FileError("There is no such run: choose one from the list.")
    return folder


def run_study(folder: Path, *commands: str) -> Study:
    """The study of a run; one of another command than these is refused."""
    study = Study.read(folder / STUDY)
    if study.command not in commands:
        raise DataError(f"This is a run of {study.command}: choose one of {' or '.join(commands)}.")
    return study


def run_record(folder: Path) -> dict[str, Any]:
    """The record that a run wrote; refused where it has not written any yet."""
    for path in sorted((folder / OUT).glob("*.record.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return found
    raise DataError("This run has written nothing yet: wait until it has finished.")
