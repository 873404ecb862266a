"""`sfumato groups` with `--run`: killed wherever it is, it goes on and ends with the same files."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from sfumato.data import write_table
from sfumato.datasets.census_pair import WORDS, census_pair

PAIR = census_pair(6000, areas=12, planted=1, seed=1)
ENDLESS = "1000000"
GROUP = ("--vital", "military=1", "--parameter", "workplace", "-q")
LEARNT = ("--auxiliary", "census.parquet", "--words", "words.toml")
PROTECT = ("groups", "protect", "survey.parquet", *GROUP, *LEARNT, "--hide", PAIR.planted[0])
COUNTED = ("groups", "protect", "survey.parquet", *GROUP, "--generations", "2", "--run", "kept")
FILES = (".parquet", ".schema.toml", ".private/swaps.csv", ".private/order.csv")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_table(PAIR.survey, folder / "survey.parquet")
    write_table(PAIR.auxiliary, folder / "census.parquet")
    (folder / "words.toml").write_text(WORDS, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _files(tmp_path, files):
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)


@pytest.fixture
def on_one_core():
    """From its call to the end of the test, everything runs on one core: worker processes take seconds to start."""
    cores = os.sched_getaffinity(0)
    yield lambda: os.sched_setaffinity(0, {min(cores)})
    os.sched_setaffinity(0, cores)


def kill_in(folder, journals, *words):
    """Start a real process, end it as a power cut would once it writes to one of the journals, and say how far they are."""
    command = [sys.executable, "-m", "sfumato", *words, "--run", "kept"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        while not any(log.stat().st_size > 60_000 for log in folder.glob(f"kept/{journals}/*-wal")):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        process.kill()
    return max(len(stored(path, patiently=True)) for path in folder.glob(f"kept/{journals}/journal.sqlite"))


def stored(path, *, patiently=False):
    """The generations in a journal; the workers of a process that was killed hold theirs a moment longer."""
    with closing(sqlite3.connect(path, timeout=300 if patiently else 0)) as base:
        return base.execute("SELECT number, seconds, outcomes FROM generations ORDER BY number").fetchall()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be chosen here")
def test_killed_in_the_attack_and_in_the_swaps_it_ends_with_the_same_files(run, tmp_path, on_one_core):
    learnt = kill_in(tmp_path, "rules-*", *PROTECT, "-o", "cut.parquet", "--attack-generations", ENDLESS)
    on_one_core()
    assert not (tmp_path / "kept" / "swaps").exists()
    learning = ("--attack-generations", str(learnt + 5))
    swapped = kill_in(tmp_path, "swaps", *PROTECT, "-o", "cut.parquet", *learning, "--generations", ENDLESS)
    assert not list(tmp_path.glob("cut.*"))
    known = stored(tmp_path / "kept" / "swaps" / "journal.sqlite")
    goal = (*learning, "--generations", str(swapped + 5))
    resumed = run(*PROTECT, "-o", "cut.parquet", *goal, "--run", "kept")
    assert resumed.exit_code == 0, resumed.output
    whole = run(*PROTECT, "-o", "whole.parquet", *goal, "--secret", "kept/secret.key")
    assert whole.exit_code == 0, whole.output
    for ending in FILES:
        assert (tmp_path / f"cut{ending}").read_bytes() == (tmp_path / f"whole{ending}").read_bytes()
    after = stored(tmp_path / "kept" / "swaps" / "journal.sqlite")
    assert after[: len(known)] == known and len(after) == swapped + 6 > len(known) > 0


def test_an_attack_is_kept_too(run, tmp_path):
    words = ("groups", "attack", "survey.parquet", *GROUP, *LEARNT, "--runs", "2", "--workers", "1", "--json")
    first = run(*words, "--generations", "3", "--run", "kept")
    known = [stored(tmp_path / "kept" / f"rules-{number}" / "journal.sqlite") for number in (0, 1)]
    resumed, whole = (run(*words, "--generations", "8", *more) for more in (("--run", "kept"), ()))
    assert [first.exit_code, resumed.exit_code, resumed.stdout] == [0, 0, whole.stdout]
    for number, generations in enumerate(known):
        after = stored(tmp_path / "kept" / f"rules-{number}" / "journal.sqlite")
        assert after[: len(generations)] == generations and len(after) == 9


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("--seed", "9"), "another seed"),
        (("--limit", "4"), "another limit"),
        (("--ordinal", "age"), "other attributes, or another metric"),
    ],
)
def test_the_folder_of_another_run_is_refused(run, tmp_path, change, says):
    words = (*COUNTED, "--hide", PAIR.planted[0], "--significance", "0.05")
    started = run(*words, "-o", "one.csv")
    assert started.exit_code in (0, 3), started.output  # so few generations need not hide it
    refused = run(*words, "-o", "other.csv", *change)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"Error: kept/swaps/journal.sqlite: holds a run with {says}")
    assert len(refused.stderr.splitlines()) == 1
    assert not list(tmp_path.glob("other.*"))


def test_another_file_is_refused(run, tmp_path):
    assert run(*COUNTED, "-o", "one.csv").exit_code in (0, 3)
    write_table(census_pair(6000, areas=12, planted=1, seed=2).survey, tmp_path / "survey.parquet")
    refused = run(*COUNTED, "-o", "other.csv")
    assert refused.exit_code == 2 and "holds a run with another file;" in refused.stderr


@pytest.mark.parametrize(
    "command", [("protect", "-o", "out.csv"), ("attack", "--auxiliary", "census.parquet")]
)
def test_a_run_folder_that_is_a_file_is_refused(run, command):
    result = run("groups", *command, "survey.parquet", *GROUP, "--run", "words.toml")
    assert result.exit_code == 2
    assert result.stderr == "Error: --run words.toml is a file: give the name of a folder.\n"
