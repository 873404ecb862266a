"""The runs of a project as JSON: how they stand, what they found, what they wrote, and what is wanted of them."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.responses import FileResponse, PlainTextResponse, StreamingResponse

from sfumato.core import DataError, FileError
from sfumato.web.bench import Bench
from sfumato.web.runs.envelopes import archived, envelopes
from sfumato.web.runs.project_runs import ProjectRuns
from sfumato.web.runs.risk_utility_map import map_of
from sfumato.web.runs.run_folder import OUT
from sfumato.web.runs.run_state import RunState

WISHES = ("pause", "resume", "stop")  # which are methods of the runs


def run_routes(bench: Bench) -> APIRouter:
    router = APIRouter(prefix="/projects/{project_id}/runs")

    def runs(project_id: str) -> ProjectRuns:
        return bench.runs(bench.workspace.project(project_id))

    @router.get("")
    def every(project_id: str) -> dict[str, Any]:
        return {"runs": [run.to_dict() for run in runs(project_id).list()]}

    @router.get("/{run_id}")
    def one(project_id: str, run_id: str) -> dict[str, Any]:
        return runs(project_id).state(run_id).to_dict()

    @router.get("/{run_id}/points")
    def points(project_id: str, run_id: str) -> dict[str, Any]:
        return map_of(runs(project_id).points(run_id), runs(project_id).state(run_id))

    @router.post("/{run_id}/{wish}")
    async def wish(project_id: str, run_id: str, wish: str) -> dict[str, Any]:
        if wish not in WISHES:
            raise DataError(f"A run can be asked to {', '.join(WISHES)}.")
        asked: RunState = getattr(runs(project_id), wish)(run_id)
        return asked.to_dict()

    @router.get("/{run_id}/files/{name:path}")
    def file(project_id: str, run_id: str, name: str) -> FileResponse:
        found = runs(project_id)
        if name not in found.state(run_id).files:
            raise FileError("This run wrote no such file: choose one from the list.")
        return FileResponse(found.path(run_id) / OUT / name, filename=Path(name).name)

    @router.get("/{run_id}/{envelope}.zip")
    def zipped(project_id: str, run_id: str, envelope: str) -> StreamingResponse:
        found = runs(project_id)
        files = envelopes(found.job(run_id), found.state(run_id).files).by_name.get(envelope)
        if not files:
            raise FileError("This run has no such archive: its files are public.zip and private.zip.")
        headers = {"content-disposition": f'attachment; filename="{envelope}.zip"'}
        packed = archived(found.path(run_id), files)
        return StreamingResponse(packed, media_type="application/zip", headers=headers)

    @router.get("/{run_id}/study.toml")
    def study(project_id: str, run_id: str) -> PlainTextResponse:
        text = runs(project_id).study(run_id).to_toml()
        headers = {"content-disposition": 'attachment; filename="study.toml"'}
        return PlainTextResponse(text, media_type="application/toml", headers=headers)

    return router
