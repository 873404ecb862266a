"""What a run works on: the study of a command on the file of a project, read as the project reads it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from sfumato.data import writing
from sfumato.data.study_file import Setting, Study
from sfumato.web.projects import Project

SCHEMAS = "schemas"


def study_of(project: Project, command: str, settings: Mapping[str, Setting]) -> Study:
    """A study on the file of a project; the schema is kept as it is now, whatever becomes of it later."""
    given: dict[str, Setting] = {"file": str(project.path), **settings}
    schema = kept_schema(project)
    if schema is not None:
        given["schema"] = str(schema)
    return Study(command=command, settings=given)


def text_settings(project: Project) -> dict[str, Setting]:
    """How the file is laid out, where it is delimited text."""
    options = project.options
    if not project.is_text:
        return {}
    given: dict[str, Setting] = {"encoding": options.encoding, "no-header": not options.header}
    return {**given, "delimiter": options.delimiter} if options.delimiter else given


def kept_schema(project: Project) -> Path | None:
    """A copy of the saved schema under the name of its content; none where no schema was saved."""
    text = project.schema_text
    if text is None:
        return None
    folder = project.folder / SCHEMAS
    folder.mkdir(exist_ok=True)
    path = folder / f"{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}.toml"
    if not path.exists():
        with writing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return path
