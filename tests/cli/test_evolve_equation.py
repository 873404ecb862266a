import json

import pytest
from people import PEOPLE, SCHEMA, SECRET

FEW = ("--generations", "3", "--population", "6", "-q")


@pytest.fixture
def people(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "people.toml").write_text(SCHEMA)
    return "people.csv", "--schema", "people.toml"


def test_an_equation_is_found_written_and_applied(run, people, tmp_path):
    found = run("evolve-equation", *people, "-o", "equation.json", *FEW)
    assert found.exit_code == 0, found.output
    formula = json.loads((tmp_path / "equation.json").read_text())["equation"]
    assert f"\n    {formula}\n" in found.stdout
    for text in (
        "this equation",
        "frequency matrix, p = ",
        "uniform matrix, p = ",
        "3 generations were made",
    ):
        assert text in found.stdout
    masked = run("mask", *people, "-m", "pram", "--matrix", "equation.json", "-o", "masked.csv", "-q")
    assert masked.exit_code == 0, masked.output
    assert (tmp_path / "masked.csv").exists()


def test_json_and_the_same_seed_give_the_same(run, people):
    records = [
        json.loads(
            run("evolve-equation", *people, "-o", f"{name}.json", *FEW, "--seed", "4", "--json").stdout
        )
        for name in "ab"
    ]
    assert records[0]["files"] == ["a.json"]
    assert records[0]["equation"] == records[1]["equation"]
    assert records[0]["attributes"] == ["sex", "region"]
    assert SECRET not in json.dumps(records)


def test_a_run_is_kept_and_goes_on(run, people):
    words = (
        "evolve-equation",
        *people,
        "--attributes",
        "sex",
        "--run",
        "kept",
        "--json",
        "--population",
        "6",
        "-q",
    )
    first = json.loads(run(*words, "-o", "a.json", "--generations", "2").stdout)
    second = run(*words, "-o", "b.json", "--generations", "4")
    assert first["attributes"] == ["sex"] and json.loads(second.stdout)["generations"] == 4
    refused = run(*words, "-o", "c.json", "--generations", "4", "--seed", "9")
    assert refused.exit_code == 2 and "another seed" in refused.stderr


def test_drawn_files_may_judge(run, people):
    words = ("--draws", "2", "--score", "mean", "--depth", "3", "--workers", "1", "--json")
    found = json.loads(run("evolve-equation", *people, "-o", "e.json", *FEW, *words).stdout)
    assert found["job"]["score"] == "mean" and found["optimizer"]["depth"] == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("-o", "e.csv"), "unknown suffix '.csv'"),
        (("-o", "people.csv"), "unknown suffix"),
        (("-o", "no/e.json"), "folder no does not exist"),
        (("-o", "e.json", "--attributes", "age"), "column age is numeric"),
        (("-o", "e.json", "--attributes", "agee"), "Did you mean age?"),
        (("-o", "e.json", "--depth", "11"), "depth must be an integer from 1 to 10"),
        (("-o", "e.json", "--run", "people.csv"), "--run people.csv is a file"),
        ((), "Missing option"),
    ],
)
def test_bad_words_are_one_sentence(run, people, tmp_path, words, says):
    result = run("evolve-equation", *people, *words, "-q")
    assert result.exit_code == 2
    assert says in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "e.json").exists()


def test_an_equation_file_that_was_spoilt_is_refused(run, people, tmp_path):
    (tmp_path / "equation.json").write_text('{"equation": "freq_i ** freq_k"}')
    result = run("mask", *people, "-m", "pram", "--matrix", "equation.json", "-o", "masked.csv", "-q")
    assert result.exit_code == 2
    assert (
        result.stderr.count("\n") == 1 and "equation.json: equation: must hold N, freq_max" in result.stderr
    )


def test_the_study_answers_to_both_spellings(run):
    for name in ("pram-equations", "pram_equations"):
        assert "--depths" in run("reproduce", name, "--help").stdout
