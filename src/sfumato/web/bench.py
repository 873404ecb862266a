"""The bench: what every page works with."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.core import Cancelled, DataError, registry
from sfumato.jobs import Job
from sfumato.web.projects import Project
from sfumato.web.questions.process.question_pool import QuestionPool
from sfumato.web.runs.project_runs import ProjectRuns
from sfumato.web.workspace import Workspace

Columns = Sequence[Mapping[str, Any]]  # as the question `columns` tells of them


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The workspace, the processes that answer questions, and how large an upload may be."""

    workspace: Workspace
    questions: QuestionPool
    most_upload: int
    _runs: dict[str, ProjectRuns] = field(default_factory=dict, repr=False)
    unfitting: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)  # pages, by project

    def runs(self, project: Project) -> ProjectRuns:
        """The runs of a project; always the same object, since it knows the processes it started."""
        return self._runs.setdefault(project.id, ProjectRuns(project.runs))

    def recover(self) -> None:
        """Start again the runs that were interrupted, as by a power cut."""
        for project in self.workspace.projects():
            if project.runs.is_dir():
                self.runs(project).recover()

    def remove(self, project: Project) -> None:
        """Forget a project and all that was made of it, unless a run of it is at work."""
        if project.runs.is_dir() and not all(run.is_over for run in self.runs(project).list()):
            raise DataError(
                f"A run of {project.name} is still at work: stop it before the project is removed."
            )
        self.workspace.remove(project)


@dataclass(frozen=True, kw_only=True)
class NavigationEntry:
    """Where a page stands in the navigation: its title, a few words about it, and its number.

    Pages with a number are the steps of the story, in order; those without follow after them. A page that is
    about no project stands at `address`; the others are about projects of some `kinds`, a table or a graph, and of
    those tables whose columns it `fits`.
    """

    title: str
    about: str
    step: int | None = None
    address: str = ""
    kinds: tuple[str, ...] = ("table",)
    fits: Callable[[Columns], bool] = lambda columns: True


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """Somebody looks at a page that is about no project; `query` is what the address says after the `?`."""

    bench: Bench
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Visit(Arrival):
    """Somebody looks at a page about a project, and may leave it before all questions are answered."""

    project: Project
    _asked: dict[str, asyncio.Task[dict[str, Any]]] = field(default_factory=dict, repr=False)

    async def ask(self, question: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a question; the same question asked again with other arguments stops the one before."""
        self.drop(question)
        asked = asyncio.create_task(self.bench.questions.ask(question, self.project, arguments))
        self._asked[question] = asked
        try:
            return await asked
        except asyncio.CancelledError:
            if self._asked.get(question) is asked:  # we are cancelled, not the question
                asked.cancel()
                raise
            raise Cancelled("This question was dropped: load the page again to ask it anew.") from None
        finally:
            if self._asked.get(question) is asked:
                del self._asked[question]

    def drop(self, *questions: str) -> None:
        """Stop questions that nobody wants to be answered any more; all of them where none is named."""
        for question in questions or tuple(self._asked):
            asked = self._asked.pop(question, None)
            if asked is not None:
                asked.cancel()

    async def job(self, name: str) -> type[Job]:
        """The class of a job, loaded aside: the first one takes a moment."""
        found: type[Job] = await asyncio.to_thread(registry.load, "jobs", name)
        return found

    @property
    def runs(self) -> ProjectRuns:
        return self.bench.runs(self.project)

    def address(self, page: str) -> str:
        """The address of another page about the same project."""
        return f"/projects/{self.project.id}/{page}"
