import json

import people
import pytest

from sfumato.core import registry


@pytest.fixture(autouse=True)
def _files(tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    (tmp_path / "s.toml").write_text(people.SCHEMA)
    (tmp_path / "same.csv").write_text(people.csv([row[1:] for row in people.ROWS], people.HEADER[1:]))


def test_all_attacks_that_fit(run):
    result = run("attack", "in.csv", "same.csv", "--schema", "s.toml")
    assert result.exit_code == 0
    assert "distance_linkage" in result.stdout
    assert "Control" in result.stdout


def test_json_holds_the_rates_and_their_intervals(run):
    found = json.loads(run("attack", "in.csv", "same.csv", "--schema", "s.toml", "--json").stdout)
    assert set(found["results"]) <= set(registry.names("attacks"))
    rate = found["results"]["distance_linkage"]["attack"]
    assert rate["low"] <= rate["value"] <= rate["high"]
    assert "outcomes" not in found["results"]["distance_linkage"]


def test_named_attacks_and_seed(run):
    words = ("attack", "in.csv", "same.csv", "--schema", "s.toml", "--json", "--attack", "distance-linkage")
    one = json.loads(run(*words).stdout)
    assert list(one["results"]) == ["distance_linkage"]
    assert json.loads(run(*words).stdout) == one


def test_attacks_carry_their_parameters(run, tmp_path):
    words = ("attack", "in.csv", "same.csv", "--schema", "s.toml", "--json", "-q")
    narrow = json.loads(run(*words, "--attack", "interval(percent=5)").stdout)
    wide = json.loads(run(*words, "--attack", "interval(percent=60)").stdout)
    assert list(narrow["results"]) == ["interval"]
    assert narrow["job"]["attack"] == ["interval(percent=5)"]
    assert narrow["results"]["interval"] != wide["results"]["interval"]
    study = "command = 'attack'\noriginal = 'in.csv'\nreleased = 'same.csv'\nschema = 's.toml'\n"
    (tmp_path / "study.toml").write_text(f"{study}attack = ['interval(percent=5)']")
    assert json.loads(run("run", "study.toml", "--json", "-q").stdout) == narrow


@pytest.mark.parametrize(
    ("attack", "says"),
    [
        ("interval(percnt=5)", "Unknown parameter of interval 'percnt'. Did you mean percent? Known: "),
        ("interval(percent=much)", "interval: percent must be an integer from 1 to 100. Got 'much'."),
    ],
)
def test_wrong_parameters_are_one_sentence(run, attack, says):
    result = run("attack", "in.csv", "same.csv", "--schema", "s.toml", "--attack", attack)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr and result.stderr.count("\n") == 1


def test_unknown_attacks_are_refused_with_a_suggestion(run):
    result = run("attack", "in.csv", "same.csv", "--attack", "distance_linkag")
    assert result.exit_code == 2
    assert "Did you mean distance_linkage?" in result.stderr


def test_other_lengths_are_refused(run, tmp_path):
    (tmp_path / "short.csv").write_text(people.csv(people.ROWS[:-1], people.HEADER))
    result = run("attack", "in.csv", "short.csv", "--schema", "s.toml")
    assert result.exit_code == 2
    assert "in the same order" in result.stderr


def test_a_file_without_keys_is_refused(run, tmp_path):
    schema = (tmp_path / "s.toml").read_text().replace('role = "key"', 'role = "other"')
    (tmp_path / "s.toml").write_text(schema)
    result = run("attack", "in.csv", "same.csv", "--schema", "s.toml")
    assert result.exit_code == 2
    assert "No attribute has the role key" in result.stderr


def test_a_name_shared_by_measure_and_attack_shows_both(run):
    shown = run("methods", "distance_linkage").stdout
    assert "distance_linkage (measure)" in shown
    assert "distance_linkage (attack)" in shown
    assert "sfumato attack ORIGINAL RELEASED --attack 'distance_linkage(" in shown
    found = json.loads(run("methods", "distance_linkage", "--json").stdout)
    assert [found["kind"], found["also"][0]["kind"]] == ["measure", "attack"]
