"""What a question is about: a project in the state it is in now."""

from dataclasses import dataclass
from pathlib import Path

from sfumato.core import FileError
from sfumato.data import CsvOptions
from sfumato.web.projects import Project


@dataclass(frozen=True, kw_only=True)
class ProjectState:
    """A file, how to read it, and its schema; an answer holds for as long as none of them changes."""

    path: Path
    name: str
    folder: Path
    options: CsvOptions
    schema: str | None
    changed: int
    size: int


def project_state(project: Project) -> ProjectState:
    """The state of a project now."""
    try:
        facts = project.path.stat()
    except OSError:
        raise FileError(f"{project.name} is no longer where it was opened: open it again.") from None
    return ProjectState(
        path=project.path,
        name=project.name,
        folder=project.folder,
        options=project.options,
        schema=project.schema_text,
        changed=facts.st_mtime_ns,
        size=facts.st_size,
    )
