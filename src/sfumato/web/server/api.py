"""The JSON twin of the pages: what they draw, and what they do, for scripts."""

import asyncio
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse

from sfumato.core import DataError, FileError, SfumatoError, UnknownNameError
from sfumato.data import CsvOptions
from sfumato.web import folder_registry
from sfumato.web.bench import Bench
from sfumato.web.new_projects import open_in_place, receive
from sfumato.web.ui.layout_fields import csv_options

LARGEST_SCHEMA = 2 * 2**20  # bytes


def routes(bench: Bench) -> APIRouter:
    """The addresses under `/api` that are about files and projects."""
    router = APIRouter(prefix="/api")

    @router.get("/folder")
    def folder(path: str = "") -> dict[str, Any]:
        return {"path": path, "entries": [vars(entry) for entry in bench.workspace.entries(path)]}

    @router.get("/projects")
    def projects() -> dict[str, Any]:
        return {"projects": [project.to_dict() for project in bench.workspace.projects()]}

    @router.post("/projects")
    async def open_file(request: Request) -> dict[str, Any]:
        given = await _object(request)
        project = await open_in_place(bench, str(given.get("path", "")), _options(given))
        return {**project.to_dict(), "address": project.address}

    @router.post("/uploads")
    async def upload(request: Request, name: str = "") -> dict[str, Any]:
        project = await receive(bench, request.stream(), name=name, options=_options(request.query_params))
        return {**project.to_dict(), "address": project.address}

    @router.get("/projects/{project_id}")
    def project(project_id: str) -> dict[str, Any]:
        return bench.workspace.project(project_id).to_dict()

    @router.delete("/projects/{project_id}")
    def remove(project_id: str) -> dict[str, Any]:
        bench.remove(bench.workspace.project(project_id))
        return {"removed": project_id}

    @router.get("/projects/{project_id}/schema.toml")
    async def schema(project_id: str) -> PlainTextResponse:
        project = bench.workspace.project(project_id)
        text = project.schema_text or (await bench.questions.ask("schema", project))["toml"]
        headers = {"content-disposition": 'attachment; filename="schema.toml"'}
        return PlainTextResponse(text, media_type="application/toml", headers=headers)

    @router.put("/projects/{project_id}/schema.toml")
    async def save_schema(project_id: str, request: Request) -> dict[str, Any]:
        project = bench.workspace.project(project_id)
        found = await bench.questions.ask("schema", project, {"toml": await _text(request)})
        await asyncio.to_thread(project.save_schema, found["toml"])
        return project.to_dict()

    return router


def question_routes(bench: Bench) -> APIRouter:
    """Every question at the address of its name; after all others, since it takes what they left."""
    router = APIRouter(prefix="/api")

    @router.get("/projects/{project_id}/{question}")
    async def answer(project_id: str, question: str, request: Request) -> dict[str, Any]:
        project = bench.workspace.project(project_id)
        if question not in folder_registry.names("questions"):
            raise UnknownNameError("question", question, folder_registry.names("questions"))
        return await bench.questions.ask(question, project, dict(request.query_params))

    return router


def explain_errors(app: FastAPI) -> None:
    """Turn our errors into one sentence and a status."""

    @app.exception_handler(SfumatoError)
    async def refused(request: Request, error: Exception) -> JSONResponse:
        status = 404 if isinstance(error, FileError | LookupError) else 422
        return JSONResponse({"error": str(error)}, status_code=status)


def _options(given: Mapping[str, Any]) -> CsvOptions:
    header, decimal = given.get("header", "yes"), given.get("decimal")
    return csv_options(given.get("delimiter"), given.get("encoding"), header, decimal=decimal)


async def _object(request: Request) -> dict[str, Any]:
    try:
        given = await request.json()
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise DataError("The request must be a JSON object.")
    return given


async def _text(request: Request) -> str:
    body = await request.body()
    try:
        return body[: LARGEST_SCHEMA + 1].decode()
    except UnicodeDecodeError:
        raise DataError("The schema must be UTF-8 text.") from None
