"""The studies that pages start and hand out: a search, and the release of one point of it."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.data.study_file import Setting, Study
from sfumato.web.projects import Project
from sfumato.web.runs.project_runs import ProjectRuns
from sfumato.web.runs.project_study import study_of, text_settings

OUTPUT = "release"
FORMATS = {".csv": "CSV", ".parquet": "Parquet"}


def search_study(project: Project, settings: Mapping[str, Setting]) -> Study:
    """A search for the best protection."""
    return study_of(
        project, "protect", {"output": output_name(project), **settings, **text_settings(project)}
    )


def release_study(
    project: Project, spec: Any, *, seed: int, require: Sequence[str], output: str, keep: Sequence[str] = ()
) -> Study:
    """The release of one masking, if it meets what is required."""
    settings: dict[str, Setting] = {
        "output": output,
        "masking": json.dumps(spec, ensure_ascii=False),
        "seed": seed,
        "require": tuple(require),
        "keep": tuple(keep),
        **text_settings(project),
    }
    return study_of(project, "protect", {name: value for name, value in settings.items() if value != ()})


def repeating_study(runs: ProjectRuns, id: str) -> Study:
    """The study of a run as it would give the same file again: generations in place of seconds."""
    study, summary = runs.study(id), runs.state(id).summary
    settings = dict(study.settings)
    generations = summary.get("generations")
    if "evolve" in settings and generations is not None:
        settings["evolve"] = f"{generations}g"
    if study.command == "evolve" and generations is not None:
        settings = {name: value for name, value in settings.items() if name not in ("time", "seconds")}
        settings["generations"] = generations
    return dataclasses.replace(study, settings=settings)


def is_release(study: Study) -> bool:
    """Whether a study releases one masking instead of searching."""
    return study.command == "protect" and ("masking" in study.settings or bool(study.settings.get("require")))


def output_name(project: Project) -> str:
    """What a release of a project is called: in the format of its file if that can be written here."""
    suffix = project.path.suffix.lower()
    return OUTPUT + (suffix if suffix in FORMATS else ".csv")
