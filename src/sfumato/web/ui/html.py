"""Elements of pages: headings, panels, numbers, tables, buttons.

They are plain HTML, so that the keyboard and screen readers find what they expect.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

from nicegui import ui
from nicegui.element import Element

Action = Callable[..., Any]


def words(text: str, *, tag: str = "p", kind: str = "") -> ui.html:
    return ui.html(escape(text), tag=tag, sanitize=False).classes(kind)


def heading(text: str, *, level: int = 2) -> ui.html:
    """A heading; a page has one of level 1, which the frame draws."""
    return words(text, tag=f"h{level}")


@contextmanager
def panel(title: str = "", *, about: str = "", kind: str = "") -> Iterator[Element]:
    """A block of the page with a heading and a sentence about it."""
    with ui.element("section").classes(f"panel {kind}") as section:
        if title:
            head = heading(title)
            section.props(f"aria-labelledby={head.html_id}")
        if about:
            words(about, kind="faint")
        yield section


@contextmanager
def side_by_side() -> Iterator[Element]:
    """Panels beside each other where there is room."""
    with ui.element("div").classes("columns") as columns:
        yield columns


@contextmanager
def row() -> Iterator[Element]:
    """Controls in a row, wrapped where the page is narrow."""
    with ui.element("div").classes("row-of") as line:
        yield line


@contextmanager
def more(summary: str) -> Iterator[Element]:
    """Something that opens on a click."""
    with ui.element("details") as details:
        words(summary, tag="summary")
        yield details


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


@contextmanager
def numbers() -> Iterator[Element]:
    with ui.element("div").classes("numbers") as place:
        yield place


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

    head = "".join(cell(place, escape(text), "th", ' scope="col"') for place, text in enumerate(headings))
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


def link(text: str, address: str, *, kind: str = "", download: bool = False) -> ui.html:
    """A link; as a button if `kind` is "action" or "action main"."""
    found = words(text, tag="a", kind=kind)
    found.props["href"] = address
    return found.props("download") if download else found
