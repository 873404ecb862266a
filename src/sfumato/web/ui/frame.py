"""The frame around every page: header, navigation, theme, skip link, headings, and what to do with an error."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from nicegui import ui
from nicegui.element import Element

from sfumato.core import Cancelled, SfumatoError
from sfumato.version import __version__
from sfumato.web.bench import NavigationEntry
from sfumato.web.projects import Project
from sfumato.web.ui import html
from sfumato.web.ui.fields import choice

Tabs = dict[str, Element]

THEMES: dict[str, bool | None] = {"auto": None, "light": False, "dark": True}


@contextmanager
def framed(
    place: NavigationEntry, places: Mapping[str, NavigationEntry], *, project: Project | None, theme: str
) -> Iterator[Tabs]:
    """Draw the frame; what is made inside the block is the content of the page. It is given the tabs by name."""
    tabs: Tabs = {}
    ui.page_title(f"{place.title} · {project.name}" if project else "sfumato")
    ui.colors(primary="#0069a5", positive="#00694e", negative="#a84600")
    ui.on_exception(tell)
    content = ui.element("div").classes("bench-content").props("tabindex=-1")
    with ui.header(fixed=False).classes("bench-header"):
        html.link("Skip to the content", f"#{content.html_id}", kind="bench-skip")
        _draw_top(project, theme)
        if project is not None:
            tabs = _draw_navigation(place, places, project)
    with ui.element("footer").classes("bench-foot"):
        html.words(
            f"sfumato {__version__}. Everything stays on this machine; no page asks another one for anything.",
            tag="span",
        )
    with content:
        html.heading(place.title, level=1)
        if place.about:
            html.words(place.about, kind="lead")
        if project is not None and place is not places.get("data"):
            _draw_proposed(project)
        yield tabs


def _draw_proposed(project: Project) -> None:
    """Say, on every page but the one where that is done, that nobody confirmed what the columns are."""
    if project.kind != "table" or project.schema_path.exists():
        return
    with ui.element("div").classes("unconfirmed").props("role=note"):
        html.words(
            "Nobody has confirmed the proposed roles of the columns: this page is right if they are. ",
            tag="span",
        )
        html.link("Confirm or change them", project.address)


def tell(error: Exception) -> None:
    """Say what went wrong; what was stopped, since something else is wanted now, did not go wrong."""
    if isinstance(error, Cancelled):
        return
    ui.notify(sentence_of(error), type="negative", multi_line=True, timeout=10_000, close_button="Close")


def sentence_of(error: Exception) -> str:
    """The sentence of our own errors, only the kind of others: their message may hold a record's value."""
    if isinstance(error, SfumatoError):
        return str(error)
    return f"Something unexpected failed ({type(error).__name__}); please report it."


def _draw_top(project: Project | None, theme: str) -> None:
    with ui.element("div").classes("bench-top"):
        html.link("sfumato", "/", kind="bench-brand").props('aria-label="sfumato: all projects"')
        if project is not None:
            html.words(project.name, tag="span", kind="bench-project")
        dark = ui.dark_mode(THEMES.get(theme))

        def change(chosen: str) -> None:
            dark.value = THEMES[chosen]
            ui.run_javascript(f"keepTheme('{chosen}')")

        with ui.element("div").classes("bench-theme"):
            options = {"auto": "Theme: as the system", "light": "Theme: light", "dark": "Theme: dark"}
            choice("Theme", options, value=theme, on_change=change, bare=True)


def _draw_navigation(here: NavigationEntry, places: Mapping[str, NavigationEntry], project: Project) -> Tabs:
    tabs: Tabs = {}
    fitting = {name: p for name, p in places.items() if project.kind in p.kinds and not p.address}
    steps = [name for _, name in sorted((p.step, name) for name, p in fitting.items() if p.step is not None)]
    others = sorted(name for name, p in fitting.items() if p.step is None)
    with ui.element("nav").classes("bench-nav").props('aria-label="Pages of the project"'):
        for names in filter(None, (steps, others)):
            with ui.element("ol"):
                for name in names:
                    with ui.element("li") as tabs[name]:
                        _draw_link(places[name], f"/projects/{project.id}/{name}", here)
    return tabs


def hide_tabs(tabs: Tabs, unfitting: Collection[str], here: str) -> None:
    """Hide the tabs of pages that do not fit a file; the page that is open keeps its own."""
    for name, tab in tabs.items():
        tab.set_visibility(name == here or name not in unfitting)


def _draw_link(place: NavigationEntry, address: str, here: NavigationEntry) -> None:
    with ui.element("a").props(f"href={address}") as link:
        if place is here:
            link.props("aria-current=page")
        if place.step is not None:
            html.words(str(place.step), tag="span", kind="step")
        html.words(place.title, tag="span")
