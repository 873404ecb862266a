import json
import subprocess
import sys
from pathlib import Path

import pytest
from benches import Server, write_people
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.core import FileError, ParameterError, SfumatoError
from sfumato.data import CsvOptions
from sfumato.web.workspace import Workspace, clean_name

PARTS = st.sampled_from(
    ["..", ".", "", "inner", "people.csv", ".sfumato", "out", "~", "\\..", "%2e%2e", "\0", "a\nb"]
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    write_people(folder / "people.csv", n=10)
    write_people(tmp_path / "secret.csv", n=10)
    (folder / "out").symlink_to(tmp_path)
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "fine.csv").symlink_to(folder / "people.csv")
    return Workspace(folder)


@given(st.one_of(st.lists(PARTS, max_size=6).map("/".join), st.text(max_size=30)))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_path_leads_out(workspace: Workspace, below: str) -> None:
    try:
        path = workspace.inside(below)
    except FileError as error:
        assert "secret" not in str(error)
        return
    except (ValueError, OSError):
        pytest.fail("refused without a sentence")
    assert path == workspace.folder or workspace.folder in path.parents
    assert workspace.home not in (path, *path.parents)


@pytest.mark.parametrize(
    "below",
    [
        "../secret.csv",
        "inner/../../secret.csv",
        "out/secret.csv",
        "link.csv",
        ".sfumato",
        "/etc/passwd",
        "out",
    ],
)
def test_paths_outside_are_refused(workspace: Workspace, below: str) -> None:
    with pytest.raises(FileError, match=r"leads out of the folder|does not exist"):
        workspace.open_file(below)
    assert not list((workspace.home / "projects").iterdir())


def test_only_what_may_be_opened_is_listed(workspace: Workspace) -> None:
    (workspace.folder / "notes.docx").touch()
    (workspace.folder / ".hidden.csv").touch()
    found = workspace.entries()
    assert [(entry.name, entry.is_folder) for entry in found] == [
        ("inner", True),
        ("fine.csv", False),
        ("people.csv", False),
    ]


def test_projects_are_found_again(workspace: Workspace) -> None:
    project = workspace.open_file("people.csv", CsvOptions(delimiter=";", encoding="latin-1", header=False))
    assert workspace.projects() == []
    project.save()
    project.save_schema("# a schema")
    again = Workspace(workspace.folder).project(project.id)
    assert (again.path, again.options, again.schema_text) == (project.path, project.options, "# a schema")
    workspace.remove(again)
    assert workspace.projects() == []
    assert project.path.exists()


def test_a_project_of_another_folder_is_not_opened(workspace: Workspace, tmp_path: Path) -> None:
    project = workspace.open_file("people.csv")
    project.save()
    other = Workspace(workspace.folder / "inner", workspace.home)
    assert other.projects() == []
    with pytest.raises(FileError, match="not below the folder"):
        other.project(project.id)
    facts = json.loads((project.folder / "project.json").read_text())
    (project.folder / "project.json").write_text(json.dumps(facts | {"path": str(tmp_path / "secret.csv")}))
    with pytest.raises(FileError, match="not below the folder"):
        workspace.project(project.id)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"name": 1}', "\xff"])
def test_damaged_projects_are_left_out(workspace: Workspace, text: str) -> None:
    project = workspace.open_file("people.csv")
    (project.folder / "project.json").write_bytes(text.encode("latin-1"))
    assert workspace.projects() == []
    with pytest.raises(SfumatoError, match="damaged"):
        workspace.project(project.id)


@pytest.mark.parametrize("id", ["", "..", "0", "../../people", "ABCDEFABCDEF", "0" * 12, "0" * 11 + "\n"])
def test_ids_are_never_paths(workspace: Workspace, id: str) -> None:
    with pytest.raises(FileError, match="no such project"):
        workspace.project(id)


LEFT = """
import os, pathlib, signal, sys
from sfumato.web.workspace import Workspace

project = Workspace(pathlib.Path(sys.argv[1])).new_upload("b.csv")
project.path.write_text("x")
print(project.id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_cut_off_uploads_are_cleared_and_those_of_a_server_that_lives_are_not(workspace: Workspace) -> None:
    going_on = workspace.new_upload("a.csv")
    going_on.path.write_text("x\n")
    killed = subprocess.run(
        [sys.executable, "-c", LEFT, str(workspace.folder)], capture_output=True, text=True, check=False
    )
    projects = workspace.home / "projects"
    assert (projects / killed.stdout.strip() / "data.csv").exists()
    Workspace(workspace.folder).clear()
    names = [going_on.id, f"{going_on.id}.lock"]
    assert sorted(path.name for path in projects.iterdir()) == names and going_on.path.exists()
    workspace.keep(going_on)
    assert [path.name for path in projects.iterdir()] == [going_on.id]
    Workspace(workspace.folder).clear()
    assert workspace.project(going_on.id).name == "a.csv"


@given(st.text(max_size=300))
def test_names_are_clean(name: str) -> None:
    try:
        shown = clean_name(name)
    except ParameterError:
        return
    assert shown.isprintable()
    assert len(shown) <= 120
    assert "/" not in shown and "\\" not in shown


def test_server_refuses_paths_outside(server: Server) -> None:
    secret = server.folder.parent / "secret.csv"
    write_people(secret, n=5)
    link = server.folder / "leads_out.csv"
    link.symlink_to(secret)
    before = server.projects()
    with server.client() as client:
        for path in (
            "../secret.csv",
            "%2e%2e/secret.csv",
            "leads_out.csv",
            str(secret),
            "..\\secret.csv",
            ".sfumato",
        ):
            answer = client.post("/api/projects", json={"path": path})
            assert answer.status_code == 404
            assert (
                "choose a file from the list" in answer.json()["error"]
                or "does not exist" in answer.json()["error"]
            )
        for path in ("..", "%2e%2e", "/etc", "inner/../.."):
            assert client.get(f"/api/folder?path={path}").status_code == 404
        assert client.get("/static/..%2f..%2fserving.py").status_code == 404
        listed = client.get("/api/folder").json()["entries"]
    link.unlink()
    names = {entry["name"] for entry in listed}
    assert names >= {"inner", "people.csv"}  # other tests put files beside them
    assert names.isdisjoint({"leads_out.csv", "notes.docx", ".sfumato"})
    assert server.projects() == before


def test_files_beside_that_of_a_project_are_those_of_its_folder(workspace: Workspace) -> None:
    for name in ("edges.csv", "people.csv"):
        write_people(workspace.folder / "inner" / name, n=10)
    inner, top = workspace.open_file("inner/edges.csv"), workspace.open_file("people.csv")
    assert [one.path for one in workspace.beside(inner)] == ["inner/people.csv"]
    assert [one.path for one in workspace.beside(top)] == ["fine.csv"]
    uploaded = workspace.new_upload("mine.csv")
    assert [one.path for one in workspace.beside(uploaded)] == ["fine.csv", "people.csv"]
    (workspace.folder / "inner").rename(workspace.folder / "gone")
    assert workspace.beside(inner) == []
