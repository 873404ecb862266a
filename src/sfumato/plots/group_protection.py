"""A protected group: the attacked signal before and after the swaps."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.jobs.groups.protect import GroupProtection
from sfumato.plots.group_comparison import group_comparison


def group_protection(result: GroupProtection, ax: Axes | None = None) -> Figure:
    """Draw what the attack sees before and after."""
    return group_comparison(result.comparison, ax)
