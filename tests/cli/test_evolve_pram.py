import json
import tomllib

import people
import pytest

from sfumato.data import Schema, read_table


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    (tmp_path / "s.toml").write_text(people.SCHEMA)
    return tmp_path


BASE = ("evolve-pram", "in.csv", "--schema", "s.toml", "-o", "m.json", "--attributes", "sex,region")


def test_matrices_are_evolved_written_and_applied(run, folder):
    result = run(*BASE, "--generations", "5", "--front")
    assert result.exit_code == 0, result.output
    assert "The score fell by" in result.stdout and "direct search" in result.stdout
    assert (folder / "m.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert people.SECRET not in (folder / "m.json").read_text(encoding="utf-8")
    masked = run("mask", "in.csv", "--schema", "s.toml", "-m", "pram", "--matrix", "m.json", "-o", "out.csv")
    assert masked.exit_code == 0, masked.output
    assert "pram (matrix = m.json)" in masked.stdout
    original = read_table(folder / "in.csv", schema=Schema.read(folder / "s.toml"))
    released = read_table(folder / "out.csv", schema=Schema.read(folder / "out.schema.toml"))
    assert released["age"].tolist() == original["age"].tolist()  # not in the file of matrices


def test_without_a_schema_the_columns_of_the_file_are_masked(run, folder):
    assert run(*BASE, "--generations", "2").exit_code == 0
    (folder / "in2.csv").write_text(people.PEOPLE)
    masked = run("mask", "in2.csv", "-m", "pram", "--matrix", "m.json", "-o", "out.csv", "--keep", "age")
    assert masked.exit_code == 0, masked.output
    assert read_table(folder / "out.csv")["age"].tolist() == read_table(folder / "in.csv")["age"].tolist()


def test_json_is_one_document_and_a_run_is_resumed(run, folder):
    words = (*BASE, "--json", "--quiet", "--run", "kept", "--diagonal", "0.6", "0.8", "--invariant")
    first = json.loads(run(*words, "--generations", "4").stdout)
    assert first["files"] == ["m.json", "m.svg"] and first["direct"] is None
    again = json.loads(run(*words, "--generations", "8").stdout)
    assert again["run"]["resumed"] == 5


def test_a_study_holds_bounds_and_an_optimiser(run, folder):
    words = ("--diagonal", "0.6", "0.8", "--optimizer", "matrix_evolution(walk=3)", "--for", "4g", "-q")
    first = run(*BASE, *words, "--save-study", "study.toml")
    assert first.exit_code == 0, first.output
    written = (folder / "m.json").read_bytes()
    assert json.loads(written)["about"]["shape"] == {"low": 0.6, "high": 0.8, "invariant": False}
    assert tomllib.loads((folder / "study.toml").read_text())["diagonal"] == [0.6, 0.8]
    again = run("run", "study.toml", "-o", "again.json", "-q")
    assert again.exit_code == 0, again.output
    assert (folder / "again.json").read_bytes() == written


def test_processes_and_a_cluster_find_the_same(run, folder):
    found = []
    for where in (("--workers", "1"), ("--workers", "2"), ("--cluster", "local", "--workers", "1")):
        result = run(*BASE, "--generations", "1", "--fresh", "1", "--direct", "0", "-q", *where)
        assert result.exit_code == 0, result.output
        found.append((folder / "m.json").read_bytes())
    assert found[0] == found[1] == found[2]


def test_mistakes_are_one_sentence(run, folder):
    for words, sentence in (
        ((*BASE[:5], "m.txt"), "unknown suffix '.txt'"),
        ((*BASE, "--diagonal", "0.9", "0.1"), "the lower one first"),
        ((*BASE, "--diagonal", "0.9", "x"), "diagonal must be a list of 2, each item a number from 0 to 1"),
        ((*BASE, "--record", "m.json"), "the record needs a name of its own"),
        ((*BASE, "--run", "in.csv"), "--run in.csv is a file"),
        ((*BASE[:-1], "age"), "column age is numeric"),
    ):
        result = run(*words)
        assert result.exit_code == 2
        assert sentence in result.output
        assert not (folder / "m.json").exists()


def test_a_file_of_matrices_that_does_not_fit_is_refused(run, folder):
    rows = {"categories": ["f", "x"], "rows": [[1, 0], [0, 1]]}
    (folder / "m.json").write_text(json.dumps({"matrices": {"sex": rows}}))
    words = ("mask", "in.csv", "--schema", "s.toml", "-m", "pram", "-o", "out.csv", "--matrix")
    assert "the file has no row for 1 of the categories" in run(*words, "m.json").output
    assert "File of matrices n.json does not exist" in run(*words, "n.json").output
    assert "matrix must be one of frequency" in run(*words, "frequent").output
