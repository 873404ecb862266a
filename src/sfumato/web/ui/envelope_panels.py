"""The files of a run on a page: what goes out and what stays, apart, each with its archive."""

from collections.abc import Sequence

from nicegui import ui

from sfumato.web.bench import Visit
from sfumato.web.runs.envelopes import RunFile, envelopes
from sfumato.web.runs.run_state import RunState
from sfumato.web.ui import html

PUBLIC = "For the users of the file. Nothing here tells how to undo what was done."
PRIVATE = "Never publish these: whoever has them can undo the release. They are for you, and for an audit."


def draw_envelopes(visit: Visit, run: RunState) -> None:
    """Two panels side by side, or one where nothing goes out."""
    found = envelopes(visit.runs.job(run.id), run.files)
    base = f"/api/projects/{visit.project.id}/runs/{run.id}"
    with html.side_by_side():
        if found.goes_out:
            with html.panel("Goes out", about=PUBLIC).classes("goes-out"):
                _draw_list(found.goes_out, base)
                html.link(
                    "Download all that goes out (ZIP)",
                    f"{base}/public.zip",
                    kind="action main",
                    download=True,
                )
        if found.stays:
            with html.panel("Stays here").classes("stays"):
                html.notice(PRIVATE, kind="bad").props(remove="role")
                _draw_list(found.stays, base)
                html.link(
                    "Download what stays, for your own archive (ZIP)",
                    f"{base}/private.zip",
                    kind="action",
                    download=True,
                )


def _draw_list(files: Sequence[RunFile], base: str) -> None:
    with ui.element("ul").classes("list files"):
        for file in files:
            with ui.element("li"):
                html.link(file.title, f"{base}/files/{file.name}", download=True)
                html.words(file.about, tag="span", kind="faint")
