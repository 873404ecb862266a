"""A point of the map beside the original: distributions of columns, and correlations of the numeric keys."""

from typing import Any

from sfumato.plots import BeforeAfter, bins, category_rows, drawn_names
from sfumato.plots.correlations import correlated_names, correlation_matrix
from sfumato.web.questions._points import masked_point
from sfumato.web.questions.process.project_data import ProjectData


def before_after(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    """Shares in percent by bin or category, and the matrices before and after."""
    point = masked_point(held, arguments)
    names = correlated_names(point)
    return {
        "columns": column_shares(point),
        "correlated": names,
        "before": correlation_matrix(point.original, names),
        "after": correlation_matrix(point.aligned, names),
    }


def column_shares(point: BeforeAfter) -> list[dict[str, Any]]:
    """Of every column that can be drawn the shares before and after."""
    columns = (_column(point, name) for name in drawn_names(point))
    return [column for column in columns if column is not None]


def _column(point: BeforeAfter, name: str) -> dict[str, Any] | None:
    if point.original.schema[name].is_numeric:
        found = bins(point, name)
        if found is None:
            return None
        shares = {"before": found.original, "after": found.release}
        return {"name": name, "kind": "bins", "edges": found.edges, "log": found.log, **shares}
    rows = category_rows(point, name)
    return {
        "name": name,
        "kind": "categories",
        "labels": [row.label for row in rows],
        "before": [sum(row.original) for row in rows],
        "after": [row.release for row in rows],
    }
