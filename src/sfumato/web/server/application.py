"""The server: the pages, their JSON twin and the guard in one application on the loopback address."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from nicegui import Client, ui
from nicegui import app as page_app
from starlette.staticfiles import StaticFiles

from sfumato.core import SfumatoError
from sfumato.web import folder_registry
from sfumato.web.bench import Arrival, Bench, NavigationEntry, Visit
from sfumato.web.questions.process.question_pool import QuestionPool
from sfumato.web.server import api
from sfumato.web.server.guard import Guard
from sfumato.web.server.logs import quieten
from sfumato.web.server.loopback_socket import LoopbackSocket
from sfumato.web.server.refusal import Refusal
from sfumato.web.ui import frame, html
from sfumato.web.workspace import Workspace

STATIC = Path(__file__).parents[1] / "static"
HEAD = '<link rel="stylesheet" href="/static/workbench.css"><script src="/static/workbench.js"></script>'
LONGEST_WAIT = 120.0  # seconds for a browser to come back for what it was promised; scripts never do
AWAY = 2.0  # seconds without a connection after which a page counts as left
NOWHERE = NavigationEntry(title="Not found", about="")
NO_PAGE = Refusal(404, "Not found", "There is no such page: start from the first one.")
FAILED = Refusal(500, "Something failed", "Something unexpected failed: go back, and report it if it stays.")


def server(
    workspace: Workspace, listening: LoopbackSocket, *, questions: QuestionPool, most_upload: int
) -> Callable[[], None]:
    """What serves until Ctrl-C, with all pages loaded."""
    quieten()
    workspace.clear()
    bench = Bench(workspace=workspace, questions=questions, most_upload=most_upload)
    guard = Guard(application(bench), token=listening.token, port=listening.port, most_upload=most_upload)
    config = uvicorn.Config(
        guard,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    gc.collect()
    gc.freeze()  # what is there now stays: to look through it again and again would hold everybody up
    return lambda: asyncio.run(uvicorn.Server(config).serve(sockets=[listening.socket]))


def application(bench: Bench) -> FastAPI:
    """The application: `/static`, `/api`, and a page for each file in `pages`."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        recovering = asyncio.create_task(asyncio.to_thread(bench.recover))
        yield
        recovering.cancel()

    app = FastAPI(title="sfumato", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.mount("/static", StaticFiles(directory=STATIC))
    pages = {name: folder_registry.load("pages", name) for name in folder_registry.names("pages")}
    app.include_router(api.routes(bench))
    for page in pages.values():
        if hasattr(page, "routes"):
            app.include_router(page.routes(bench), prefix="/api")
    app.include_router(api.question_routes(bench))
    api.explain_errors(app)
    app.add_exception_handler(Exception, _failed)
    _add_pages(bench, pages)
    ui.add_head_html(HEAD, shared=True)
    ui.run_with(
        app,
        title="sfumato",
        favicon=STATIC / "favicon.svg",
        dark=None,
        language="en-GB",
        tailwind=False,
        reconnect_timeout=10,
        show_welcome_message=False,
        gzip_middleware_factory=None,  # on one machine it only keeps the server from answering others
    )
    return app


def _add_pages(bench: Bench, pages: dict[str, ModuleType]) -> None:
    places = {name: page.NAVIGATION for name, page in pages.items()}
    page_app.add_exception_handler(404, _not_found)
    page_app.add_exception_handler(Exception, _failed)
    for name, page in pages.items():
        if page.NAVIGATION.address:
            _add_page(bench, page, places)
        else:
            _add_project_page(bench, name, page, places)


def _add_page(bench: Bench, page: ModuleType, places: dict[str, NavigationEntry]) -> None:
    @ui.page(page.NAVIGATION.address)
    async def show(request: Request) -> None:
        with frame.framed(page.NAVIGATION, places, project=None, theme=_theme(request)):
            await _draw(page, Arrival(bench=bench, query=dict(request.query_params)))


def _add_project_page(bench: Bench, name: str, page: ModuleType, places: dict[str, NavigationEntry]) -> None:
    @ui.page(f"/projects/{{project_id}}/{name}")
    async def show(request: Request, project_id: str) -> None:
        try:
            project = bench.workspace.project(project_id)
        except SfumatoError as error:
            ui.context.client.status_code = 404
            with frame.framed(NOWHERE, places, project=None, theme=_theme(request)):
                html.notice(str(error), kind="bad")
            return
        with frame.framed(page.NAVIGATION, places, project=project, theme=_theme(request)) as tabs:
            frame.hide_tabs(tabs, bench.unfitting.get(project_id, ()), name)
            visit = Visit(bench=bench, query=dict(request.query_params), project=project)
            _drop_when_left(ui.context.client, visit)
            await _draw(page, visit)
            _hide_unfitting(visit, tabs, places, name)


def _hide_unfitting(visit: Visit, tabs: frame.Tabs, places: dict[str, NavigationEntry], here: str) -> None:
    """Show only the tabs of pages that fit the columns of the file, as soon as these are known, and from then on."""
    bench, project = visit.bench, visit.project
    with suppress(SfumatoError):  # said on the page already
        found = bench.questions.known("columns", project) if project.kind == "table" else None
        if found is not None and not ui.context.client.is_deleted:
            unfitting = (name for name, place in places.items() if not place.fits(found["columns"]))
            bench.unfitting[project.id] = frozenset(unfitting)
            frame.hide_tabs(tabs, bench.unfitting[project.id], here)


def _drop_when_left(client: Client, visit: Visit) -> None:
    """Stop the questions of a page that was left; one that only lost its connection is soon back."""

    async def gone() -> None:
        await asyncio.sleep(AWAY)
        if not client.has_socket_connection:
            visit.drop()

    client.on_disconnect(gone)


async def _draw(page: ModuleType, visit: Arrival) -> None:
    """Draw a page once the browser is there, so that it sees what is waited for; say what went wrong."""
    client = ui.context.client
    await client.connected(timeout=LONGEST_WAIT)
    try:
        await page.draw(visit)
    except Exception as error:
        if client.is_deleted:  # who has left sees nothing any more
            return
        html.notice(frame.sentence_of(error), kind="bad")
        if not isinstance(error, SfumatoError):
            raise


async def _not_found(request: Request, error: Exception) -> Response:
    return _said(NO_PAGE, request)


async def _failed(request: Request, error: Exception) -> Response:
    """Nothing of the error: its message may hold a record's value. The connection ends with it, and the browser is told."""
    answer = _said(FAILED, request)
    answer.headers["connection"] = "close"
    return answer


def _said(refusal: Refusal, request: Request) -> Response:
    kind, body = refusal.answer(as_json=request.url.path.startswith("/api/"))
    return Response(body, status_code=refusal.status, media_type=kind)


def _theme(request: Request) -> str:
    theme: Any = request.cookies.get("sfumato_theme")
    return theme if theme in frame.THEMES else "auto"
