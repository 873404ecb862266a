import json

import pytest

from sfumato import datasets
from sfumato.core import registry
from sfumato.core.parameters import parameters

QUICK = ("clustering", "--larger-k", "140", "--workers", "1", "-q")
GRID = ("--k", "40,50", "--clusters", "8,20,75")

needs_german = pytest.mark.skipif(not datasets.available("german"), reason="the classic file is not here")


def test_alone_it_lists_the_studies(run):
    shown = run("reproduce").stdout
    listed = json.loads(run("reproduce", "--json").stdout)
    assert set(listed) == set(registry.names("reproductions"))
    for name in listed:
        assert name in shown


@pytest.mark.parametrize("name", registry.names("reproductions"))
def test_every_study_shows_its_parameters(run, name):
    for words in (("reproduce", name, "--help"), ("reproduce", "--help", name)):
        shown = run(*words)
        assert shown.exit_code == 0
        own = {one.key for one in parameters(registry.load("reproductions", name)).values()}
        assert {"seed", "workers"} < own
        assert all(f"--{key}" in shown.stdout for key in own)


def test_unknown_studies_get_a_suggestion(run):
    result = run("reproduce", "clusterin")
    assert result.exit_code == 2
    assert result.stderr == "Error: Unknown reproduction 'clusterin'. Did you mean clustering?\n"


def test_missing_files_are_one_sentence(run, monkeypatch, tmp_path):
    monkeypatch.setenv("SFUMATO_DATA", str(tmp_path))
    result = run("reproduce", "clustering", "-o", "out")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and "SFUMATO_DATA" in result.stderr and "german" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--k", "0"), "k must be a list, each item an integer from 2 to 1000. Got 0."),
        (("--workers", "0"), "workers must be an integer of at least 1"),
        (("--speed", "3"), "No such option '--speed'"),
        (("-o", "no/such"), "folder no does not exist"),
    ],
)
def test_bad_words_are_refused_before_the_work(run, words, says):
    result = run("reproduce", "clustering", *words)
    assert result.exit_code == 2
    assert says in result.stderr and result.stderr.count("\n") == 1


def test_an_output_that_is_a_file_is_refused(run, tmp_path):
    (tmp_path / "out").write_text("mine")
    result = run("reproduce", "clustering", "-o", "out")
    assert result.exit_code == 2 and "is not a folder" in result.stderr
    assert (tmp_path / "out").read_text() == "mine"


@needs_german
def test_table_plots_and_summary(run, tmp_path):
    result = run(
        "reproduce", "-o", "clustering", *QUICK, *GRID
    )  # a folder named like a study is still a folder
    assert result.exit_code == 0, result.output
    lines = result.stdout.rstrip().splitlines()
    assert lines[0].startswith("clustering: Marés")
    assert lines[-1].startswith("7 of 7 bars hold; ")
    assert "Published" in result.stdout and "holds" in result.stdout and "42.32" in result.stdout
    written = {path.name for path in (tmp_path / "clustering").iterdir()}
    assert written >= {"clustering.csv", "clustering.json"} | {
        f"clustering-{plot}.{suffix}"
        for plot in ("german", "german-clustering", "housing", "housing-clustering")
        for suffix in ("svg", "png")
    }


@needs_german
def test_a_bar_that_fails_is_status_1(run):
    result = run("reproduce", *QUICK, "--k", "100", "--k", "140", "--clusters", "2", "--json")
    assert result.exit_code == 1
    shown = json.loads(result.stdout)
    assert shown["spec"]["k"] == [100, 140]
    assert shown["holds"] is False and "files" not in shown
    assert shown["job"] == {
        "job": "reproduce",
        "name": "clustering(k=[100, 140], clusters=[2], larger_k=[140], workers=1)",
    }
    assert {line["verdict"] for line in shown["lines"]} >= {"", "fails"}
