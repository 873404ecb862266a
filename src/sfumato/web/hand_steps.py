"""The steps that were taken by hand on the file of a project, kept as the study that does them and searches further."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from sfumato.core import SfumatoError
from sfumato.data import writing
from sfumato.data.study_file import Study
from sfumato.jobs import job_class, job_of, study_of
from sfumato.web.projects import Project
from sfumato.web.runs.project_job import output_name, project_job

KEPT = "by-hand.toml"


def kept_steps(project: Project) -> dict[str, list[Any]]:
    """The options that make the steps again; none where there are no steps, or the study was damaged."""
    path = project.folder / KEPT
    with suppress(SfumatoError, OSError):
        job: Any = job_of(Study.read(path), source=KEPT, folder=project.folder, complete=False)
        found: dict[str, list[Any]] = job.by_hand.settings()
        return found
    return {}


def searched_steps(project: Project) -> dict[str, list[Any]]:
    """What a search is told of them: those that were taken back change nothing."""
    return {name: value for name, value in kept_steps(project).items() if name != "undone"}


def keep_steps(project: Project, settings: dict[str, list[Any]]) -> None:
    with writing(project.folder / KEPT) as temporary:
        temporary.write_text(study_text(project, settings, folder=project.folder), encoding="utf-8")


def study_text(project: Project, settings: dict[str, list[Any]], *, folder: Path) -> str:
    """The study of steps, with paths that start in a folder."""
    job = project_job(project, job_class("protect", KEPT), {**settings, "output": output_name(project)})
    return study_of(job, folder=folder).to_toml()
