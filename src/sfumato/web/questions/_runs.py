"""What a run of a project left behind: its study and the files it wrote."""

import re
from pathlib import Path
from typing import Any

from sfumato.core import DataError, FileError
from sfumato.data.study_file import Study
from sfumato.web.questions.process.project_data import ProjectData
from sfumato.web.runs.run_folder import OUT, STUDY, record_in


def run_folder(held: ProjectData, arguments: dict[str, Any]) -> Path:
    id = str(arguments.get("run", ""))
    folder = held.subject.runs / id
    if not re.fullmatch(r"[0-9a-f]{12}", id) or not (folder / STUDY).is_file():
        raise FileError("There is no such run: choose one from the list.")
    return folder


def run_study(folder: Path, *commands: str) -> Study:
    """The study of a run; one of another command than these is refused."""
    study = Study.read(folder / STUDY)
    if study.command not in commands:
        raise DataError(f"This is a run of {study.command}: choose one of {' or '.join(commands)}.")
    return study


def study_and_record(
    held: ProjectData, arguments: dict[str, Any], *commands: str
) -> tuple[Study, dict[str, Any]]:
    """The study of the run that is asked for, and the record it wrote; refused where it has not written any yet."""
    folder = run_folder(held, arguments)
    study, record = run_study(folder, *commands), record_in(folder / OUT)
    if record is None:
        raise DataError("This run has written nothing yet: wait until it has finished.")
    return study, record


def course(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps of a search, as far as they are drawn."""
    return [{name: step[name] for name in ("generation", "best", "mean")} for step in history]
