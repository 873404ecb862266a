"""The look of all figures: fonts, colours, sizes, and the SVG they become."""

import io
import re
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from html import escape
from typing import Any, ParamSpec, TypeVar

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

P = ParamSpec("P")
R = TypeVar("R")

WIDTH = 8.0  # inches: full text width on A4, close to natural size on a screen

# Okabe and Ito's colours, told apart by nearly all readers; the yellow is left out, too pale on paper
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#5B4A9E", "#7A7A7A")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h", "<", ">")
ORIGINAL, RELEASE = "#B9C2CC", "#0072B2"
LOSS, RISK = "#0072B2", "#D55E00"
INK, FAINT, GRID = "#222222", "#6B6B6B", "#E4E4E4"

SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica", "sans-serif"],
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.facecolor": "white",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "figure.facecolor": "white",
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "text.color": INK,
    "text.parse_math": False,  # a dollar in a column name is a dollar
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "svg.fonttype": "none",  # real text: small, searchable, read out by screen readers
    "svg.hashsalt": "sfumato",
    "savefig.facecolor": "white",
}


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Draw under our settings and leave everybody else's alone."""

    @wraps(draw)
    def drawn(*given: P.args, **named: P.kwargs) -> R:
        with matplotlib.rc_context(_settings()):
            return draw(*given, **named)

    return drawn


def canvas(ax: Axes | None, height: float, width: float = WIDTH) -> tuple[Figure, Axes]:
    """The axes to draw in, or those of a new figure, and the figure they belong to."""
    if ax is not None:
        return ax.get_figure(root=True), ax  # type: ignore[return-value]
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def panels(
    ax: Axes | None, rows: int, columns: int, height: float, ratios: list[float] | None = None
) -> tuple[Figure, list[Axes]]:
    """A grid of axes, in the place of the given axes or in a new figure of a height per row."""
    if ax is None:
        figure = Figure(figsize=(WIDTH, height * rows), layout="constrained")
        grid: Any = figure.add_gridspec(rows, columns, height_ratios=ratios)
    else:
        figure, place = canvas(ax, height)[0], ax.get_subplotspec()
        ax.set_axis_off()
        grid = (place or figure.add_gridspec(1, 1)[0]).subgridspec(rows, columns, height_ratios=ratios)
    return figure, [figure.add_subplot(grid[i, j]) for i in range(rows) for j in range(columns)]


def beside(ax: Axes, text: str, place: tuple[float, float], offset: tuple[float, float], **look: Any) -> None:
    """Write a text so many points away from a place."""
    ax.annotate(text, place, xytext=offset, textcoords="offset points", **look)


def set_limits(ax: Axes, places: Sequence[Sequence[float]]) -> None:
    """Show all places, and a little below 0: points there keep their whole markers."""
    for axis, set_limit in ((0, ax.set_xlim), (1, ax.set_ylim)):
        values = [place[axis] for place in places]
        top = max([*values, 1.0])
        set_limit(min([*values, 0.0]) - 0.02 * top, 1.06 * top)


def heat_map(ax: Axes, matrix: np.ndarray, colours: str, low: float, high: float, gap: float = 0.8) -> None:
    """Draw a matrix as coloured cells, its first row on top."""
    ax.pcolormesh(matrix, cmap=colours, vmin=low, vmax=high, edgecolors="white", linewidth=gap)
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


def write_cell(ax: Axes, cell: tuple[int, ...], text: str, *, white: bool, size: float) -> None:
    """Write into a cell of a heat map."""
    i, j = cell
    ink = "white" if white else INK
    ax.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=size, color=ink)


def shortened(text: str, length: int = 24) -> str:
    """A label that fits: line breaks become spaces, and the end gives way to dots.

    >>> shortened("agriculture, forestry and fishing")
    'agriculture, forestry a…'
    """
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"


def short_number(value: float, position: object = None) -> str:
    """A number for an axis.

    >>> short_number(12500.0), short_number(3_200_000.0), short_number(0.25)
    ('12,500', '3.2 M', '0.25')
    """
    size = abs(value)
    for limit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if size >= limit:
            return f"{value / limit:,.4g} {letter}"
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def svg_text(figure: Figure, *, prefix: str = "", description: str = "") -> str:
    """A figure as an SVG element, the same bytes each time; a prefix keeps ids apart inside one page."""
    out = io.StringIO()
    with matplotlib.rc_context(_settings()), warnings.catch_warnings():
        # the text stays text, so the reader's fonts decide which glyphs there are
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    if prefix:
        text = re.sub(r"<[^>]*>", lambda tag: _with_prefix(tag[0], prefix), text)
    if description:
        text = text.replace("<svg ", f'<svg role="img" aria-label="{escape(description)}" ', 1)
    return text


def _with_prefix(tag: str, prefix: str) -> str:
    return re.sub(r'\bid="|url\(#|href="#', lambda found: f"{found[0]}{prefix}-", tag)


def _settings() -> Any:
    """The factory settings of matplotlib and ours, but nothing about windows and backends."""
    factory: dict[Any, Any] = {
        name: value
        for name, value in matplotlib.rcParamsDefault.items()
        if not name.startswith(("backend", "interactive", "toolbar", "tk.", "webagg"))
    }
    return {**factory, **SETTINGS}
