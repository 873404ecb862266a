"""The layout of a file: its records and the names of its columns, before any schema."""

from typing import Any

from sfumato.web.questions.process.project_data import ProjectData


def layout(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    arrow = held.arrow
    return {"records": arrow.num_rows, "columns": list(arrow.column_names)}
