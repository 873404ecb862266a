"""The risk-utility map: every candidate by its loss and risk, the front, and the one that was chosen."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sfumato.jobs import Protection
from sfumato.masking import Masking
from sfumato.plots._style import FAINT, INK, MARKERS, PALETTE, beside, canvas, set_limits, shortened, styled
from sfumato.search.maskings.candidates import Candidate
from sfumato.search.maskings.short_names import in_short

HEADINGS = ("First method", "and then")
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1}


@styled
def risk_utility(result: Protection, ax: Axes | None = None) -> Figure:
    """Draw loss against risk; the best corner is the lower left one.

    Of a file that stayed on disk these are the candidates of a sample, and a star is where the whole release is.
    """
    figure, ax = canvas(ax, height=5.0)
    looks = _Looks([methods(c.masking) for c in result.candidates])
    ax.grid(True)
    if result.score != "verdict":  # what decides is not on the map
        _draw_equal_scores(ax, result)
    _draw_front(ax, result.front)
    gates = [reading.gate for reading in result.gates]
    open_dots = [c.fails(gates) for c in result.candidates]
    for candidate, is_open in zip(result.candidates, open_dots, strict=True):
        colour, marker = looks.of(methods(candidate.masking))
        face = "white" if is_open else colour
        dot = Line2D([candidate.loss], [candidate.risk], color=colour, marker=marker, ms=6, mew=1.1, mfc=face)
        dot.set(alpha=0.55 if is_open else 0.85, linestyle="none", zorder=3)
        ax.add_line(dot)
    _mark_chosen(ax, result)
    set_limits(ax, [(one.loss, one.risk) for one in result.candidates])
    ax.set_xlabel("Information loss (%)  →  less useful")
    ax.set_ylabel("Disclosure risk (%)  →  less safe")
    if result.whole is not None:
        _mark_whole(ax, result)
    ax.set_title(_title(result), fontweight="normal")
    entries = [*looks.legend(), *_other_entries(result, any(open_dots))]
    legend = ax.legend(handles=entries, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    for text in legend.get_texts():
        text.set_fontweight("bold" if text.get_text() in HEADINGS else "normal")
    return figure


def methods(masking: Masking) -> tuple[str, ...]:
    """The names of the methods in a masking, in order.

    >>> from sfumato.masking import Chain, Mdav
    >>> methods(Chain((Mdav(k=3), Mdav(k=5))))
    ('mdav', 'mdav')
    """
    return tuple(single.name for single in masking.sequence)


class _Looks:
    """Colour tells the first method of a candidate, the marker tells the others."""

    def __init__(self, families: Sequence[tuple[str, ...]]) -> None:
        self.firsts = list(dict.fromkeys(sorted(family[0] for family in families)))
        self.rests = list(dict.fromkeys(sorted(family[1:] for family in families)))

    def of(self, family: tuple[str, ...]) -> tuple[str, str]:
        first, rest = self.firsts.index(family[0]), self.rests.index(family[1:])
        # more methods than colours: a second round gets other markers
        shift = len(self.rests) * (first // len(PALETTE))
        return PALETTE[first % len(PALETTE)], MARKERS[(rest + shift) % len(MARKERS)]

    def legend(self) -> list[Line2D]:
        entries = [_entry(*self.of((name, *self.rests[0])), name) for name in self.firsts]
        if len(self.rests) > 1 or self.rests[0]:
            entries = [_heading(HEADINGS[0]), *entries, _heading(""), _heading(HEADINGS[1])]
            entries += [
                _entry(FAINT, MARKERS[i % len(MARKERS)], shortened(" → ".join(rest) or "nothing", 30))
                for i, rest in enumerate(self.rests)
            ]
        return entries


def _entry(colour: str, marker: str, label: str) -> Line2D:
    return Line2D([], [], color=colour, marker=marker, linestyle="none", ms=6, label=label)


def _heading(label: str) -> Line2D:
    return Line2D([], [], linestyle="none", label=label)


def _other_entries(result: Protection, any_open: bool) -> list[Line2D]:
    entries = [_heading(""), Line2D([], [], color=INK, lw=1.2, label="no other one beats these")]
    if result.score != "verdict":
        score = "larger of the two" if result.score == "max" else "mean of the two"
        entries.append(Line2D([], [], color=FAINT, lw=0.9, ls=(0, (4, 3)), label=f"same score ({score})"))
    if any_open:
        entries.append(
            Line2D([], [], color=FAINT, marker="o", mfc="white", ls="none", label="fails a requirement")
        )
    return entries


def _draw_equal_scores(ax: Axes, result: Protection) -> None:
    level = result.chosen.score(result.score)
    style: dict[str, Any] = {"color": FAINT, "lw": 0.9, "ls": (0, (4, 3)), "alpha": 0.7, "zorder": 1}
    corners = [(0, 2 * level), (2 * level, 0)]
    if result.score == "max":
        corners = [(0, level), (level, level), (level, 0)]
    ax.plot(*zip(*corners, strict=True), **style)
    ax.axline((0, 0), slope=1, color=FAINT, lw=0.6, alpha=0.45, zorder=1)


def _draw_front(ax: Axes, front: Sequence[Candidate]) -> None:
    ax.plot([c.loss for c in front], [c.risk for c in front], color=INK, lw=1.2, alpha=0.8, zorder=2)


def _mark_chosen(ax: Axes, result: Protection) -> None:
    place = (result.chosen.loss, result.chosen.risk)
    ax.plot(*place, marker="o", ms=13, mfc="none", mec=INK, mew=1.8, zorder=5)
    beside(ax, "chosen", place, (9, 7), fontweight="bold", zorder=6, bbox=PAPER)


def _mark_whole(ax: Axes, result: Protection) -> None:
    place = (result.loss, result.risk)
    ax.plot(*place, marker="*", ms=15, mfc="white", mec=INK, mew=1.4, ls="none", zorder=7)
    beside(ax, "whole release", place, (-9, -13), ha="right", zorder=6, bbox=PAPER)
    ax.set_xlim(right=max(ax.get_xlim()[1], 1.1 * result.loss))
    ax.set_ylim(top=max(ax.get_ylim()[1], 1.1 * result.risk))


def _title(result: Protection) -> str:
    count, chosen = len(result.candidates), result.chosen
    tried = f"{count} candidates" if count != 1 else "1 candidate"
    what = shortened(in_short(chosen.masking), 80)
    title = f"{tried}; chosen: {what}\nloss {chosen.loss:.1f} %, risk {chosen.risk:.1f} %"
    if result.whole is None:
        return title
    return f"{title} on a sample; whole release: loss {result.loss:.1f} %, risk {result.risk:.1f} %"
