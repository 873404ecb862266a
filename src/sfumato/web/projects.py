"""Projects: a file to protect, how to read it, its schema once saved, and its runs, all in one folder."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.core import DataError
from sfumato.data import CsvOptions, writing
from sfumato.data.formats.delimited import Delimited

GRAPHS = (".graphml", ".jsonl", ".ndjson")  # files that hold nodes and edges together
LAYOUT = tuple(name for name in vars(CsvOptions()) if name != "names")  # an earlier version kept some of them
PROJECT, SCHEMA, RUNS, DRAFT = "project.json", "schema.toml", "runs", "draft.json"


@dataclass(frozen=True, kw_only=True)
class Project:
    """A file that somebody works on.

    `path` is where the file is, `name` what people call it; `folder` holds everything that is known about it.
    """

    id: str
    name: str
    path: Path
    folder: Path
    options: CsvOptions
    uploaded: bool = False
    created: float = 0.0

    @property
    def kind(self) -> str:
        """What the file holds, by its suffix: a "table" or a "graph"."""
        return "graph" if self.path.suffix.lower() in GRAPHS else "table"

    @property
    def address(self) -> str:
        """Where the story of the project begins."""
        return f"/projects/{self.id}/{'graphs' if self.kind == 'graph' else 'data'}"

    @property
    def schema_path(self) -> Path:
        """Where the saved schema is, or will be."""
        return self.folder / SCHEMA

    @property
    def runs(self) -> Path:
        return self.folder / RUNS

    @property
    def schema_text(self) -> str | None:
        try:
            return self.schema_path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    @property
    def is_text(self) -> bool:
        """Whether the file is delimited text, so that delimiter, encoding and header matter."""
        return self.path.suffix.lower() in Delimited.suffixes

    def save(self) -> None:
        """Write what is known about the project; it exists from then on."""
        facts = {
            "name": self.name,
            "path": str(self.path),
            "uploaded": self.uploaded,
            "created": self.created or time.time(),
            **vars(self.options),
        }
        with writing(self.folder / PROJECT) as temporary:
            temporary.write_text(json.dumps(facts, indent=1), encoding="utf-8")

    @property
    def draft(self) -> dict[str, dict[str, Any]]:
        """Changes of the schema, by column, that nobody has saved yet."""
        try:
            found = json.loads((self.folder / DRAFT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def keep_draft(self, changes: dict[str, dict[str, Any]]) -> None:
        """Keep changes until they are saved or dropped."""
        if not changes:
            (self.folder / DRAFT).unlink(missing_ok=True)
            return
        with writing(self.folder / DRAFT) as temporary:
            temporary.write_text(json.dumps(changes), encoding="utf-8")

    def save_schema(self, text: str) -> None:
        """Keep the text of a schema that was checked."""
        with writing(self.schema_path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        self.keep_draft({})

    def to_dict(self) -> dict[str, Any]:
        """What a page or a script may know about the project."""
        return {
            "id": self.id,
            "name": self.name,
            "uploaded": self.uploaded,
            "created": self.created,
            "schema_saved": self.schema_path.exists(),
            **vars(self.options),
        }


def read_project(folder: Path) -> Project:
    try:
        facts = json.loads((folder / PROJECT).read_text(encoding="utf-8"))
        options = CsvOptions(**{name: facts[name] for name in LAYOUT if name in facts})
        return Project(
            id=folder.name,
            name=facts["name"],
            path=Path(facts["path"]),
            folder=folder,
            options=options,
            uploaded=facts["uploaded"],
            created=facts["created"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(f"Project {folder.name} cannot be read: its {PROJECT} is damaged.") from None
