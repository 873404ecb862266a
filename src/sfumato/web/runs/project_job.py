"""The jobs that pages start: on the file of a project, read as the project reads it."""

import hashlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sfumato.core.private import private_folder
from sfumato.data import writing
from sfumato.data.formats.linked_files import LinkedFiles
from sfumato.data.formats.zipped import Zipped
from sfumato.jobs import Job, Text
from sfumato.web.projects import Project
from sfumato.web.runs.run_state import RunState

SCHEMAS = "schemas"
OUTPUT = "release"
FORMATS = {".csv": "CSV", ".parquet": "Parquet"}
STATISTICS = {".sav": "SPSS", ".dta": "Stata", ".xpt": "SAS transport"}  # with the extra stats
LINKED = {".zip": "ZIP of the files"}
PACKED = (*Zipped.suffixes, *LinkedFiles.suffixes)
READ = (
    "file",
    "graph",
    "schema",
    "key",
    "delimiter",
    "encoding",
    "header",
    "no-header",
    "decimal",
    "thousands",
    "quote",
    "comment",
    "dates",
    "sheet",
)  # what the project settles


def project_job(project: Project, job: type[Job], settings: Mapping[str, Any]) -> Job:
    """A job on the file of a project; the schema is kept as it is now, whatever becomes of it later."""
    (subject, *_) = job.data
    read: dict[str, Any] = {subject: project.path}
    if project.is_text:
        read |= Text.settings_of(project.options)
    if subject == "file":  # that of a graph would be the schema of its nodes
        read["schema"] = kept_schema(project)
    return job.from_settings({**read, **settings})


def kept_schema(project: Project) -> Path | None:
    """A copy of the saved schema under the name of its content; none where no schema was saved."""
    text = project.schema_text
    if text is None:
        return None
    folder = private_folder(project.folder / SCHEMAS)
    path = folder / f"{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}.toml"
    if not path.exists():
        with writing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return path


def is_release(run: RunState, job: Job) -> bool:
    """Whether a run makes a release of what was found before, instead of searching."""
    return run.releases or (job.name == "protect" and "masking" in job.non_defaults())


def formats(project: Project | None = None) -> dict[str, str]:
    """The formats that a release can be written in here, by suffix; linked files come back as such in an archive."""
    linked = LINKED if project is not None and project.name.lower().endswith(PACKED) else {}
    return linked | FORMATS | (STATISTICS if find_spec("pyreadstat") else {})


def output_name(project: Project) -> str:
    """What a release of a project is called: in the format of its file if that can be written here."""
    suffix, known = project.path.suffix.lower(), formats(project)
    return OUTPUT + (suffix if suffix in known else next(iter(known)))
