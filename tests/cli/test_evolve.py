import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import tomllib

import people
import pytest

from sfumato.data import Schema, read_table, write_table
from sfumato.datasets import business_survey

QUICK = ("--no-verdict", "--methods", "rank_swapping,mdav", "--workers", "1")
KEYS = "staff,wages,profit,equity"
FIRMS = ("evolve", "firms.csv", "--schema", "firms.toml", "--preset", "fast", "--key", KEYS, *QUICK)


@pytest.fixture
def folder(tmp_path):
    firms = business_survey(60, seed=1)
    write_table(firms, tmp_path / "firms.csv")
    (tmp_path / "firms.toml").write_text(firms.schema.to_toml())
    return tmp_path


def start(folder, *words):
    """A real process, as a terminal starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "sfumato", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_generations(folder):
    """Until a few generations are in the journal, which is locked while the run lasts: by its size."""
    log = folder / "kept" / "journal.sqlite-wal"
    for _ in range(6000):
        if log.exists() and log.stat().st_size > 60_000:
            return
        time.sleep(0.05)
    raise AssertionError("no generation was journaled in five minutes")


@pytest.mark.usefixtures("drawn")
def test_evolves_and_says_what_it_did(run, tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    result = run("evolve", "in.csv", "-o", "out.csv", "--preset", "fast", "--generations", "2", *QUICK)
    assert result.exit_code == 0, result.output
    assert "taking age, sex, region as what an intruder may know" in result.stderr
    assert "left out: name (" in result.stderr
    for text in ("for 2 generations", "It ended since 2 generations were made"):
        assert text in result.stdout
    assert (
        read_table(tmp_path / "out.csv").names == people.HEADER[1:-1]
    )  # of an income nobody declared, each is single
    for path in (path for path in tmp_path.rglob("*") if path.is_file() and "out." in str(path)):
        assert people.SECRET not in path.read_text()


def test_json_is_the_record(run, folder):
    result = run(
        *FIRMS, "--verdict", "-o", "out.csv", "--generations", "2", "--add", "subgroup_means", "--json", "-q"
    )
    found = json.loads(result.stdout)
    assert found["files"][0] == "out.csv" and found["generations"] == 2
    assert found["fitness"]["losses"][1] == {"method": "subgroup_means"}
    assert found["verdict"]["scores"].keys() == found["start_verdict"]["scores"].keys()
    assert json.loads((folder / "out.private/record.json").read_text())["chosen"] == found["chosen"]
    assert Schema.read(folder / "out.schema.toml").with_role("key")


def test_parts_carry_their_parameters_here_and_in_studies(run, folder):
    parts = {
        "optimizer": "evolution(sizes=[1, 4], batch=2)",
        "loss": "subgroup_means(groups=3)",
        "risk": "interval_disclosure(per_record=true)",
    }
    words = [word for key, text in parts.items() for word in (f"--{key}", text)]
    result = run(*FIRMS, "-o", "out.csv", *words, "--for", "2g", "--json", "-q", "--save-study", "study.toml")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["optimizer"] == {"method": "evolution", "sizes": [1, 4], "batch": 2}
    assert found["fitness"]["losses"] == [{"method": "subgroup_means", "groups": 3}]
    assert found["fitness"]["risks"] == [{"method": "interval_disclosure", "per_record": True}]
    study = tomllib.loads((folder / "study.toml").read_text())
    assert study["optimizer"] == parts["optimizer"] and study["loss"] == [parts["loss"]]
    assert study["generations"] == 2 and study["risk"] == [parts["risk"]]
    assert run("run", "study.toml", "-o", "again.csv", "-q").exit_code == 0  # with another key
    assert run("run", "out.private/study.toml", "-o", "again.csv", "-q").exit_code == 0
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("evolution(populaton=5)", "Unknown parameter of evolution 'populaton'. Known: adaptive, batch, "),
        ("evolution(batch=0)", "evolution: batch must be an integer of at least 1. Got 0."),
        ("gomm", "evolve: optimizer must be one of "),
    ],
)
def test_wrong_optimisers_are_one_sentence_here_and_in_studies(run, folder, given, says):
    (folder / "study.toml").write_text(
        f"command = 'evolve'\nfile = 'firms.csv'\noutput = 'out.csv'\noptimizer = '{given}'"
    )
    here = run(*FIRMS, "-o", "out.csv", "--optimizer", given)
    there = run("run", "study.toml")
    for result, start in ((here, "Error: "), (there, "Error: study.toml: ")):
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(start + says) and result.stderr.count("\n") == 1


def test_a_killed_run_resumed_gives_the_same_file(run, folder):
    process = start(folder, *FIRMS, "-o", "cut.csv", "--for", "1h", "--run", "kept")
    wait_for_generations(folder)
    process.kill()
    process.communicate()
    assert not (folder / "cut.csv").exists()
    with contextlib.closing(sqlite3.connect(folder / "kept" / "journal.sqlite")) as base:
        stored = base.execute("SELECT count(*) FROM generations").fetchone()[0]
    goal = ("--generations", str(stored + 5))
    resumed = run(*FIRMS, "-o", "cut.csv", "--run", "kept", *goal)
    assert resumed.exit_code == 0, resumed.output
    assert "from the run folder" in resumed.stdout
    assert run(*FIRMS, "-o", "whole.csv", *goal, "--secret", "kept/secret.key").exit_code == 0
    assert (folder / "cut.csv").read_bytes() == (folder / "whole.csv").read_bytes()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("--seed", "9"), "another seed"),
        (("--score", "mean"), "other measures"),
        (("--drop-best", "20"), "another optimiser or other parameters"),
    ],
)
def test_another_run_is_refused_by_name(run, folder, change, says):
    short = ("--generations", "1", "--run", "kept", "-q")
    assert run(*FIRMS, "-o", "a.csv", *short).exit_code == 0
    result = run(*FIRMS, "-o", "b.csv", *short, *change)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"holds a run with {says}" in result.stderr
    assert not list(folder.glob("b.*"))


def test_ctrl_c_writes_the_best_so_far(run, folder):
    process = start(folder, *FIRMS, "-o", "out.csv", "--for", "1h", "--run", "kept")
    wait_for_generations(folder)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert "Stopped by the user; the best so far was written." in output
    assert "Another Ctrl-C stops at once" in errors
    record = json.loads((folder / "out.private/record.json").read_text())
    key = ("--secret", "kept/secret.key")
    same = run(*FIRMS, "-o", "same.csv", "--generations", str(record["generations"]), "-q", *key)
    assert same.exit_code == 0
    assert (folder / "out.csv").read_bytes() == (folder / "same.csv").read_bytes()


def test_a_second_ctrl_c_stops_at_once(folder):
    before = {path.name for path in folder.iterdir()}
    process = start(folder, *FIRMS, "-o", "out.csv", "--for", "1h", "--run", "kept")
    wait_for_generations(folder)
    os.killpg(process.pid, signal.SIGINT)
    for line in process.stderr:
        if "Another Ctrl-C" in line:
            break
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=300)
    assert (process.returncode, output) == (130, "")
    assert errors.splitlines()[-1] == "Error: Stopped by Ctrl-C; no file is left half-written."
    assert {path.name for path in folder.iterdir()} == before | {"kept"}


def test_workers_do_not_change_the_file_here_or_on_a_cluster(run, folder):
    made = []
    for crew in (("1",), ("2",), ("1", "--cluster", "local")):
        words = (*FIRMS[:-1], *crew, "-o", "out.csv", "--generations", "2", "--seed", "1", "-q")
        assert run(*words).exit_code == 0
        made.append((folder / "out.csv").read_bytes())
    assert made[0] == made[1] == made[2]


def test_protect_evolves_afterwards(run, folder):
    words = ("protect", "firms.csv", "--schema", "firms.toml", "-o", "out.csv", *QUICK, "--evolve", "10g")
    result = run(*words)
    assert result.exit_code == 0, result.output
    for text in ("Chosen among", "for 10 generations", "The evolved file is released."):
        assert text in result.stdout
    record = json.loads((folder / "out.private/record.json").read_text())
    assert record["evolution"]["released"] and record["evolution"]["generations"] == 10
    assert "Evolving the best candidates" in (folder / "out.private/report.html").read_text()
