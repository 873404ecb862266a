"""The steps that were taken by hand as a table: after each what is still seen, and what is lost."""

from collections.abc import Awaitable, Callable, Sequence
from html import escape
from typing import Any

from nicegui import ui

from sfumato.web.ui import html

FIGURES = {
    "alone": ("Alone", "Percent of the records that share all their key values with nobody."),
    "below_3": ("Fewer than 3", "Percent of the records with fewer than 3 alike, counting themselves."),
    "below_5": ("Fewer than 5", "Percent of the records with fewer than 5 alike, counting themselves."),
    "smallest": ("Smallest group", "The least number of records that share their key values."),
    "standing_out": ("Stand out", "Percent of the records that are rare in one key, or in two together."),
    "found": (
        "Expected found",
        "Percent of the records that an intruder is expected to find in the population.",
    ),
    "loss": ("Analysts lose", "From 0, no more than with another sample of the same people, to 100."),
}


def draw_steps(states: Sequence[dict[str, Any]], *, drop: Callable[[int], Awaitable[None]]) -> None:
    """The file as it was collected, then a row for each step; any step can be taken out."""
    with ui.element("div").classes("scrolling").props("tabindex=0 role=region") as shown:
        shown.props["aria-label"] = "Steps and what each does"
        with ui.element("table").classes("facts steps"):
            html.words("In percent of the records, but for the smallest group", tag="caption")
            _draw_head()
            with ui.element("tbody"):
                for number, state in enumerate(states):
                    _draw_row(number, state, states[number - 1] if number else None, drop)
    with html.more("What these mean"):
        for name, meaning in FIGURES.values():
            html.words(f"{name}: {meaning}", kind="small")


def _draw_head() -> None:
    with ui.element("thead"), ui.element("tr"):
        html.words("Step", tag="th").props("scope=col")
        for name, meaning in FIGURES.values():
            head = html.words(name, tag="th", kind="figure").props("scope=col")
            head.props["title"] = meaning
        html.words("", tag="td")


def _draw_row(
    number: int,
    state: dict[str, Any],
    before: dict[str, Any] | None,
    drop: Callable[[int], Awaitable[None]],
) -> None:
    with ui.element("tr"):
        name = html.words(f"{number}. {state['title']}" if number else state["title"], tag="th")
        name.props("scope=row").props["title"] = state["step"]
        for figure in FIGURES:
            change = None if before is None else state[figure] - before[figure]
            ui.html(_cell(figure, state[figure], change), tag="td", sanitize=False).classes("figure")
        with ui.element("td"):
            if number:
                out = html.action("Take out", lambda: drop(number), kind="plain small")
                out.props["aria-label"] = f"Take out step {number}"


def _cell(figure: str, value: float, change: float | None) -> str:
    """A figure, and below it by how much the step changed it.

    >>> _cell("alone", 32.6, -5.0), _cell("smallest", 2, 0)
    ('32.6<span class="change">−5.0</span>', '2')
    """
    shown = f"{value:,.0f}" if figure == "smallest" else f"{value:.1f}"
    if not change or abs(change) < 0.05:
        return escape(shown)
    moved = f"{abs(change):,.0f}" if figure == "smallest" else f"{abs(change):.1f}"
    return f'{shown}<span class="change">{"−" if change < 0 else "+"}{moved}</span>'


def draw_effects(found: dict[str, Any]) -> None:
    """The figures of two states side by side."""
    first, second = found["effects"]
    rows = [
        (
            "Records",
            *(f"{count:,}" for count in found["records"]),
            f"{found['records'][1] - found['records'][0]:+,}",
        )
    ]
    for figure, (name, _) in FIGURES.items():
        digits = 0 if figure == "smallest" else 1
        values = (f"{one[figure]:,.{digits}f}" for one in (first, second))
        rows.append((name, *values, f"{second[figure] - first[figure]:+,.{digits}f}"))
    html.facts(
        ("", *found["titles"], "Difference"),
        rows,
        caption="The two states beside each other",
        figures=(1, 2, 3),
    )
