"""What each page of the workbench draws today, element by element, so that a change of it is noticed and can be read.

`drawn/NAME.txt` holds, for each case of CASES, the elements that the page is made of: tag, classes, attributes, what
happens on which event, text, and the options of charts. The pages are drawn in this process for a browser that never
comes: no question waits for a process, and nothing hangs on the time. What differs from run to run (ids, seconds, days,
versions, folders) is taken out, and numbers are rounded, so that another processor gives the same.

When a page changes on purpose, write its description anew, read the difference, and say why in the same commit:

    python tests/web/drawn_pages.py --write            # all pages
    python tests/web/drawn_pages.py --write protect    # those whose name begins so
"""

import argparse
import asyncio
import json
import os
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from dataclasses import field as field_of
from datetime import date, timedelta
from difflib import unified_diff
from functools import cached_property
from inspect import isawaitable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast, get_args
from unittest.mock import patch

from benches import TOWNS
from nicegui import Client, ui
from nicegui.element import Element
from nicegui.page import page as page_at
from stories import finished_run

from sfumato.core import Key
from sfumato.core.results import plain
from sfumato.data import write_table
from sfumato.data.files.graph_files import write_graph
from sfumato.datasets import business_survey, household_survey, profile_graph
from sfumato.datasets.census_pair import census_pair
from sfumato.reports import delivery
from sfumato.version import __version__
from sfumato.web import folder_registry
from sfumato.web.bench import Arrival, Bench, Visit
from sfumato.web.hand_steps import keep_steps
from sfumato.web.projects import Project
from sfumato.web.questions.process.project_data import ProjectData, RecentCache, project_state
from sfumato.web.runs.run_folder import FACTS
from sfumato.web.runs.run_state import OVER, RunState, State
from sfumato.web.ui import frame
from sfumato.web.ui.run_list import LiveScore, RunList
from sfumato.web.ui.step_editor import KINDS
from sfumato.web.workspace import Workspace

DRAWN = Path(__file__).with_name("drawn")
PAGES = {name: folder_registry.load("pages", name) for name in folder_registry.names("pages")}
PLACES = {name: page.NAVIGATION for name, page in PAGES.items()}
CHANGES: dict[str, dict[str, Any]] = {
    "income": {"scale": "numeric", "role": "other", "missing": ["refused"]},
    "health": {"role": "confidential"},
    "age": {"scale": "numeric"},
    "school": {"scale": "ordinal", "categories": ["low", "middle", "high"]},
    "town": {"hierarchy": "Arezzo,centre,all\nBari,south,all\nComo,north,all\nDesio,north,all"},
}
MORE = {**CHANGES, "income": {**CHANGES["income"], "role": "key"}}
TEXT = delivery._text
FEW = ("sex", "marital")
FIRMS = ("staff", "cash", "wages")
SOLDIERS = {"vital": ["military=1"], "parameter": "workplace"}

# ------------------------------------------------------------------------------------- what is drawn


