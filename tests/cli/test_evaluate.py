import json

import people
import pytest


@pytest.fixture(autouse=True)
def _files(tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    (tmp_path / "s.toml").write_text(people.SCHEMA)
    (tmp_path / "same.csv").write_text(people.csv([row[1:] for row in people.ROWS], people.HEADER[1:]))


def test_a_copy_without_identifiers_loses_nothing(run):
    result = run("evaluate", "in.csv", "same.csv", "--json")
    assert "taking age, sex, region as what an intruder may know" in result.stderr
    found = json.loads(result.stdout)
    assert found["scores"]["information_loss"]["value"] == 0
    assert found["senses"]["distance_linkage"] == "risk"


def test_parts_are_shown_on_demand(run):
    words = ("evaluate", "in.csv", "same.csv", "--schema", "s.toml")
    assert "smallest" not in run(*words).stdout
    assert "smallest" in run(*words, "--parts").stdout


def test_unknown_categories_could_be_any(run, tmp_path):
    changed = (tmp_path / "same.csv").read_text().replace("south", "somewhere").replace("north", "somewhere")
    (tmp_path / "masked.csv").write_text(changed)
    result = run("evaluate", "in.csv", "masked.csv", "--schema", "s.toml", "--json")
    assert "column region: 1 categories are unknown" in result.stderr
    assert "somewhere" not in result.output
    assert json.loads(result.stdout)["scores"]["dbil"]["parts"]["region"] > 0


def test_masked_numbers_may_leave_the_bounds(run, tmp_path):
    (tmp_path / "masked.csv").write_text(people.with_cell(0, "age", "-3.25"))
    assert run("evaluate", "in.csv", "masked.csv", "--schema", "s.toml").exit_code == 0


def test_columns_of_its_own_are_left_out_with_a_note(run, tmp_path):
    rows = [(*row, "x") for row in people.ROWS]
    (tmp_path / "masked.csv").write_text(people.csv(rows, (*people.HEADER, "extra")))
    result = run("evaluate", "in.csv", "masked.csv", "--schema", "s.toml")
    assert result.exit_code == 0 and "no column extra; not compared" in result.stderr


def test_mask_then_evaluate_agree(run):
    made = json.loads(run("mask", "in.csv", "--method", "mdav", "-o", "out.csv", "--json").stdout)
    judged = json.loads(run("evaluate", "in.csv", "out.csv", "--json").stdout)
    for name, score in made["scores"].items():
        assert judged["scores"][name]["value"] == pytest.approx(score["value"])
