"""A figure in words: a line for everything that is drawn, with its place in the coordinates of the data and its look.

Nothing here depends on fonts or on the layout, which other versions of matplotlib may do otherwise by a little.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import Collection, LineCollection, PathCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import AxLine, Line2D
from matplotlib.patches import Patch, Rectangle, StepPatch
from matplotlib.text import Annotation, Text

from recorded import number, numbers
from sfumato.plots._style import styled

MOST_PLACES = 30  # of a line or a cloud of points that are written one by one


@styled  # marks of axes are made when they are asked for
def described(figure: Figure) -> str:
    """All lines of a figure, axes after axes."""
    lines = [f"figure {_pair(figure.get_size_inches())} inches, {type(figure.get_layout_engine()).__name__}"]
    lines += [f"  {_text(text)}" for text in figure.texts if text.get_text()]
    for name in ("_suptitle", "_supxlabel"):
        text = getattr(figure, name, None)
        if text is not None and text not in figure.texts:
            lines.append(f"  {_text(text)}")
    for legend in figure.legends:
        lines += [f"  {line}" for line in _legend(legend, figure.transSubfigure)]
    for place, ax in enumerate(figure.axes, 1):
        lines.append(f"axes {place} {_place(ax)}")
        lines += [f"  {line}" for line in _axes(ax)]
    return "\n".join(lines)


def _place(ax: Axes) -> str:
    bar = getattr(ax, "_colorbar_info", None)
    if bar is not None:
        shape = " ".join(f"{name} {number(bar[name])}" for name in ("shrink", "aspect", "fraction", "pad"))
        return f"a bar of colours, {bar['location']} of {len(bar['parents'])} axes, {shape}"
    spec = ax.get_subplotspec()
    if spec is None:
        return "somewhere"
    grid = spec.get_gridspec()
    ratios = grid.get_height_ratios() or []
    apart = f", heights {numbers(ratios)}" if len(set(ratios)) > 1 else ""
    return f"at {spec.num1} of {grid.nrows} by {grid.ncols}{apart}"


def _axes(ax: Axes) -> Iterator[str]:
    for where in ("left", "center", "right"):
        title = {"left": ax._left_title, "center": ax.title, "right": ax._right_title}[where]
        if title.get_text():
            raised = ax.titleOffsetTrans.get_matrix()[1, 2] / ax.figure.dpi * 72
            yield f"title {where} {_words(title)} {_font(title)}, raised {number(raised)}"
    if not ax.axison:
        yield f"no axis is shown, x from {numbers(ax.get_xlim())}, y from {numbers(ax.get_ylim())}"
    else:
        yield f"face {_colour(ax.get_facecolor())}, below {ax.get_axisbelow()}, margins {numbers(ax.margins())}"
        for name, spine in ax.spines.items():
            if spine.get_visible():
                yield f"spine {name} {_colour(spine.get_edgecolor())} {number(spine.get_linewidth())}"
        yield from _axis(ax.xaxis, "x")
        yield from _axis(ax.yaxis, "y")
    if hasattr(ax, "_colorbar_info"):
        return  # its cells are those of what it is the bar of
    left_out = (ax.title, ax._left_title, ax._right_title, ax.patch, *ax.spines.values(), ax.xaxis, ax.yaxis)
    for artist in ax.get_children():
        if artist in left_out or isinstance(artist, Legend) or not artist.get_visible():
            continue
        yield from _artist(artist, ax)
    if ax.get_legend() is not None:
        yield from _legend(ax.get_legend(), ax.transAxes)


def _axis(axis: Axis, name: str) -> Iterator[str]:
    low, high = axis.get_view_interval()
    ends = numbers((low, high))
    yield f"{name} from {ends}, {axis.get_scale()}{f', label {_words(axis.label)} {_font(axis.label)}' if axis.label.get_text() else ''}"
    ticks = axis.get_majorticklocs()
    texts = [text.get_text() for text in axis.get_ticklabels()]
    inside = [
        (at, text)
        for at, text in zip(ticks, texts, strict=False)
        if min(low, high) - 1e-9 <= at <= max(low, high) + 1e-9
    ]
    yield f"{name} ticks" + "".join(f" {number(at)} {text!r}" for at, text in inside)
    if inside:
        found = axis.get_major_ticks(len(ticks))
        looks = dict.fromkeys(map(_tick, found))
        yield f"{name} tick " + "; ".join(looks)
    minor = axis.get_minorticklocs()
    if len(minor):
        yield f"{name} {len(minor)} small ticks"


def _tick(tick: Any) -> str:
    label = tick.label1
    look = f"{number(tick.tick1line.get_markersize())} {number(tick.get_pad())} {_font(label)} turned {number(label.get_rotation())}"
    if not tick.tick1line.get_visible():
        look += ", no mark"
    if not label.get_visible():
        look += ", no label"
    grid = tick.gridline
    if grid.get_visible():
        look += f", grid {_colour(grid.get_color())} {number(grid.get_linewidth())}"
    return look


# ------------------------------------------------------------------------------------------- what is drawn


def _artist(artist: Artist, ax: Axes) -> Iterator[str]:
    match artist:
        case AxLine():
            yield f"{_line(artist)}{_named(artist)} through {_pair(artist._xy1)} slope {number(artist._slope)}"
        case Line2D():
            yield f"{_line(artist)}{_named(artist)} at {_points(artist.get_xydata())}{_coordinates(artist, ax)}"
        case Text():
            if artist.get_text():
                yield _text(artist) + _coordinates(artist, ax)
        case Rectangle():
            corner = numbers((*artist.get_xy(), artist.get_width(), artist.get_height()))
            yield f"bar {corner} {_patch(artist)}{_named(artist)}"
        case StepPatch():
            values, edges, base = artist.get_data()
            yield f"stairs {numbers(values)} between {numbers(edges)} from {base} {_patch(artist)}"
        case QuadMesh():
            values = np.ma.filled(artist.get_array(), np.nan).ravel()
            low, high = artist.get_clim()
            edge = "".join(map(_colour, artist.get_edgecolor()[:1]))
            yield (
                f"cells {_some(values)} {artist.get_cmap().name} from {numbers((low, high))}, edges {edge} "
                f"{numbers(artist.get_linewidth())}"
            )
        case Collection():
            yield f"{_collection(artist)}{_coordinates(artist, ax)}"
        case _:
            yield f"{type(artist).__name__} {_patch(artist) if isinstance(artist, Patch) else ''}".rstrip()


def _line(line: Line2D) -> str:
    parts = []
    if line.get_linestyle() != "None":
        parts.append(f"line {_colour(line.get_color())}")
        offset, dashes = line._unscaled_dash_pattern
        dashes = (*(dashes or ()), *([offset] if offset else []))
        parts.append(
            f"width {number(line.get_linewidth())} {line.get_linestyle()} {numbers(dashes)}".rstrip()
        )
    if line.get_drawstyle() != "default":
        parts.append(line.get_drawstyle())
    if line.get_marker() not in ("", "None", None):
        faces = f"{_colour(line.get_markerfacecolor())} edge {_colour(line.get_markeredgecolor())}"
        parts.append(
            f"marker {line.get_marker()} {number(line.get_markersize())} {faces} {number(line.get_markeredgewidth())}"
        )
    if line.get_solid_capstyle() != "projecting":
        parts.append(f"ends {line.get_solid_capstyle()}")
    return " ".join(parts) + _common(line)


def _collection(many: Collection) -> str:
    widths = numbers(sorted(set(np.round(many.get_linewidth(), 6).tolist())))
    edges, faces = (_colours(found) for found in (many.get_edgecolor(), many.get_facecolor()))
    look = f"width {widths} edge {edges} face {faces}{_common(many)}"
    if isinstance(many, LineCollection):
        segments = np.array(many.get_segments()).reshape(-1, 4)
        return f"lines {_points(segments)} {look}"
    if isinstance(many, PathCollection):
        return f"points {_points(many.get_offsets())} size {numbers(many.get_sizes())} {look}"
    return f"area {_points(np.concatenate([path.vertices for path in many.get_paths()]))} {look}"


def _text(text: Text) -> str:
    where = _pair(text.get_position())
    if isinstance(text, Annotation):
        coordinates = "" if text.xycoords == "data" else f" of {text.xycoords}"
        where = f"{where} {text.anncoords} from {_pair(text.xy)}{coordinates}"
        if text.get_annotation_clip() is not None:
            where += f" clip {text.get_annotation_clip()}"
    box = text.get_bbox_patch()
    paper = f", on {_patch(box)} {_style(box)}" if box is not None else ""
    align = f"{text.get_ha()} {text.get_va()}"
    return f"text {_words(text)} at {where}, {align}, {_font(text)}{_common(text)}{paper}"


def _style(box: Any) -> str:
    style = box.get_boxstyle()
    return f"{type(style).__name__} {number(style.pad)}"


def _patch(patch: Patch) -> str:
    face = _colour(patch.get_facecolor()) if patch.get_fill() else "none"
    edge = f"{_colour(patch.get_edgecolor())} {number(patch.get_linewidth())}"
    return f"face {face} edge {edge}{_common(patch)}"


def _legend(legend: Legend, around: Any) -> Iterator[str]:
    anchor = legend.get_bbox_to_anchor().transformed(around.inverted())
    where = getattr(legend, "_outside_loc", None) or legend._loc
    frame = "framed" if legend.get_frame_on() else "no frame"
    gaps = (legend.borderaxespad, legend.columnspacing, legend.handletextpad, legend.handlelength)
    yield (
        f"legend {where} of {numbers(np.round(anchor.bounds, 9))}, {legend._ncols} columns, {frame}, "
        f"gaps {numbers((*gaps, legend.labelspacing))}, {legend.get_alignment()}"
    )
    if legend.get_title().get_text():
        yield f"  title {_words(legend.get_title())} {_font(legend.get_title())}"
    for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
        look = _line(handle) if isinstance(handle, Line2D) else _patch(handle)
        yield f"  {_words(text)} {_font(text)}: {look}"


# -------------------------------------------------------------------------------------------- looks and places


def _common(artist: Artist) -> str:
    parts = [] if artist.get_alpha() is None else [f"alpha {number(artist.get_alpha())}"]
    parts.append(f"z {number(artist.get_zorder())}")
    if not artist.get_clip_on() and not isinstance(artist, Text):
        parts.append("beyond the axes")
    return " " + " ".join(parts)


def _named(artist: Artist) -> str:
    label = str(artist.get_label())
    return "" if label.startswith("_") or not label else f" called {label!r}"


def _coordinates(artist: Artist, ax: Axes) -> str:
    """Where it is not the coordinates of the data that count."""
    if isinstance(artist, Annotation):
        return ""
    transform = (
        artist.get_offset_transform() if isinstance(artist, PathCollection) else artist.get_transform()
    )
    if transform == ax.transData:
        return ""
    if transform == ax.transAxes:
        return " of the axes"
    held = [
        part
        for part, contains in zip("xy", transform.contains_branch_seperately(ax.transData), strict=True)
        if contains
    ]
    return f" in {' and '.join(held) or 'points'}"


def _font(text: Text) -> str:
    weight = text.get_fontweight()
    parts = [
        number(text.get_fontsize()),
        "" if weight in ("normal", 400) else str(weight),
        _colour(text.get_color()),
    ]
    return " ".join(filter(None, parts)) + (" with formulas" if text.get_parse_math() else "")


def _words(text: Text) -> str:
    return repr(text.get_text())


def _colour(colour: Any) -> str:
    if isinstance(colour, str) and colour in ("none", "auto"):
        return colour
    found = to_hex(colour, keep_alpha=True)
    return found.removesuffix("ff") if len(found) == 9 else found


def _colours(found: Any) -> str:
    names = [_colour(one) for one in found]
    return names[0] if len(set(names)) == 1 else " ".join(names[:MOST_PLACES]) or "none"


def _pair(place: Iterable[float]) -> str:
    return f"({', '.join(map(number, place))})"


def _points(places: Any) -> str:
    rows = [_pair(np.ma.filled(np.ma.asarray(row, float), np.nan)) for row in places]
    if len(rows) <= MOST_PLACES:
        return " ".join(rows)
    mean = _pair(np.asarray(places, float).mean(axis=0))
    return f"{len(rows)} places {' '.join(rows[:3])} … {' '.join(rows[-2:])}, mean {mean}"


def _some(values: Sequence[float]) -> str:
    if len(values) <= 4 * MOST_PLACES:
        return numbers(values)
    return f"{len(values)} of them {numbers(values[:5])} … {numbers(values[-5:])}, sum {number(np.nansum(values))}"
