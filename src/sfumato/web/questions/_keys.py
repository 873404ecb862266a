"""The key attributes a question is about: those it names, or those of the schema."""

import csv
from typing import Any

from sfumato.core import DataError
from sfumato.web.questions.process.project_data import ProjectData


def chosen_keys(held: ProjectData, arguments: dict[str, Any]) -> tuple[str, ...]:
    """The keys, as a list or as an address has them: `a,b,"c, d"`."""
    given = arguments.get("keys")
    if given is None:
        return held.schema.with_role("key")
    named = next(csv.reader([given]), []) if isinstance(given, str) else list(given)
    names = tuple(dict.fromkeys(str(name).strip() for name in named if str(name).strip()))
    for name in names:
        if held.schema[name].role == "identifier":
            raise DataError(f"Column {name} is an identifier: it names people without being a key.")
    return names
