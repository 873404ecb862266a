"""Heat maps of matrices whose rows are probabilities: what each category becomes."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from sfumato.web.ui.charts import LABEL, chart, colour_scale, whole_names

WRITTEN_UP_TO = 8  # categories, for which the numbers fit into the cells
LABELLED_UP_TO = 30
DRAWN_UP_TO = 60
COLOURS = ("rgba(86, 180, 233, 0.04)", "rgba(86, 180, 233, 1)")  # from nothing to all, on paper light or dark
ON_COLOUR = "#14171b"


def heat_map(categories: Sequence[str], matrix: Sequence[Sequence[float]], *, title: str) -> ui.echart:
    """A cell for every pair of categories: from the one of its row to the one of its column."""
    written = len(categories) <= WRITTEN_UP_TO
    drawn = chart(
        {
            "grid": {"left": 4, "right": 16, "top": 4, "bottom": 44, "containLabel": True},
            "xAxis": _axis(categories, beside=True),
            "yAxis": {**_axis(categories, beside=False), "inverse": True},
            "visualMap": {
                **colour_scale(0, 1, COLOURS, ends=("always", "never")),
                "precision": 2,
                "itemHeight": 160,
                "outOfRange": {"color": "transparent"},  # it lies under the colours, which let it through
            },
            "series": [
                {
                    "name": "probability",
                    "type": "heatmap",
                    "data": _cells(categories, matrix),
                    "label": {"show": written},
                    "itemStyle": {"borderColor": "var(--surface)", "borderWidth": 2 if written else 1},
                    "emphasis": {"itemStyle": {"borderColor": "var(--ink)"}},
                }
            ],
        },
        title=title,
        headings=("From", *categories),
        rows=[
            (name, *(f"{value:.2f}" for value in row)) for name, row in zip(categories, matrix, strict=True)
        ],
    )
    return drawn.style(f"height: {min(11 + 1.9 * len(categories), 42):.1f}rem")


def _cells(categories: Sequence[str], matrix: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    return [
        {
            "value": [column, place, value],
            "name": f"{categories[place]} → {categories[column]}",
            "label": {
                "formatter": f"{value:.2f}" if value >= 0.005 else "",
                "color": ON_COLOUR if value > 0.55 else "var(--ink)",
            },
        }
        for place, row in enumerate(matrix)
        for column, value in enumerate(row)
    ]


def _axis(categories: Sequence[str], *, beside: bool) -> dict[str, Any]:
    return {
        "type": "category",
        "data": list(categories),
        "axisLabel": whole_names(categories, beside=beside) if len(categories) <= LABELLED_UP_TO else LABEL,
        "axisLine": {"show": False},
        "axisTick": {"show": False},
    }
