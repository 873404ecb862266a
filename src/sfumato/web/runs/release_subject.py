"""What is to be released: a point of a search, what an evolution ended with, or the file as steps by hand left it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from sfumato.core import DataError
from sfumato.jobs import Job
from sfumato.web.bench import Visit
from sfumato.web.hand_steps import kept_steps
from sfumato.web.runs.chosen_point import ChosenPoint, chosen_point
from sfumato.web.runs.project_job import project_job
from sfumato.web.runs.risk_utility_map import RELEASE, point_of

RANDOM = ("seed", "secret")  # by which the file that was inspected is made again


class Subject(Protocol):
    """What can be released: what it is called, what is known of its columns, and the job that makes the release."""

    @property
    def called(self) -> str: ...
    @property
    def treatments(self) -> Mapping[str, Any]: ...
    @property
    def kept(self) -> tuple[str, ...]: ...
    def job(self, settings: dict[str, Any]) -> Job: ...


def subject_of(visit: Visit, protect: type[Job]) -> Subject | None:
    """What the address asks for, else the release of the latest run; nothing where there is none."""
    first = kept_steps(visit.project).get("first")
    if visit.query.get("by-hand") and first:
        return HandMade(visit, protect, tuple(first))
    chosen = chosen_point(visit)
    return None if chosen is None else Searched(visit, protect, chosen)


@dataclass(frozen=True)
class HandMade:
    """The file as the steps by hand leave it."""

    visit: Visit
    protect: type[Job]
    steps: tuple[Any, ...]
    treatments: ClassVar[Mapping[str, Any]] = {}
    kept: ClassVar[tuple[str, ...]] = ()

    @property
    def called(self) -> str:
        count = len(self.steps)
        return f"the file after {'the step' if count == 1 else f'the {count} steps'} taken by hand"

    def job(self, settings: dict[str, Any]) -> Job:
        return project_job(self.visit.project, self.protect, {"masking": " + ".join(self.steps), **settings})


@dataclass(frozen=True)
class Searched:
    """A point of a search, or what it ended with."""

    visit: Visit
    protect: type[Job]
    chosen: ChosenPoint

    @property
    def called(self) -> str:
        if self.chosen.point == RELEASE:
            return f"what the run “{self.chosen.run.label}” ended with"
        return str(self._point["label"])

    @property
    def treatments(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.chosen.run.summary.get("treatments", {})
        return found

    @property
    def kept(self) -> tuple[str, ...]:
        return getattr(self.visit.runs.job(self.chosen.run.id), "keep", ())

    @property
    def _point(self) -> dict[str, Any]:
        return point_of(self.visit.runs.points(self.chosen.run.id), self.chosen.point)

    def job(self, settings: dict[str, Any]) -> Job:
        """One masking, or the evolution again by its generations."""
        searched, summary = self.visit.runs.repeated(self.chosen.run.id), self.chosen.run.summary
        if self.chosen.point == RELEASE and summary.get("evolved"):
            return self._evolved_again(searched, settings)
        spec = summary.get("spec") if self.chosen.point == RELEASE else self._point["spec"]
        if spec is None:
            raise DataError("This point is no file by itself: choose a candidate, or the release of the run.")
        random = {name: value for name, value in searched.settings().items() if name in RANDOM}
        return project_job(self.visit.project, self.protect, {**random, "masking": spec, **settings})

    def _evolved_again(self, searched: Job, settings: dict[str, Any]) -> Job:
        kept = searched.settings()
        required = settings.get("require") or kept.get("require") or ["k >= 1"]  # which always holds
        policy = getattr(searched, "usual_policy", "")  # which goes on to hold, beside what is required now
        held = {"policy": policy} if policy and not kept.get("require") else {}
        return type(searched).from_settings({**held, **kept, **settings, "require": required})
