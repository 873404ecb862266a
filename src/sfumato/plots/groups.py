"""Groups of a partition: the records on two principal axes, each joined to the centroid of its group."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from sfumato.masking import Partition
from sfumato.plots._style import FAINT, PALETTE, canvas, styled

MARGIN = 0.06


@styled
def groups(result: Partition, ax: Axes | None = None) -> Figure:
    """Draw each group as a star around its centroid; neighbours differ in colour where chance allows.

    Records beyond the first and the last percentile of an axis stand at its edge, so that no extreme value
    can be read off.
    """
    figure, ax = canvas(ax, height=5.2)
    points = _within(result.points)
    counts = np.maximum(result.sizes, 1)
    centres = np.column_stack([np.bincount(result.labels, weights=column) / counts for column in points.T])
    colours = np.array(PALETTE)[_colours(centres)][result.labels]
    spokes = np.stack([points, centres[result.labels]], axis=1)
    ax.add_collection(LineCollection(list(spokes), colors=list(colours), linewidths=0.7, alpha=0.8))
    ax.scatter(points[:, 0], points[:, 1], s=7, c=list(colours), linewidths=0, zorder=2)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks([])
    ax.margins(MARGIN)
    ax.set(xlabel="first principal axis", ylabel="second principal axis", title=str(result))
    for spine in ax.spines.values():
        spine.set_color(FAINT)
    return figure


def _within(points: np.ndarray) -> np.ndarray:
    low, high = np.percentile(points, [1, 99], axis=0) if len(points) else (0, 0)
    clipped: np.ndarray = np.clip(points, low, high)
    return clipped


def _colours(centres: np.ndarray) -> np.ndarray:
    """Colours in turn along the first axis, so that groups side by side seldom share one."""
    order = np.argsort(centres[:, 0], kind="stable")
    colours = np.empty(len(centres), np.int64)
    colours[order] = np.arange(len(centres)) % len(PALETTE)
    return colours
