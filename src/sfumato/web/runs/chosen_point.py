"""What of a run a page is about: a point, from the address or by default, or its release; and questions about it."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter

from sfumato.web.bench import Bench, Visit
from sfumato.web.runs.risk_utility_map import RELEASE, SEARCHES
from sfumato.web.runs.run_state import RunState


@dataclass(frozen=True)
class ChosenPoint:
    """A point of a run: its number in the list of the run, or "release"."""

    run: RunState
    point: str

    async def ask(self, visit: Visit, question: str) -> dict[str, Any]:
        """Ask with the time of its end: a run that was stopped may go on, and end with something else."""
        told = {"run": self.run.id, "point": self.point, "finished": self.run.finished}
        return await visit.ask(question, told)

    def address(self, visit: Visit, page: str) -> str:
        return f"{visit.address(page)}?run={self.run.id}&point={self.point}"


def chosen_point(visit: Visit) -> ChosenPoint | None:
    """The point in the address, else the release of the latest run that made one."""
    if visit.query.get("run"):
        return ChosenPoint(visit.runs.state(visit.query["run"]), visit.query.get("point", RELEASE))
    ended = [
        run for run in visit.runs.list() if run.command in SEARCHES and run.summary.get("loss") is not None
    ]
    return ChosenPoint(ended[0], RELEASE) if ended else None


def answer_routes(bench: Bench, *questions: str, below: str = "") -> APIRouter:
    """Addresses that answer questions about a run; with "/points/{point}" `below`, about its points."""
    router = APIRouter(prefix="/projects/{project_id}/runs/{run_id}" + below)
    for question in questions:
        _add(router, bench, question)
    return router


def _add(router: APIRouter, bench: Bench, question: str) -> None:
    @router.get(f"/{question}")
    async def answer(project_id: str, run_id: str, point: str = RELEASE) -> dict[str, Any]:
        visit = Visit(bench=bench, project=bench.workspace.project(project_id))
        return await ChosenPoint(visit.runs.state(run_id), point).ask(visit, question)
