"""The first page: go on with a project, open a file from the folder, or upload one."""

import asyncio
import json
import time
from functools import partial

from nicegui import ui
from nicegui.element import Element

from sfumato.core.quantities import Size
from sfumato.data import SUFFIXES
from sfumato.data.formats.ipums import Ipums
from sfumato.web.bench import Arrival, Bench, NavigationEntry
from sfumato.web.new_projects import open_in_place
from sfumato.web.projects import GRAPHS, Project
from sfumato.web.ui import html
from sfumato.web.ui.layout_fields import LayoutFields, layout_fields
from sfumato.web.workspace import Entry

NAVIGATION = NavigationEntry(
    title="Protect data about people",
    about="Open a file, see what it gives away, search for the protection that loses least and gives no more away than "
    "a guess, look closely at what was found, and release it.",
    address="/",
)
MOST_SHOWN = 300


async def draw(visit: Arrival) -> None:
    bench = visit.bench
    projects = await asyncio.to_thread(bench.workspace.projects)
    with html.side_by_side():
        with html.panel(
            "Open a file", about=f"From the folder {bench.workspace.folder.name or '/'} or below it."
        ):
            trouble = html.said_aloud()
            browser = ui.element("div")
            with html.more("How text files are read"):
                fields = layout_fields()
        with ui.element("div"):
            with html.panel("Upload a file", about=_about_uploads(bench)):
                _draw_upload(bench, fields)
            if projects:
                with html.panel("Your projects"):
                    _draw_projects(bench, projects)
    await _browse(bench, "", browser, fields, trouble)


def _about_uploads(bench: Bench) -> str:
    most = str(Size(bench.most_upload))
    tables = ", ".join(suffix for suffix in SUFFIXES if suffix not in Ipums.suffixes)
    return f"At most {most}; it stays on this machine. Tables: {tables}; graphs: {', '.join(GRAPHS)}."


async def _browse(bench: Bench, below: str, browser: Element, fields: LayoutFields, trouble: Element) -> None:
    entries = await asyncio.to_thread(bench.workspace.entries, below)
    browser.clear()
    with browser:
        if below:
            html.words(f"{bench.workspace.folder.name}/{below}", kind="mono faint")
        with ui.element("ul").classes("list").props('aria-label="Files and folders"'):
            if below:
                parent = Entry("..", below.rpartition("/")[0], is_folder=True)
                _draw_entry(bench, parent, browser, fields, trouble)
            for entry in entries[:MOST_SHOWN]:
                _draw_entry(bench, entry, browser, fields, trouble)
        if len(entries) > MOST_SHOWN:
            html.words(f"{len(entries) - MOST_SHOWN:,} more are not shown: use folders.", kind="faint")
        if not entries:
            html.words("No file here that holds a table.", kind="faint")


def _draw_entry(bench: Bench, entry: Entry, browser: Element, fields: LayoutFields, trouble: Element) -> None:
    async def choose() -> None:
        if entry.is_folder:
            await _browse(bench, entry.path, browser, fields, trouble)
        else:
            project = await html.attempted(
                trouble,
                f"Reading {entry.name} …",
                lambda: open_in_place(bench, entry.path, fields.options()),
            )
            if project is not None:
                ui.navigate.to(project.address)

    with ui.element("li"), ui.element("button").classes("entry").props("type=button") as button:
        html.words("▸" if entry.is_folder else "·", tag="span", kind="faint").props("aria-hidden=true")
        html.words(_called(entry), tag="span", kind="start")
        if not entry.is_folder:
            html.words(in_words(entry.size), tag="span", kind="end")
    button.on("click", choose, args=[])


def _called(entry: Entry) -> str:
    if entry.name == "..":
        return "back to the folder above"
    return f"{entry.name}/" if entry.is_folder else entry.name


def _draw_upload(bench: Bench, fields: LayoutFields) -> None:
    trouble = html.said_aloud()
    label = html.words("The file to upload", tag="label", kind="hidden-words")
    chooser = ui.element("input").props("type=file").props(f"accept={','.join((*SUFFIXES, *GRAPHS))}")
    label.props(f"for={chooser.html_id}")
    state = html.said_aloud()
    with state:
        bar = ui.element("progress").props("max=1 value=0 aria-label=Sent")
        bar.set_visibility(False)
        said = html.words("", kind="faint small")
    too_large = f"An upload may have at most {Size(bench.most_upload)}: put the file into the folder."
    options = json.dumps({"most": bench.most_upload, "tooLarge": too_large, "bar": bar.html_id})
    chooser.on("change", js_handler=f"(event) => sendFile(event.target, {options}, {fields.ids})")

    def begun() -> None:
        trouble.clear()
        bar.set_visibility(True)
        said.set_content("Sending the file, then reading it …")

    def refused(event: object) -> None:
        bar.set_visibility(False)
        said.set_content("")
        trouble.clear()
        with trouble:
            html.notice(str(getattr(event, "args", "")), kind="bad")

    ui.on("upload_begun", begun)
    ui.on("upload_refused", refused)


def _draw_projects(bench: Bench, projects: list[Project]) -> None:
    with ui.element("ul").classes("list long").props('tabindex=0 aria-label="Projects"'):
        for project in projects:
            with ui.element("li").style("display: flex; align-items: center") as line:
                with ui.element("a").classes("entry").props(f"href={project.address}"):
                    html.words(project.name, tag="span", kind="start")
                    opened = time.strftime("%d %b %Y, %H:%M", time.localtime(project.created))
                    html.words(opened, tag="span", kind="end")
                removal = partial(_ask_before_removal, bench, project, line)
                button = html.action("Remove", removal, kind="plain")
                button.props["aria-label"] = f"Remove project {project.name}"


def _ask_before_removal(bench: Bench, project: Project, line: Element) -> None:
    with ui.dialog(value=True) as dialog, ui.element("div").classes("panel"):
        dialog.props["aria-label"] = "Remove the project"
        dialog.on("hide", dialog.delete)
        html.heading(f"Remove {project.name}?")
        kept = "The uploaded file goes too." if project.uploaded else "The file itself stays where it is."
        html.words(f"Its schema, its runs and their results are deleted. {kept}")

        async def remove() -> None:
            dialog.close()
            await asyncio.to_thread(bench.remove, project)
            line.delete()

        with html.row():
            html.action("Remove", remove, kind="main")
            html.action("Keep", dialog.close)


def in_words(size: int) -> str:
    """A number of bytes for people.

    >>> in_words(12), in_words(3_500_000)
    ('12 bytes', '3.3 MB')
    """
    if size < 1024:
        return f"{size} bytes"
    return f"{size / 2**10:,.0f} kB" if size < 2**20 else f"{size / 2**20:,.1f} MB"
