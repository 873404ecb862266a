"""How a run stands, as its folder tells: nothing is known but what the files and the lock say."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from sfumato.web.runs.events import EVENTS, Event, read_events
from sfumato.web.runs.run_folder import Wish, wish_of
from sfumato.web.runs.run_lock import is_held

State = Literal["queued", "running", "paused", "stopping", "stopped", "finished", "failed", "interrupted"]

OVER: tuple[State, ...] = ("stopped", "finished", "failed", "interrupted")
GONE: dict[Wish, State] = {"run": "interrupted", "pause": "paused", "stop": "stopped", "end": "stopped"}
LOST = "The process of this run ended without a word; resume it to go on where it was."


@dataclass(frozen=True, kw_only=True)
class RunState:
    """A run at one moment.

    Times are seconds since 1970. `task` to `seconds_left` say how far the present task is, `points` counts what
    `ProjectRuns.points` lists, `files` are the names in the folder of the output, and `summary` is what came out: loss,
    risk and masking of the release. `wish` is what the user wants, which takes effect at the next step.
    """

    id: str
    label: str
    command: str
    state: State
    releases: bool = False
    task: str = ""
    done: int = 0
    total: int = 0
    status: str = ""
    seconds_left: float | None = None
    notes: tuple[str, ...] = ()
    points: int = 0
    created: float = 0.0
    started: float | None = None
    finished: float | None = None
    error: str = ""
    files: tuple[str, ...] = ()
    requirements: tuple[dict[str, Any], ...] = ()
    remedies: tuple[dict[str, Any], ...] = ()
    summary: dict[str, Any] = field(default_factory=dict)
    wish: Wish = "run"

    @property
    def is_over(self) -> bool:
        """Whether no process works on it."""
        return self.state in OVER

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class History:
    """The events of a run up to now, read once each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._offset = 0
        self.notes: dict[str, None] = {}
        self.points: dict[str, dict[str, Any]] = {}
        self.requirements: list[dict[str, Any]] = []
        self.remedies: dict[str, dict[str, Any]] = {}  # the last one that was tried for each requirement
        self._by_spec: dict[str, str] = {}
        self.progress: Event = {}
        self.ended: Event = {}
        self.started: float | None = None
        self.last = ""

    def read(self) -> None:
        """Take in what was written since."""
        events, self._offset = read_events(self.folder / EVENTS, self._offset)
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        kind = event["kind"]
        self.last = kind
        if kind == "queued":
            self.ended, self.progress = {}, {}
        elif kind == "began":
            self.started = self.started or event["at"]
        elif kind == "progress":
            self.progress = event
        elif kind == "done" and event.get("task") == self.progress.get("task"):
            self.progress = {}
        elif kind == "note":
            self.notes[event["message"]] = None
        elif kind == "found":
            self._find(event)
        elif kind == "ended":
            self.ended, self.progress = event, {}

    def _find(self, event: Event) -> None:
        """A point for every candidate and generation, once: a run that goes on tells of them again."""
        values = {key: value for key, value in event.items() if key not in ("kind", "at", "what")}
        what = event.get("what")
        if what in ("candidate", "generation") and values.get("loss") is not None:
            which = json.dumps([values.get(name) for name in ("part", "label", "spec", "generation")])
            self.points.setdefault(which, {"spec": None, "generation": None, **values})
            if values.get("part") == "all":
                self._by_spec.setdefault(json.dumps(values.get("spec")), which)
        elif what == "finalist" and (found := self._by_spec.get(json.dumps(values.pop("spec", None)))):
            known = self.points[found].get("gates", ())  # what takes long to read is known of few
            read = {gate["gate"]: gate for gate in (*known, *values["gates"])}
            self.points[found] |= {**values, "gates": list(read.values())}
        elif what == "remedy":
            self.remedies[values["gate"]] = values
        elif what == "requirements":
            self.requirements = values["gates"]


def state_of(history: History) -> State:
    """What the events, the lock and the user's wish come to."""
    alive, wish = is_held(history.folder), wish_of(history.folder)
    history.read()  # after the lock: a process that has gone has written its last event
    if history.ended:
        found: State = history.ended["state"]
        return found
    if not alive:
        return GONE[wish]
    if history.last == "queued":
        return "queued"
    if wish in ("stop", "end"):
        return "stopping"
    return "paused" if history.last == "paused" else "running"
