"""Small drawings that need no chart: a row of bars inside a table, in the colours of the theme."""

from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT, GAP = 150, 34, 0.15


def small_bars(shares: Sequence[float], *, label: str) -> str:
    """Bars side by side as an SVG element; the label is what a screen reader says.

    >>> small_bars([1.0, 2.0], label="two").count("<rect")
    2
    """
    highest = max(shares, default=0.0) or 1.0
    step = min(WIDTH / max(len(shares), 1), WIDTH / 4)
    bars = "".join(
        f'<rect x="{place * step:.1f}" y="{HEIGHT - HEIGHT * share / highest:.1f}" '
        f'width="{step * (1 - GAP):.1f}" height="{HEIGHT * share / highest:.1f}"/>'
        for place, share in enumerate(shares)
    )
    return (
        f'<svg class="bars" role="img" aria-label="{escape(label)}" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">{bars}</svg>'
    )
