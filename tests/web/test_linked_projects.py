"""Linked files in the workbench: opened from the folder or uploaded as an archive, and released as files again."""

import zipfile
from pathlib import Path

import pytest
from stories import finished_run, held

from sfumato.core import FileError
from sfumato.web.new_projects import _check_suffix
from sfumato.web.projects import Project
from sfumato.web.questions.columns import columns
from sfumato.web.questions.risk import risk
from sfumato.web.runs.project_job import formats, output_name
from sfumato.web.workspace import Workspace


def project_on(folder: Path, name: str) -> Project:
    persons = [f"{number},{number // 2},{'fm'[number % 2]},{20 + number % 50}" for number in range(120)]
    homes = [f"{number},{'own' if number % 3 else 'rent'}" for number in range(60)]
    (folder / "persons.csv").write_text("\n".join(["id,hh,sex,age", *persons]) + "\n")
    (folder / "homes.csv").write_text("\n".join(["hh,tenure", *homes]) + "\n")
    (folder / "all.tables.toml").write_text('["persons.csv"]\n["homes.csv"]\nkey = "hh"\n')
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        for file in ("persons.csv", "homes.csv", "all.tables.toml"):
            archive.write(folder / file, file)
    workspace = Workspace(folder)
    project = workspace.open_file(name)
    workspace.keep(project)
    return project


@pytest.mark.parametrize("name", ["all.tables.toml", "all.zip"])
def test_a_project_of_two_files(tmp_path: Path, name: str) -> None:
    project = project_on(tmp_path, name)
    found = {one["name"]: one for one in columns(held(project), {})["columns"]}
    assert found["hh"]["role"] == "household" and found["tenure"]["role"] == "key"
    assert risk(held(project), {})["records"] == 120
    assert output_name(project) == "release.zip" and next(iter(formats(project))) == ".zip"
    settings = {"masking": "mdav_generic(k=3)", "with-verdict": False, "output": "release.zip"}
    run = finished_run(project, "protect", settings)
    (released,) = (project.runs / run).rglob("release.zip")
    with zipfile.ZipFile(released) as archive:
        assert archive.namelist() == ["persons.csv", "homes.csv", "linked.tables.toml"]
        assert archive.read("homes.csv").decode().splitlines()[0] == "hh,tenure"


def test_what_links_files_is_not_uploaded_alone() -> None:
    with pytest.raises(FileError, match=r"upload a \.zip of all"):
        _check_suffix("all.tables.toml")
