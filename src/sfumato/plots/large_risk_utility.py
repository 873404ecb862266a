"""The risk-utility map of a file larger than memory: the candidates of the sample, and the whole release."""

from typing import Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.plots._style import INK, styled
from sfumato.plots.risk_utility import Choice, risk_utility


class WholeChoice(Choice, Protocol):
    """What the map shows; a `LargeProtection` is one."""

    @property
    def loss(self) -> float:
        """Information loss of the whole release."""

    @property
    def risk(self) -> float:
        """Disclosure risk of the whole release."""


@styled
def large_risk_utility(result: WholeChoice, ax: Axes | None = None) -> Figure:
    """Draw loss against risk of the sample's candidates, and a star where the whole release is."""
    figure = risk_utility(result, ax)
    ax = ax or figure.axes[0]
    ax.plot(result.loss, result.risk, marker="*", ms=15, mfc="white", mec=INK, mew=1.4, ls="none", zorder=7)
    paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1}
    ax.annotate(
        "whole release",
        (result.loss, result.risk),
        zorder=6,
        bbox=paper,
        ha="right",
        xytext=(-9, -13),
        textcoords="offset points",
    )
    ax.set_xlim(right=max(ax.get_xlim()[1], 1.1 * result.loss))
    ax.set_ylim(top=max(ax.get_ylim()[1], 1.1 * result.risk))
    ax.set_title(
        f"{ax.get_title(loc='left')} on a sample; whole release: loss {result.loss:.1f} %, "
        f"risk {result.risk:.1f} %",
        fontweight="normal",
    )
    return figure
