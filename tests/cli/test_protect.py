import json
import os
import re
import shlex
import signal
import subprocess
import sys

import people
import psutil
import pytest

from kills.disturbed import at_processor_time
from sfumato.data import Schema, read_table, write_table
from sfumato.datasets import household_survey
from sfumato.jobs import demo

QUICK = ("--methods", "rank_swapping,pram", "--workers", "1", "--no-verdict")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    (tmp_path / "s.toml").write_text(people.SCHEMA)
    return tmp_path


@pytest.mark.usefixtures("drawn")
def test_protects_and_says_what_it_did(run, folder):
    result = run("protect", "in.csv", "-o", "out.csv", *QUICK)
    assert result.exit_code == 0, result.output
    assert "taking age, sex, region as what an intruder may know" in result.stderr
    assert "left out: name (" in result.stderr
    for text in (
        "Chosen among",
        "information loss",
        "disclosure risk",
        "Goes out:",
        "Stays with you, in out.private:",
    ):
        assert text in result.stdout
    assert (
        read_table(folder / "out.csv").names == people.HEADER[1:-1]
    )  # of an income nobody declared, each is single
    for path in (path for path in folder.rglob("*") if path.is_file() and "out." in str(path)):
        assert people.SECRET not in path.read_text()


def test_json_is_the_record(run, folder):
    result = run("protect", "in.csv", "-o", "out.csv", "--schema", "s.toml", "--json", *QUICK)
    found = json.loads(result.stdout)
    assert found["files"][0] == "out.csv"
    assert found["job"] == {
        "job": "protect",
        "methods": ["rank_swapping", "pram"],
        "file": "in.csv",
        "schema": "s.toml",
        "output": "out.csv",
        "secret": "secret.key",
        "verdict": False,
    }
    assert all((folder / name).exists() for name in found["files"])
    assert people.SECRET not in result.output


def test_keys_by_name_replace_the_others(run, folder):
    result = run("protect", "in.csv", "-o", "out.csv", "--key", "age,income", "--keep", "name", *QUICK)
    assert "taking age, income as" in result.stderr
    assert "left out: name" not in result.stderr
    schema = Schema.read(folder / "out.schema.toml")
    assert schema.with_role("key") == ("age", "income")
    assert "name" in schema


def test_identifiers_of_a_declared_schema_are_said_too(run, folder):
    result = run("protect", "in.csv", "-o", "out.csv", "--schema", "s.toml", *QUICK)
    assert result.stderr.startswith("Note: left out: name (an identifier); keep a column with --keep NAME")


def test_gates_are_shown(run, folder):
    result = run("protect", "in.csv", "-o", "out.csv", "--require", "loss <= 90", "--require", "k>=1", *QUICK)
    assert "required information_loss <= 90" in result.stdout
    assert "required k_anonymity.smallest >= 1" in result.stdout


def test_workers_do_not_change_the_file(run, folder, monkeypatch):
    few = household_survey(100, seed=3).select(["region", "age", "sex", "income"])
    write_table(few, folder / "survey.parquet")
    made = []
    for workers in ("1", "2"):
        words = ("protect", "survey.parquet", "-o", f"out{workers}.csv", "--methods", "rank_swapping,pram")
        more = ("--policy", "none", "--no-verdict", "--workers", workers, "--seed", "1")
        assert run(*words, *more).exit_code == 0
        made.append((folder / f"out{workers}.csv").read_bytes())
    assert made[0] == made[1]


def test_demo_needs_nothing_and_what_it_says_to_try_works(run, tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "RECORDS", 60)
    result = run("demo", "--workers", "1")
    assert result.exit_code == 0, result.output
    made = {path.name for path in (tmp_path / "sfumato-demo").iterdir()}
    assert {"survey.csv", "survey.schema.toml", "protected.csv", "protected.private"} <= made
    assert (tmp_path / "sfumato-demo" / "protected.private" / "report.html").is_file()
    assert "protected.private/report.html in a browser" in result.stdout
    schema = Schema.read(tmp_path / "sfumato-demo" / "survey.schema.toml")
    assert read_table(tmp_path / "sfumato-demo" / "survey.csv", schema=schema).n == 60
    tries = [
        line.split(maxsplit=1)[1] for line in result.stdout.splitlines() if line.startswith("  sfumato ")
    ]
    assert len(tries) == 2
    for words in tries:
        assert run(*shlex.split(words), "--quiet").exit_code == 0


def test_demo_writes_over_nothing_else(run, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    result = run("demo", "-o", ".")
    assert result.exit_code == 2
    assert result.stderr == "Error: Folder . holds other files: give a new one with -o FOLDER.\n"


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_ctrl_c_leaves_nothing_behind(folder, workers):
    write_table(household_survey(20_000, seed=1), folder / "big.parquet")
    before = sorted(folder.iterdir())
    command = [
        sys.executable,
        "-m",
        "sfumato",
        "protect",
        "big.parquet",
        "-o",
        "out.csv",
        "--workers",
        workers,
    ]
    process = psutil.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert at_processor_time(process, 2.5), process.communicate(timeout=300)[1]
    os.killpg(process.pid, signal.SIGINT)  # what a terminal does: every process of the group gets it
    output, errors = process.communicate(timeout=300)
    assert errors.splitlines()[-1:] == ["Error: Stopped by Ctrl-C; no file is left half-written."]
    progress = re.compile(r"Note: |This will take a while: |.* left$")  # on a busy machine
    assert [line for line in errors.splitlines() if not progress.match(line)][:-1] == []
    assert (process.returncode, output) == (130, "")
    assert sorted(folder.iterdir()) == before


def test_groups_of_attributes_are_searched_and_repeated(run, folder):
    keys = ("--key", "age,income", "--group-attributes", "3", *QUICK)
    result = run("protect", "in.csv", "-o", "out.csv", "--json", *keys)
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["job"]["group-attributes"] == [3]
    assert "--group-attributes 3" in (folder / "out.private/report.html").read_text()
    assert any("steps" in candidate["masking"] for candidate in record["candidates"])


def test_a_wrong_size_of_groups_is_refused(run, folder):
    result = run("protect", "in.csv", "-o", "out.csv", "--group-attributes", "1")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: protect: group-attributes must be a list, each item an integer of at least 2. Got 1.\n"
    )


def test_an_evolution_ends_by_whichever_rule_holds_first(run, folder):
    evolving = ("protect", "in.csv", "-o", "out.csv", "--evolve", "5000g", "--stagnation", "1", *QUICK)
    result = run(*evolving)
    assert result.exit_code == 0, result.stderr
    record = json.loads((folder / "out.private/record.json").read_text())
    assert record["evolution"]["generations"] < 5000


def test_without_an_evolution_rules_end_the_search_among_candidates(run, folder):
    words = ("protect", "in.csv", "-o", "out.csv", "--seed", "1", *QUICK)
    assert run(*words).exit_code == 0
    every = json.loads((folder / "out.private/record.json").read_text())["candidates"]
    assert run(*words, "--target", "100").exit_code == 0  # which the first that are judged reach
    fewer = json.loads((folder / "out.private/record.json").read_text())["candidates"]
    assert 0 < len(fewer) <= len(every)
    masked = [candidate["masking"] for candidate in every]
    assert all(candidate["masking"] in masked for candidate in fewer)
