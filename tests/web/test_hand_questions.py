"""What the pages By hand, Records at risk and Protect ask about: steps and their states, risky records, policies."""

from pathlib import Path
from typing import Any

import pytest
from benches import write_people
from stories import held

import sfumato
from sfumato.core import SfumatoError
from sfumato.data import Schema
from sfumato.measures.listings import riskiest
from sfumato.web.hand_steps import keep_steps, kept_steps, searched_steps
from sfumato.web.office_policies import keep_policy, policy_paths, policy_setting
from sfumato.web.projects import Project
from sfumato.web.questions.at_risk import at_risk
from sfumato.web.questions.by_hand import by_hand
from sfumato.web.questions.compared_states import compared_states
from sfumato.web.questions.policy import policy
from sfumato.web.questions.process.project_data import ProjectData
from sfumato.web.workspace import Workspace

SOUTH = {"method": "recoding", "to": {"south": ["Arezzo"]}, "attributes": ["town"]}
COAST = {"method": "recoding", "to": {"coast": ["south", "Bari"]}, "attributes": ["town"]}
AGES = {"method": "intervals", "cuts": [30, 60], "attributes": ["age"]}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    write_people(tmp_path / "people.csv", n=120)
    return Workspace(tmp_path)


@pytest.fixture
def project(workspace: Workspace) -> Project:
    project = workspace.open_file("people.csv")
    workspace.keep(project)
    return project


@pytest.fixture
def data(project: Project) -> ProjectData:
    return held(project)


def do(data: ProjectData, found: dict[str, Any], what: str, **given: Any) -> dict[str, Any]:
    return by_hand(data, {"settings": found.get("settings", {}), "do": what, **given})


def test_each_step_is_told_with_the_figures_of_the_library(data: ProjectData) -> None:
    found = do(data, do(data, {}, "add", step=SOUTH), "add", step=AGES)
    work = sfumato.steps(data.table).then(SOUTH).then(AGES)
    assert [state["title"] for state in found["states"]] == [
        "As collected",
        "town: Arezzo becomes south",
        "age: intervals from 30, 60, each shown by the middle",
    ]
    for told, state in zip(found["states"], work.states, strict=True):
        assert told["alone"] == state.effect.alone and told["loss"] == state.effect.loss
    town = next(column for column in found["columns"] if column["name"] == "town")
    assert set(town["categories"]) == {"south", "Bari"}


def test_steps_are_undone_redone_and_taken_out(data: ProjectData) -> None:
    both = do(data, do(data, {}, "add", step=SOUTH), "add", step=AGES)
    undone = do(data, both, "undo")
    assert len(undone["states"]) == 2 and undone["undone"] == [both["states"][2]["title"]]
    assert do(data, undone, "redo")["states"] == both["states"]
    left = do(data, both, "drop", number=1)
    assert [state["title"] for state in left["states"]] == ["As collected", both["states"][2]["title"]]
    with pytest.raises(SfumatoError, match="no such step"):
        do(data, both, "drop", number=3)


def test_what_is_fixed_cannot_be_changed(data: ProjectData) -> None:
    fixed = do(data, {}, "fix", columns=["town"])
    assert fixed["fixed"] == ("town",)
    with pytest.raises(SfumatoError, match="town, which is fixed"):
        do(data, fixed, "add", step=SOUTH)
    assert do(data, fixed, "fix", columns=[])["fixed"] == ()


def test_states_are_compared_by_the_categories_of_the_earlier_one(data: ProjectData) -> None:
    found = do(data, do(data, {}, "add", step=SOUTH), "add", step=COAST)
    compared = compared_states(data, {"settings": found["settings"], "states": [1, 2]})
    [town] = [column for column in compared["columns"] if column["name"] == "town"]
    shares = dict(zip(town["labels"], zip(town["before"], town["after"], strict=True), strict=True))
    assert shares["coast"][0] == pytest.approx(shares["coast"][1]) and shares["coast"][0] > 50
    assert compared["changed"]["town"] == pytest.approx(shares["coast"][1])
    assert compared["changed"]["age"] == 0
    with pytest.raises(SfumatoError, match="two different states"):
        compared_states(data, {"settings": found["settings"], "states": [1, 1]})


def test_steps_are_kept_as_a_study_of_the_project(project: Project, data: ProjectData) -> None:
    assert kept_steps(project) == {}
    found = do(data, do(data, do(data, {}, "add", step=SOUTH), "add", step=AGES), "undo")
    keep_steps(project, found["settings"])
    assert kept_steps(project) == found["settings"]
    assert searched_steps(project) == {"first": found["settings"]["first"]}
    (project.folder / "by-hand.toml").write_text("no study")
    assert kept_steps(project) == {}


def test_the_records_at_risk_are_those_of_the_library(data: ProjectData) -> None:
    found = at_risk(data, {})
    records = riskiest(data.table, data.table, count=50).records
    assert [one["record"] for one in found["riskiest"]] == [one.record for one in records]
    assert [one["reason"] for one in found["riskiest"]] == [one.reason for one in records]
    parts = [one["percent"] for one in found["contributions"]]
    assert parts == sorted(parts, reverse=True) and not found["households"]


def test_a_policy_is_told_in_words_and_only_ones_own_file_is_read(
    workspace: Workspace, project: Project, data: ProjectData
) -> None:
    assert policy(data, {"name": "public"})["title"] == "Public use"
    name = keep_policy(workspace, "Our Office!", 'title = "Our Office!"\nrequire = ["k >= 3"]\n')
    assert name == "our-office" and list(policy_paths(workspace)) == [name]
    assert keep_policy(workspace, "An office of " + "x" * 90, "") == "an-office-of-" + "x" * 27  # 40 letters
    told = policy(data, {"name": policy_setting(workspace, name)})
    assert told["words"] == ["Every combination of key values that occurs is shared by at least 3 records."]
    with pytest.raises(SfumatoError, match="no such policy"):
        policy(data, {"name": str(project.folder / "other.toml")})
    with pytest.raises(SfumatoError, match="the policy") as refused:
        policy(data, {"toml": 'requires = ["k >= 3"]'})
    assert "/tmp" not in str(refused.value)


def test_changes_of_a_schema_are_kept_until_it_is_saved(project: Project) -> None:
    project.keep_draft({"age": {"role": "other"}})
    assert project.draft == {"age": {"role": "other"}}
    project.save_schema(Schema(()).to_toml())
    assert project.draft == {}
