import json
import shutil

import pytest

from sfumato.data import read_table, write_table
from sfumato.datasets.census_pair import HARMONISATION, WORDS, census_pair

SHORT = ("--runs", "1", "--generations", "15", "--workers", "1")
HARMONISE = ("groups", "harmonise", "survey.parquet", "--auxiliary", "census.parquet", "--spec", "spec.toml")
GROUP = ("--vital", "military=1", "--parameter", "workplace")


@pytest.fixture(scope="module")
def pair():
    return census_pair(30_000, areas=30, planted=3, seed=4)


@pytest.fixture(scope="module")
def files(pair, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_table(pair.survey, folder / "survey.parquet")
    write_table(pair.released, folder / "released.parquet")
    write_table(pair.auxiliary, folder / "census.parquet")
    (folder / "words.toml").write_text(WORDS, encoding="utf-8")
    (folder / "spec.toml").write_text(HARMONISATION, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _files(tmp_path, files):
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)


def attack(run, *more):
    return run("groups", "attack", "released.parquet", "--auxiliary", "census.parquet", *GROUP, *SHORT, *more)


def test_an_attack_names_the_rules_and_the_places(run, pair, tmp_path):
    result = attack(run, "--words", "words.toml", "--plot", "signals.svg", "-q")
    assert result.exit_code == 0, result.output
    assert "The group is exposed" in result.stdout
    assert "walks to work" in result.stdout
    assert sum(place in result.stdout for place in pair.planted) >= 2
    assert (tmp_path / "signals.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_json_and_harmonisation(run):
    result = attack(run, "--words", "words.toml", "--harmonise", "spec.toml", "--json", "-q")
    found = json.loads(result.stdout)
    assert found["adequacy"] is None and found["rehearsal"]["true_positives"] >= 0
    assert len(found["signals"]) == 30


def test_harmonise_writes_both_files(run, tmp_path):
    result = run(*HARMONISE, "-o", "one.parquet", "--auxiliary-output", "two.csv")
    assert result.exit_code == 0, result.output
    one = read_table(tmp_path / "one.parquet")
    assert f"{one.n}" in result.stdout and one["age"].max() <= 45
    assert (tmp_path / "two.csv").is_file() and (tmp_path / "two.schema.toml").is_file()


def test_help_lists_the_commands(run):
    for result in (run("groups"), run("groups", "--help")):
        assert result.exit_code == 0
        assert "harmonise" in result.stdout and "attack" in result.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("groups", "atack"), "Did you mean attack?"),
        (
            ("groups", "attack", "survey.parquet", "--auxiliary", "census.parquet", "--vital", "military=1"),
            "parameter",
        ),
        (
            ("groups", "attack", "survey.parquet", "--auxiliary", "no.csv", *GROUP),
            "no.csv does not exist",
        ),
        (
            (*HARMONISE, "-o", "x.csv", "--auxiliary-output", "x.csv"),
            "Output x.csv: the two files need names of their own",
        ),
        (
            (*HARMONISE, "-o", "x.parquet", "--auxiliary-output", "x.csv"),
            "Output x.schema.toml: the two files need names of their own",
        ),
    ],
)
def test_faults_are_explained(run, words, complaint):
    result = run(*words)
    assert result.exit_code == 2
    assert complaint in result.output


def test_a_vital_value_needs_a_column(run):
    result = run(
        *("groups", "attack", "survey.parquet", "--auxiliary", "census.parquet"),
        *("--vital", "military", "--parameter", "workplace"),
    )
    assert result.exit_code == 2 and "such as occupation=551010" in result.output


def test_several_groups_in_one_command(run):
    also = ("--also", "marital=6 & sex=1,2", "--also", "transport=50")
    result = run("groups", "report", "survey.parquet", "survey.parquet", *GROUP, *also, "-q")
    assert result.exit_code == 0, result.output
    assert [line.split(": ")[0] for line in result.stdout.splitlines()[:3]] == [
        "military=1",
        "marital=6 & sex=1,2",
        "transport=50",
    ]
