"""`--record` keeps what `--json` prints, but for the names of files, for every command that has it."""

import json

import pytest

from sfumato.data import write_table
from sfumato.data.files.graph_files import write_graph
from sfumato.datasets import business_survey, household_survey, profile_graph
from sfumato.datasets.census_pair import census_pair

PAIR = ("--vital", "military=1", "--parameter", "workplace", "--runs", "1", "--generations", "2")
COMMANDS = {
    "group-attributes": ("firms.csv", "--key", "staff,wages,profit", "--k", "4", "--workers", "1"),
    "evolve-pram": ("people.csv", "--attributes", "sex", "--generations", "2", "-o", "m.json"),
    "evolve-equation": (
        "people.csv",
        "--attributes",
        "sex",
        "--generations",
        "2",
        "--population",
        "5",
        "-o",
        "e.json",
    ),
    "groups attack": ("survey.csv", "--auxiliary", "census.csv", *PAIR, "--workers", "1"),
    "graph protect": ("network.graphml", "-o", "safe.graphml"),
}


@pytest.fixture
def folder(tmp_path):
    write_table(business_survey(40, seed=1), tmp_path / "firms.csv")
    write_table(household_survey(60, seed=1), tmp_path / "people.csv")
    pair = census_pair(1500, areas=10, planted=1, seed=1)
    write_table(pair.survey, tmp_path / "survey.csv")
    write_table(pair.auxiliary, tmp_path / "census.csv")
    write_graph(profile_graph(40, seed=1), tmp_path / "network.graphml")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_the_record_is_what_json_prints(run, folder, command):
    result = run(*command.split(), *COMMANDS[command], "--json", "--quiet", "--record", "kept.record.json")
    assert result.exit_code == 0, result.output
    kept = json.loads((folder / "kept.record.json").read_text(encoding="utf-8"))
    told = json.loads(result.stdout)
    assert "kept.record.json" in told.pop("files")
    assert kept == told


@pytest.mark.parametrize("command", COMMANDS)
def test_a_record_never_replaces_an_input(run, folder, command):
    file = COMMANDS[command][0]
    before = (folder / file).read_bytes()
    for name, sentence in ((file, "unknown suffix"), ("no/where.json", "does not exist")):
        result = run(*command.split(), *COMMANDS[command], "--record", name)
        assert result.exit_code == 2 and sentence in result.output
    assert (folder / file).read_bytes() == before
