"""The point of a run that a page is about, from the address or by default, and the questions about it."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter

from sfumato.web.bench import Bench, Visit
from sfumato.web.runs.run_state import RunState

RELEASE = "release"
COMMANDS = ("protect", "evolve")


@dataclass(frozen=True)
class ChosenPoint:
    """A point of a run: its number in the list of the run, or "release"."""

    run: RunState
    point: str

    async def ask(self, visit: Visit, question: str) -> dict[str, Any]:
        """Ask a question about the point; a run that goes on may end with another release."""
        return await visit.ask(question, self.arguments)

    @property
    def arguments(self) -> dict[str, Any]:
        """What the question is told."""
        return {"run": self.run.id, "point": self.point, "finished": self.run.finished}

    def address(self, visit: Visit, page: str) -> str:
        """Another page about the same point."""
        return f"{visit.address(page)}?run={self.run.id}&point={self.point}"


def chosen_point(visit: Visit) -> ChosenPoint | None:
    """The point in the address, else the release of the latest run that made one."""
    if visit.query.get("run"):
        return ChosenPoint(visit.runs.state(visit.query["run"]), visit.query.get("point", RELEASE))
    ended = [
        run for run in visit.runs.list() if run.command in COMMANDS and run.summary.get("loss") is not None
    ]
    return ChosenPoint(ended[0], RELEASE) if ended else None


def point_routes(bench: Bench, *questions: str) -> APIRouter:
    """Addresses that answer questions about points."""
    router = APIRouter()
    for question in questions:
        _add(router, bench, question)
    return router


def _add(router: APIRouter, bench: Bench, question: str) -> None:
    address = "/projects/{project_id}/runs/{run_id}/points/{point}/" + question

    @router.get(address, name=f"point {question}")
    async def answer(project_id: str, run_id: str, point: str) -> dict[str, Any]:
        project = bench.workspace.project(project_id)
        chosen = ChosenPoint(bench.runs(project).state(run_id), point)
        return await bench.questions.ask(question, project, chosen.arguments)