class Answers:
    """Answers questions here and now, as the processes of the workbench do."""

    def __init__(self) -> None:
        self._kept = RecentCache()

    async def ask(
        self, question: str, project: Project, arguments: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        return self.answer(question, project, arguments)

    def answer(
        self, question: str, project: Project, arguments: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        ask = getattr(folder_registry.load("questions", question), question)
        asked = json.loads(json.dumps(dict(arguments or {})))
        answer = ask(ProjectData(project_state(project), self._kept), asked)
        found: dict[str, Any] = json.loads(json.dumps(plain(answer), allow_nan=False))
        return found


class Desk:
    """A folder with files, projects on them, and their runs; each is made when a page first needs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "folder"
        self.folder.mkdir(parents=True)
        self.answers: Any = Answers()
        self.bench = Bench(workspace=Workspace(self.folder), questions=self.answers, most_upload=10**6)

    def project(self, name: str) -> Project:
        project = self.bench.workspace.open_file(name)
        self.bench.workspace.keep(project)
        return project

    def inner(self, name: str) -> Path:
        """A folder inside: what lies beside a file is offered on its pages."""
        folder = self.folder / name
        folder.mkdir()
        return folder

    def saved(self, name: str, changes: Mapping[str, Any]) -> Project:
        """A project whose schema was changed and saved."""
        project = self.project(name)
        project.save_schema(self.answers.answer("schema", project, {"changes": changes})["toml"])
        return project

    @cached_property
    def alone(self) -> "Desk":
        """Another folder with one project, for the page that tells of all there are."""
        found = Desk(self.folder.parent / "alone")
        found.project(found.people)
        return found

    @cached_property
    def people(self) -> str:
        _write_people(self.folder / "people.csv")
        return "people.csv"

    @cached_property
    def proposed(self) -> Project:
        """People whose schema nobody has saved."""
        return self.project(self.people)

    @cached_property
    def confirmed(self) -> Project:
        return self.saved(self.people, CHANGES)

    @property
    def untouched(self) -> Project:
        """People of whom nothing was said yet, whenever somebody asks for them."""
        return self.project(self.people)

    @cached_property
    def drafted(self) -> Project:
        """People of whom something was said that is not saved yet, and something of a column that has gone."""
        project = self.project(self.people)
        project.keep_draft({"health": {"role": "confidential", "missing": ["-"]}, "gone": {"role": "key"}})
        return project

    @cached_property
    def protected(self) -> Project:
        """People who were protected twice, then released, and once in vain."""
        project = self.saved(self.people, MORE)
        asked = {"output": "release.csv", "verdict": False, "seed": 5}
        few = {**asked, "methods": ["mdav"]}
        _run(project, "protect", {**few, "policy": "none", "score": "mean"}, "an earlier search")
        _run(
            project,
            "protect",
            {**few, "policy": "none", "require": ["k >= 1", "people_found <= 99"]},
            "the search",
        )
        _run(project, "protect", {**few, "policy": "none", "require": ["k >= 100"]}, "in vain")
        del asked["seed"]
        masking = {"masking": [{"method": "local_suppression", "k": 2}], "require": ["k >= 2"]}
        _run(project, "protect", {**asked, **masking, "policy": "none"}, "a release")
        return project

    @cached_property
    def stepped(self) -> Project:
        """People on whom steps were taken by hand, the last of them taken back."""
        project = self.saved(self.people, CHANGES)
        steps = [
            {"method": "recoding", "attributes": ["town"], "to": {"south": ["Arezzo"]}},
            {"method": "intervals", "attributes": ["age"], "cuts": [30, 60], "value": "middle"},
            {"method": "suppression", "attributes": ["town"], "where": "age > 60"},
        ]
        settings: dict[str, Any] = {}
        for asked in [*({"do": "add", "step": step} for step in steps), {"do": "undo"}]:
            settings = self.answers.answer("by_hand", project, {"settings": settings, **asked})["settings"]
        keep_steps(project, settings)
        return project

    @cached_property
    def households(self) -> Project:
        write_table(household_survey(150, seed=1), self.inner("homes") / "survey.csv")
        project = self.project("homes/survey.csv")
        written = {"output": "matrices.json", "record": "matrices.record.json", "seed": 3}
        _run(project, "evolve-pram", {"attributes": FEW, "generations": 8, **written}, "matrices")
        asked = {"attributes": FEW[:1], "generations": 2, "population": 8, **written}
        _run(project, "evolve-equation", asked, "an equation")
        return project

    @cached_property
    def firms(self) -> Project:
        write_table(business_survey(30, seed=1), self.inner("firms") / "firms.csv")
        project = self.project("firms/firms.csv")
        asked = {"key": FIRMS, "k": 5, "record": "grouped.record.json", "output": "grouped.csv", "seed": 2}
        _run(project, "group-attributes", asked, "all groupings")
        search = {"search": "genetic", "generations": 4, "population": 5}
        _run(project, "group-attributes", {**asked, **search}, "a search")
        return project

    @cached_property
    def survey(self) -> Project:
        pair = census_pair(400, areas=6, planted=1, seed=3)
        folder = self.inner("survey")
        write_table(pair.survey, folder / "survey.csv")
        write_table(pair.auxiliary, folder / "census.csv")
        project = self.project("survey/survey.csv")
        project.save_schema(pair.survey.schema.to_toml())
        census = {"auxiliary-schema": str(project.schema_path), "seed": 1}
        protection = {**SOLDIERS, **census, "generations": 5, "output": "hidden.csv"}
        judged = {"judge": [str(folder / "census.csv")], "attack-generations": 2}
        also = {"also": ["sex=1 & marital=6"]}
        _run(project, "groups protect", {**protection, **judged, **also}, "hide")
        attack = {**SOLDIERS, **census, "runs": 1, "generations": 5, "record": "attack.record.json"}
        _run(project, "groups attack", {**attack, "auxiliary": str(folder / "census.csv")}, "attack")
        return project

    @cached_property
    def network(self) -> Project:
        write_graph(profile_graph(20, seed=1), self.inner("network") / "network.graphml")
        project = self.project("network/network.graphml")
        _run(
            project,
            "graph protect",
            {"k": 4, "structure": "k_degree", "output": "protected.graphml"},
            "k = 4",
        )
        return project


def _write_people(path: Path, n: int = 120) -> None:
    """People of whom few, some and many are alike, with a column of each kind."""
    lines = ["person_id,sex,town,age,school,income,health,came"]
    for i in range(n):
        income = "refused" if i % 17 == 0 else str(1000 + 37 * i % 2900)
        school, health = ("low", "middle", "high")[i % 5 % 3], "good" if i % 3 else "bad"
        came = date(2019, 1, 1) + timedelta(days=37 * i % 900)
        person = (
            f"p{i:05d}",
            "fm"[i % 2],
            TOWNS[i // 5 % 4],
            20 + i * i % 13 * 3,
            school,
            income,
            health,
            came,
        )
        lines.append(",".join(map(str, person)))
    path.write_text("\n".join(lines) + "\n")


def _text(content: Any) -> str:
    """No page holds more than the names of reports and pictures, which take long to make."""
    return TEXT(content) if isinstance(content, str | delivery.Record) else ""


def _run(project: Project, command: str, settings: Mapping[str, Any], label: str) -> None:
    """A finished run of that name, with a key that is always the same."""
    before = os.umask(0o077)  # as in the process of a run
    try:
        with (
            patch.object(Key, "drawn", lambda: Key(bytes(range(32)))),
            patch.object(delivery, "_text", _text),
        ):
            facts = project.runs / finished_run(project, command, dict(settings)) / FACTS
    finally:
        os.umask(before)
    facts.write_text(json.dumps({**json.loads(facts.read_text()), "label": label}))


# ------------------------------------------------------------------------------------ what somebody does


def page_shown() -> Element:
    """All that is drawn for the browser."""
    found: Element = ui.context.client.layout
    return found


def tag_of(element: Element) -> str:
    """What it is in the browser."""
    tag: str = element.props.get("tag", element.tag)
    return tag


def called(name: str, tag: str) -> Element:
    """The last element that is called so, by the label that is read aloud or by what is written on it."""
    for one in reversed(list(page_shown().descendants())):
        if tag_of(one) == tag and name in (one.props.get("aria-label"), one.props.get("innerHTML")):
            return one
    raise AssertionError(f"no {tag} on the page is called {name!r}")


def field(label: str) -> Element:
    """The field of that label."""
    drawn = list(page_shown().descendants())
    labels = {one.props["for"]: one.props["innerHTML"] for one in drawn if "for" in one.props}
    named = {one.props.get("aria-label") or labels.get(one.html_id, ""): one for one in drawn}
    return named[label]


async def happen(element: Element, event: str, value: Any = None) -> None:
    """Let an event happen as a browser would tell of it."""
    (listener,) = (one for one in element._event_listeners.values() if one.type == event)
    assert listener.handler is not None and element.parent_slot is not None
    with element.parent_slot:
        done = listener.handler(*([] if event == "click" else [SimpleNamespace(args=value)]))
        if isawaitable(done):
            await done


async def press(name: str) -> None:
    await happen(called(name, "button"), "click")


async def put(label: str, value: Any) -> None:
    await happen(field(label), "change", value)


# ---------------------------------------------------------------------------------------------- the cases

Act = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Case:
    """A page about a project of the desk, and what somebody then does there."""

    page: str
    project: str = ""
    query: Mapping[str, str] = field_of(default_factory=dict)
    then: Act | None = None


async def _complaint() -> None:
    await put("Scale of town", "numeric")
    await press("Save the schema")


async def _details() -> None:
    for name in ("town", "income", "school"):
        await press(f"Details of {name}")


async def _no_keys() -> None:
    ticks = next(one for one in page_shown().descendants() if one.tag == "fieldset")
    for name in ("sex", "town", "age", "school", "came"):
        await happen(ticks, "change", [name, False])


async def _every_kind_of_step() -> None:
    for kind in KINDS:
        await put("What to do", kind)
        place = next(one for one in page_shown().descendants() if "step-editor" in one.classes)
        SEEN.extend([f"== {kind}", *described(place)])


SEEN: list[str] = []


async def _intervals() -> None:
    await put("What to do", "intervals")
    await put("Column", "age")
    await press("of equal width")


async def _groups_of_groups() -> None:
    await put("What to do", "groups")
    await put("Column", "town")
    await put("Begin with", "hierarchy")
    await press("Group the groups")


class SomeRuns:
    """A run in each state, with what is told of it."""

    def list(self) -> list[RunState]:
        shared: dict[str, Any] = {"command": "evolve", "task": "Evolving", "done": 3, "total": 8}
        told: dict[str, Any] = {"status": "best 3.2 <1>", "seconds_left": 200.0, **shared}
        error = {"error": "It was <stopped>.", "finished": 1e9}
        return [
            RunState(
                id=state,
                label=f"a run that is {state}",
                state=state,
                **told,
                **(error if state in OVER else {}),
            )
            for state in get_args(State)
        ]


async def _some_runs() -> None:
    """A list of runs in all states, and a search at work."""

    async def show(run: RunState) -> None:
        LiveScore(run.id).draw(
            [{"generation": number, "best": 30.0 / (number + 1), "mean": 40.0} for number in range(3)]
        )

    await RunList(cast(Any, SomeRuns()), ["evolve"], show=show, chosen="paused").begin()


def pressing(name: str) -> Act:
    async def pressed() -> None:
        await press(name)

    return pressed


CASES: Mapping[str, Case] = {
    "frame-home": Case("frame"),
    "frame-table": Case("frame", "proposed"),
    "frame-graph": Case("frame", "network"),
    "home": Case("home", then=pressing("Remove project people.csv")),
    "data-proposed": Case("data", "proposed", then=pressing("See the first records")),
    "data-saved": Case("data", "confirmed", then=_details),
    "data-draft": Case("data", "drafted"),
    "data-refused": Case("data", "untouched", then=_complaint),
    "risk": Case("risk", "confirmed", then=pressing("Let them try")),
    "risk-no-keys": Case("risk", "confirmed", then=_no_keys),
    "at-risk": Case("at_risk", "confirmed"),
    "at-risk-households": Case("at_risk", "households"),
    "by-hand": Case("by_hand", "confirmed", then=_every_kind_of_step),
    "by-hand-intervals": Case("by_hand", "confirmed", then=_intervals),
    "by-hand-groups": Case("by_hand", "confirmed", then=_groups_of_groups),
    "by-hand-steps": Case("by_hand", "stepped", then=pressing("Compare")),
    "protect-steps": Case("protect", "stepped"),
    "protect-search": Case("protect", "protected", then=pressing("the search")),
    "protect-in-vain": Case("protect", "protected", then=pressing("in vain")),
    "inspect-nothing": Case("inspect", "confirmed"),
    "inspect": Case("inspect", "protected", then=pressing("Let them try")),
    "release-nothing": Case("release", "confirmed"),
    "release-steps": Case("release", "stepped", {"by-hand": "yes"}),
    "release": Case("release", "protected"),
    "runs": Case("", then=_some_runs),
    "pram": Case("pram", "households"),
    "pram-matrices": Case("pram", "households", then=pressing("matrices")),
    "grouping": Case("grouping", "firms"),
    "grouping-all": Case("grouping", "firms", then=pressing("all groupings")),
    "grouping-none": Case("grouping", "proposed"),
    "groups-nobody": Case("groups", "proposed"),
    "groups-attack": Case("groups", "survey", then=pressing("attack")),
    "groups-hide": Case("groups", "survey", then=pressing("hide")),
    "graphs": Case("graphs", "network"),
    "graphs-table": Case("graphs", "proposed"),
}


def drawn(desk: Desk, name: str) -> list[str]:
    """The lines of a page."""
    one = CASES[name]
    desk = desk.alone if one.page == "home" else desk
    project = getattr(desk, one.project) if one.project else None
    SEEN.clear()
    with ThreadPoolExecutor(1) as thread:  # a test in a browser leaves a loop of its own running in this one
        return thread.submit(asyncio.run, drawn_of(desk, one, project)).result()


async def drawn_of(desk: Desk, one: Case, project: Project | None) -> list[str]:
    """The lines of a page about a project, after what somebody did there."""
    with Client(page_at("/drawn")) as client:
        if one.page == "frame":
            here = PLACES["home" if project is None else "graphs" if project.kind == "graph" else "risk"]
            with frame.framed(here, PLACES, project=project, theme="dark") as tabs:
                frame.hide_tabs(tabs, ["groups", "by_hand"], "by_hand")
        elif one.page == "home":
            await PAGES[one.page].draw(Arrival(bench=desk.bench))
        elif project is not None:
            await PAGES[one.page].draw(Visit(bench=desk.bench, query=one.query, project=project))
        if one.then is not None:
            await one.then()
        found = [*described(client.layout), *SEEN]
        client.delete()
    return [stable(line) for line in found]


# ----------------------------------------------------------------------------------------- as lines of text

REFERENCE = re.compile(r"\bc\d+\b")
ROWS = re.compile(r"(?=<(?:tr|tbody|option|label|svg|rect)\b)")
NUMBER = re.compile(r"(?<![\w.#])-?\d+\.\d+(?:[eE][-+]?\d+)?(?![\w.]*\d)")
ID = re.compile(r"\b[0-9a-f]{12}\b")
DAY = re.compile(r"\b\d\d \w{3}(?: \d{4})?, \d\d:\d\d\b")
SECONDS = re.compile(r"\b\d[\d,.]*(?:e-?\d+)? (?:s|ms|min|seconds?|minutes?)\b")
DIGITS = 5
ELSEWHERE = ("innerHTML", "options", "tag", "sanitize")  # attributes that are told otherwise


def described(element: Element) -> list[str]:
    """An element and all below it, a line each or more."""
    elements = {one.html_id: one for one in ui.context.client.elements.values()}

    def told(value: Any) -> str:
        """An attribute; an element that it leads to is called by its text, since its number says nothing."""

        def named(found: re.Match[str]) -> str:
            one = elements.get(found[0])
            return (
                found[0]
                if one is None
                else f"({tag_of(one)} {one.props['innerHTML']})"
                if tag_of(one) == "h2"
                else f"({tag_of(one)})"
            )

        return REFERENCE.sub(named, value) if isinstance(value, str) else json.dumps(value)

    def lines(one: Element, depth: int) -> Iterator[str]:
        kinds = "".join(f".{kind}" for kind in one.classes)
        props = {name: value for name, value in one.props.items() if name not in ELSEWHERE}
        listed = "".join(f" {name}={told(value)}" for name, value in sorted(props.items()))
        style = "".join(f" {name}:{value};" for name, value in one.style.items())
        events = "".join(
            f" @{each.type}{f' {told(each.js_handler)}' if each.js_handler else ''}"
            for each in one._event_listeners.values()
        )
        first, *more = [line for line in ROWS.split(str(one.props.get("innerHTML", ""))) if line] or [""]
        start = "  " * depth
        yield f"{start}{tag_of(one)}{kinds}{listed}{style}{events}{f' | {first}' if first else ''}"
        yield from (f"{start}  | {line}" for line in more)
        for name, value in (one.props.get("options") or {}).items() if "chart" in one.tag else ():
            for part in value if name == "series" else [value]:
                yield f"{start}  {name}: {json.dumps(_rounded(part), ensure_ascii=False)}"
        for child in one.default_slot.children:
            yield from lines(child, depth + 1)

    return [line.replace("\n", "\\n") for line in lines(element, 0)]


def _rounded(value: Any) -> Any:
    """The numbers of a chart, rounded."""
    if isinstance(value, dict):
        return {name: _rounded(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(held) for held in value]
    return float(_number(value)) if isinstance(value, float) else value


def _number(value: float) -> str:
    """Rounded; a little is added, since what lies halfway would else be rounded by its last bit."""
    return "0" if abs(value) < 1e-9 else format(value * (1 + 1e-9), f".{DIGITS}g")


def stable(line: str) -> str:
    """Without what is another with every run."""

    def shorter(found: re.Match[str]) -> str:
        digits = found[0].lower().partition("e")[0].replace(".", "").lstrip("-0")
        return found[0] if len(digits) <= DIGITS else _number(float(found[0]))

    line = DAY.sub("<time>", ID.sub("<id>", line)).replace(f"sfumato {__version__}", "sfumato <version>")
    return NUMBER.sub(shorter, SECONDS.sub("<seconds>", line)).rstrip()


# ------------------------------------------------------------------------------------------ what is compared


def recorded(name: str) -> list[str]:
    path = DRAWN / f"{name}.txt"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def difference(name: str, lines: list[str]) -> str:
    """What is not as recorded, line by line; nothing where all is."""
    return "\n".join(
        unified_diff(recorded(name), lines, f"{name} as recorded", f"{name} now", n=1, lineterm="")
    )


def _main() -> None:
    parser = argparse.ArgumentParser(description="What the pages of the workbench draw.")
    parser.add_argument("names", nargs="*", help="beginnings of the names of cases; all without one")
    parser.add_argument("--write", action="store_true", help="write the descriptions anew")
    given = parser.parse_args()
    DRAWN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder) / "desk")
        for name in CASES:
            if name.startswith(tuple(given.names or [""])):
                lines = drawn(desk, name)
                print(difference(name, lines) or f"{name}: as recorded")
                if given.write:
                    (DRAWN / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _main()
