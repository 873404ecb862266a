"""A protected group: the attacked signal before and after the swaps."""

from typing import Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.plots.group_comparison import Compared, group_comparison


class Protected(Protocol):
    """What is drawn; a `GroupProtection` is one."""

    @property
    def comparison(self) -> Compared:
        """What the attack sees before and after."""


def group_protection(result: Protected, ax: Axes | None = None) -> Figure:
    """Draw what the attack sees before and after."""
    return group_comparison(result.comparison, ax)
