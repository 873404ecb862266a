"""A policy in words: one of this package by its `name`, the office's own by its `file`, or the text of one (`toml`)."""

import tempfile
from pathlib import Path
from typing import Any

from sfumato.core import DataError
from sfumato.search.maskings.policy import Policy
from sfumato.search.maskings.policy_files import SUFFIX
from sfumato.web.questions.process.project_data import ProjectData

CALLED = "the policy"  # in what is said of one that was pasted


def policy(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    if "toml" in arguments:
        found = _pasted(str(arguments["toml"]))
    else:
        name = str(arguments.get("name") or "scientific")
        if name.endswith(SUFFIX) and Path(name).parent != held.subject.folder.parents[1] / "policies":
            raise DataError("There is no such policy: choose one from the list.")
        found = Policy.named(name)
    found.declared_in(held.schema)
    return {
        "title": found.title,
        "about": found.about,
        "words": list(found.sentences()) or ["Nothing is required."],
    }


def _pasted(text: str) -> Policy:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"pasted{SUFFIX}"
        path.write_text(text, encoding="utf-8")
        try:
            return Policy.read(path)
        except DataError as error:
            raise DataError(str(error).replace(str(path), CALLED)) from None
