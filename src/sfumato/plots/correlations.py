"""Correlations of the numeric keys before and after, and by how much they moved."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.core import DataError
from sfumato.data import Table
from sfumato.plots._before_after import BeforeAfter
from sfumato.plots._style import WIDTH, heat_map, panels, shortened, styled, write_cell

WRITTEN_UP_TO = 7  # attributes, for which the numbers fit into the cells
MOST_SHOWN = 20
TITLES = ("Original", "Release", "Release minus original")


@styled
def correlations(result: BeforeAfter, ax: Axes | None = None) -> Figure:
    """Draw three heat maps of Pearson's correlation; grey cells are undefined."""
    names = correlated_names(result)
    if len(names) < 2:
        raise DataError("correlations: two numeric key attributes are needed, and the release has fewer.")
    before, after = (correlation_matrix(table, names) for table in (result.original, result.aligned))
    difference = after - before
    limits = (1.0, 1.0, _limit(difference))
    figure, places = panels(ax, 1, 3, height=WIDTH / 3 + 1.1)
    for place, title, matrix, limit in zip(places, TITLES, (before, after, difference), limits, strict=True):
        _draw(place, matrix, title, limit)
    _label(places, [shortened(name, 16) for name in names])
    for below, limit in ((places[:2], 1.0), (places[2:], limits[2])):
        bar = figure.colorbar(
            below[0].collections[0], ax=below, location="bottom", shrink=0.6 / len(below) + 0.1, aspect=18
        )
        bar.set_ticks([-limit, 0, limit], labels=[f"−{limit:g}", "0", f"{limit:g}"])
        bar.outline.set_visible(False)
    return figure


def correlated_names(pair: BeforeAfter) -> list[str]:
    """The numeric key attributes that the release still has."""
    keys = pair.original.schema.with_role("key")
    return [n for n in keys if n in pair.aligned and pair.original.schema[n].is_numeric][:MOST_SHOWN]


def correlation_matrix(table: Table, names: list[str]) -> np.ndarray:
    """Correlations over the records that have both values; NaN where one of the two is constant.

    >>> from sfumato.data import Attribute, Schema
    >>> x, y = (Attribute(name=name, scale="numeric") for name in "xy")
    >>> table = Table(Schema([x, y]), {"x": [1, 2, 3, np.nan], "y": [2, 4, 6, 0]})
    >>> correlation_matrix(table, ["x", "y"]).round(6).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    values = table.numbers(names)
    matrix = np.full((len(names), len(names)), np.nan)
    for i in range(len(names)):
        for j in range(i + 1):
            matrix[i, j] = matrix[j, i] = _correlation(values[:, i], values[:, j])
    return matrix


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    both = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[both], y[both]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def _limit(difference: np.ndarray) -> float:
    """The end of the colour scale: the largest change, rounded up to a tenth."""
    known = np.abs(difference[np.isfinite(difference)])
    return float(np.ceil(10 * max(known.max(initial=0.0), 0.1) - 1e-9) / 10)


def _draw(ax: Axes, matrix: np.ndarray, title: str, limit: float) -> None:
    ax.set_facecolor("#DDDDDD")
    heat_map(ax, np.ma.masked_invalid(matrix), "RdBu_r", -limit, limit)
    ax.set_title(title)
    if len(matrix) <= WRITTEN_UP_TO:
        for cell, value in np.ndenumerate(matrix):
            if np.isfinite(value):
                text = f"{round(value, 2) + 0.0:.2f}"
                write_cell(ax, cell, text, white=abs(value) > 0.6 * limit, size=7)


def _label(places: list[Axes], labels: list[str]) -> None:
    at = np.arange(len(labels)) + 0.5
    size = 8 if len(labels) <= 10 else 6.5
    for position, ax in enumerate(places):
        ax.set_xticks(at, labels=labels, rotation=90, fontsize=size)
        ax.set_yticks(at, labels=labels if position == 0 else [], fontsize=size)
