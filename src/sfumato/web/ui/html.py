"""Elements of pages: headings, panels, numbers, tables, buttons.

They are plain HTML, so that the keyboard and screen readers find what they expect.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, TypeVar

from nicegui import ui
from nicegui.element import Element

from sfumato.core import Cancelled, SfumatoError

Action = Callable[..., Any]
T = TypeVar("T")


def words(text: str, *, tag: str = "p", kind: str = "") -> ui.html:
    return ui.html(escape(text), tag=tag, sanitize=False).classes(kind)


def heading(text: str, *, level: int = 2) -> ui.html:
    """A heading; a page has one of level 1, which the frame draws."""
    return words(text, tag=f"h{level}")


def panel(title: str, *, about: str = "") -> Element:
    """A block of the page with a heading and a sentence about it."""
    with ui.element("section").classes("panel") as section:
        section.props(f"aria-labelledby={heading(title).html_id}")
        if about:
            words(about, kind="faint")
    return section


def side_by_side() -> Element:
    """Panels beside each other where there is room."""
    return ui.element("div").classes("columns")


def row() -> Element:
    """Controls in a row, wrapped where the page is narrow."""
    return ui.element("div").classes("row-of")


def more(summary: str) -> Element:
    """Something that opens on a click."""
    with ui.element("details") as details:
        words(summary, tag="summary")
    return details


def formula(text: str, *, explained: Sequence[str] = ()) -> None:
    """The formula, one click away, with what its letters mean."""
    with more("How it is calculated"):
        words(text, tag="div", kind="formula")
        for sentence in explained:
            words(sentence, kind="small")


def notice(text: str, *, kind: str = "") -> ui.html:
    """A sentence that stands out; `kind` is "good", "bad" or nothing."""
    found = words(text, tag="div", kind=f"notice {kind}")
    return found.props("role=alert") if kind == "bad" else found


@contextmanager
def waiting(text: str) -> Iterator[Element]:
    """Say that something is under way until the block ends."""
    with ui.element("div").classes("waiting").props("role=status") as shown:
        ui.element("span").classes("turning").props("aria-hidden=true")
        words(text, tag="span")
    try:
        yield shown
    finally:
        if not shown.is_deleted:  # nor is the page, or the part of it that it stood in
            shown.delete()


async def attempted(place: Element, text: str, work: Callable[[], Awaitable[T]]) -> T | None:
    """What some work comes to, waited for in a place; refused, it says why in the same place, and gives nothing."""
    place.clear()
    try:
        with place, waiting(text):
            return await work()
    except Cancelled:  # something else is asked for now
        return None
    except SfumatoError as error:
        with place:
            notice(str(error), kind="bad")
        return None


def said_aloud() -> Element:
    """A place where something will be said, which screen readers then read."""
    return ui.element("div").props("aria-live=polite")


def numbers() -> Element:
    return ui.element("div").classes("numbers")


def number(value: str, label: str, *, meaning: str, how: str = "", kind: str = "") -> None:
    """One figure with its meaning in plain words, and its formula one click away."""
    with ui.element("div").classes(f"number {kind}"):
        words(value, tag="span", kind="value")
        words(label, tag="span", kind="label")
        words(meaning, tag="span", kind="faint small")
        if how:
            formula(how)


def facts(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str,
    figures: Sequence[int] = (),
    links: Sequence[str] = (),
) -> ui.html:
    """A table of texts; columns whose places are in `figures` hold numbers.

    The first text of a row names it, and leads to its address where `links` has one for each row.
    """

    def cell(place: int, markup: str, tag: str, extra: str = "") -> str:
        kind = ' class="figure"' if place in figures else ""
        return f"<{tag}{kind}{extra}>{markup}</{tag}>"

    def line(name: str, *values: str) -> str:
        cells = [cell(place, escape(value), "td") for place, value in enumerate(values, start=1)]
        return "".join(["<tr>", cell(0, name, "th", ' scope="row"'), *cells, "</tr>"])

    head = "".join(
        cell(place, escape(text), "th", ' scope="col"') if text else "<td></td>"
        for place, text in enumerate(headings)
    )
    names = [escape(row[0]) for row in rows]
    if links:
        names = [f'<a href="{escape(at)}">{name}</a>' for name, at in zip(names, links, strict=True)]
    body = "".join(line(name, *row[1:]) for name, row in zip(names, rows, strict=True))
    table = (
        f'<table class="facts"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
    shown = ui.html(table, sanitize=False).classes("scrolling")
    shown.props("tabindex=0 role=region").props["aria-label"] = caption
    return shown


def action(text: str, on_click: Action, *, kind: str = "") -> ui.html:
    """A button; `kind` is "main" for the one thing to do next, "plain" for a lesser one."""
    button = words(text, tag="button", kind=f"action {kind}").props("type=button")
    button.on("click", on_click, args=[])
    return button


def told_action(text: str, work: Callable[[], Awaitable[Any]], *, kind: str = "main") -> ui.html:
    """A button, and below it the place where it is said why what it does was refused."""
    said: Element

    async def act() -> None:
        await attempted(said, "One moment …", work)

    button = action(text, act, kind=kind)
    said = said_aloud().classes("said")
    return button


def link(text: str, address: str, *, kind: str = "", download: bool = False) -> ui.html:
    """A link; as a button if `kind` is "action" or "action main"."""
    found = words(text, tag="a", kind=kind)
    found.props["href"] = address
    return found.props("download") if download else found
