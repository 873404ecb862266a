import asyncio
import json
import os
import signal
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from benches import Server, wait_until, write_people

from sfumato.core import DataError, SfumatoError
from sfumato.core.results import plain
from sfumato.web.questions.columns import columns
from sfumato.web.questions.process.project_data import ProjectData, RecentCache, project_state
from sfumato.web.questions.process.question_pool import QuestionPool
from sfumato.web.workspace import Workspace


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("asked")
    write_people(folder / "people.csv")
    return Workspace(folder)


@pytest.fixture(scope="module")
def questions():
    questions = QuestionPool()
    yield questions
    questions.close()


def _wait(work: Coroutine[Any, Any, Any]) -> Any:
    """In a thread of its own: the browser of other tests may have a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def test_answers_are_those_of_the_question_and_are_kept(
    workspace: Workspace, questions: QuestionPool
) -> None:
    project = workspace.open_file("people.csv")
    direct = columns(ProjectData(project_state(project), RecentCache()), {})
    assert _wait(questions.ask("columns", project)) == json.loads(json.dumps(plain(direct)))

    async def twice() -> tuple[Any, Any]:
        return await asyncio.gather(questions.ask("risk", project), questions.ask("risk", project))

    first, second = _wait(twice())
    assert first is second


def test_a_changed_file_or_schema_is_asked_about_anew(workspace: Workspace, questions: QuestionPool) -> None:
    write_people(workspace.folder / "changing.csv", n=40)
    project = workspace.open_file("changing.csv")
    assert _wait(questions.ask("columns", project))["records"] == 40
    write_people(workspace.folder / "changing.csv", n=50)
    assert _wait(questions.ask("columns", project))["records"] == 50
    changes = {"changes": {"town": {"role": "other"}}}
    project.save_schema(_wait(questions.ask("schema", project, changes))["toml"])
    found = _wait(questions.ask("columns", project))
    assert found["schema"] == "saved"
    assert next(c for c in found["columns"] if c["name"] == "town")["role"] == "other"


def test_refusals_say_why_but_not_where(workspace: Workspace, questions: QuestionPool) -> None:
    (workspace.folder / "bad.csv").write_text("a,b\n1\n")
    project = workspace.open_file("bad.csv")
    with pytest.raises(DataError, match=r"^bad\.csv, row 1: 2 cells expected") as refused:
        _wait(questions.ask("columns", project))
    assert str(workspace.folder) not in str(refused.value)
    with pytest.raises(DataError, match="Unknown column 'nowhere'"):
        _wait(questions.ask("risk", workspace.open_file("people.csv"), {"keys": "nowhere"}))
    (workspace.folder / "bad.csv").unlink()
    with pytest.raises(SfumatoError, match="no longer where it was"):
        _wait(questions.ask("columns", project))


def test_of_what_nobody_foresaw_only_the_kind_is_told(workspace: Workspace, questions: QuestionPool) -> None:
    project = workspace.open_file("people.csv")
    with pytest.raises(SfumatoError, match=r"unexpected failed \(TypeError\)") as failed:
        _wait(questions.ask("risk", project, {"keys": 7}))
    assert "7" not in str(failed.value)
    assert _wait(questions.ask("risk", project))["records"] == 240


def test_a_process_that_dies_is_replaced(workspace: Workspace, questions: QuestionPool) -> None:
    project = workspace.open_file("people.csv")
    _wait(questions.ask("columns", project))
    for number in questions.stock.numbers:
        os.kill(number, signal.SIGKILL)
    assert _wait(questions.ask("risk", project, {"keys": "age"}))["keys"] == ["age"]


def test_a_killed_server_takes_its_process_along_and_finds_its_projects_again(tmp_path: Path) -> None:
    write_people(tmp_path / "people.csv")
    with Server(tmp_path) as server:
        children = Path(f"/proc/{server.process.pid}/task")

        def asking_processes() -> list[str]:
            found = " ".join(path.joinpath("children").read_text() for path in children.iterdir()).split()
            return [pid for pid in found if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]

        id = server.open("people.csv")
        (pid,) = asking_processes()
        server.process.kill()
        wait_until(lambda: not Path(f"/proc/{pid}").exists())
    with Server(tmp_path) as server, server.client() as client:
        found = client.get("/api/projects").json()["projects"]
    assert [(project["id"], project["name"]) for project in found] == [(id, "people.csv")]
