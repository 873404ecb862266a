"""Curves of a published figure, such as loss and risk by generation or by k, as data and as a picture."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sfumato.core import Result

Curve = tuple[tuple[float, float], ...]
"""Places across and up."""


class Curves(Result):
    """Named curves in one or more panels that share what goes across; those of the `bold` name stand out."""

    drawn_by: ClassVar[str] = "curves"

    title: str
    across: str
    panels: dict[str, dict[str, Curve]]
    bold: str = ""

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"panel": panel, "curve": name, self.across: x, "value": y}
            for panel, curves in self.panels.items()
            for name, curve in curves.items()
            for x, y in curve
        ]


def curve(across: Sequence[float], up: Sequence[float]) -> Curve:
    return tuple((float(x), float(y)) for x, y in zip(across, up, strict=True))


def by_number(values: Sequence[float]) -> Curve:
    """Values by their place, as by generation."""
    return curve(range(len(values)), values)


def panels_of(series: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, dict[str, Curve]]:
    """Panels of curves by generation."""
    return {
        panel: {name: by_number(values) for name, values in curves.items()}
        for panel, curves in series.items()
    }


def course_of(title: str, courses: Mapping[str, Sequence[Sequence[float]]]) -> Curves:
    """Loss, risk and their mean by generation, a panel for each search."""
    panels = {
        what: {
            "IL": [costs[0] for costs in course],
            "DR": [costs[1] for costs in course],
            "score": [(costs[0] + costs[1]) / 2 for costs in course],
        }
        for what, course in courses.items()
    }
    return Curves(title=title, across="generation", panels=panels_of(panels), bold="score")
