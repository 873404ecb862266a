"""Files worked on from disk, through the command line: small files, with as little memory allowed."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.cli.command import show
from sfumato.core import FileError
from sfumato.data import Schema, read_table, write_table
from sfumato.datasets import household_survey
from sfumato.jobs import _work
from sfumato.jobs.evaluate import Evaluation
from sfumato.measures import Estimate, Score
from sfumato.parallel import crew
from sfumato.parallel.crews import check_shared

LITTLE = ("--memory", "50KB", "--workers", "1")
PEOPLE = household_survey(400)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A file with its schema inside, the same in parts, and one without a schema; blocks are small."""
    monkeypatch.setattr(_work, "BLOCK", 150)
    write_table(PEOPLE, tmp_path / "in.parquet")
    arrow = pq.read_table(tmp_path / "in.parquet")
    pq.write_table(arrow.replace_schema_metadata(), tmp_path / "bare.parquet", row_group_size=70)
    (tmp_path / "parts").mkdir()
    for i, start in enumerate(range(0, 400, 130)):
        pq.write_table(arrow.slice(start, 130), tmp_path / "parts" / f"{i}.parquet")
    return tmp_path


def names(folder):
    return {path.name for path in folder.iterdir()} - {"in.parquet", "bare.parquet", "parts"}


def test_mask_works_from_disk_and_leaves_nothing_else(run, folder):
    result = run(
        "mask", "in.parquet", "-m", "mdav_generic", "--missing", "category", "-o", "out.parquet", *LITTLE
    )
    assert result.exit_code == 0, result.output
    assert "of memory, more than 50 KB: working from disk." in result.stderr
    assert names(folder) == {"out.parquet", "out.schema.toml", "out.about.html", "out.private"}
    masked = read_table(folder / "out.parquet", schema=Schema.read(folder / "out.schema.toml"))
    assert masked.n == 400 and "person_id" not in masked.names
    keys = PEOPLE.schema.with_role("key")
    assert masked["income"].tolist() == pytest.approx(PEOPLE["income"].tolist(), nan_ok=True)
    rows = np.column_stack([masked[name] for name in keys])
    assert np.unique(rows, axis=0, return_counts=True)[1].min() >= 5
    assert pq.ParquetFile(folder / "out.parquet").num_row_groups == 3
    assert result.stdout.startswith("mdav_generic\n400 records.\n  Goes out:\n    out.parquet ")
    judged = run("evaluate", "in.parquet", "out.parquet", *LITTLE)
    assert "information_loss" in judged.stdout and "k_anonymity" in judged.stdout


def test_mask_gives_the_same_file_on_any_crew_and_from_parts(run, folder):
    (folder / "s.toml").write_text(PEOPLE.schema.to_toml())

    def masked(source, *means):
        words = ("mask", source, "-m", "mdav", "--attributes", "age,hours", "-o", "out.parquet", "--quiet")
        result = run(*words, "--schema", "s.toml", "--seed", "7", "--memory", "50KB", *means)
        assert result.exit_code == 0, result.output
        return (folder / "out.parquet").read_bytes()

    expected = masked("in.parquet", "--workers", "1")
    assert masked("parts", "--workers", "2") == expected
    assert masked("in.parquet", "--workers", "2", "--cluster", "local", "--memory", "40KB") == expected
    assert names(folder) == {"out.parquet", "out.schema.toml", "out.about.html", "out.private", "s.toml"}


def test_columns_are_chosen_as_in_memory(run, folder):
    base = ("mask", "bare.parquet", "-m", "rank_swapping", "-o", "out.parquet", "--json")
    disk, memory = run(*base, *LITTLE), run(*base)
    assert disk.exit_code == memory.exit_code == 0, disk.output
    assert json.loads(disk.stdout)["method"] == json.loads(memory.stdout)["method"]
    note = next(line for line in memory.stderr.splitlines() if "no schema given" in line)
    assert note in disk.stderr


def test_a_folder_that_fits_is_read_into_memory(run, folder):
    result = run("mask", "parts", "-m", "mdav", "-o", "out.csv", "--seed", "1")
    assert result.exit_code == 0, result.output
    assert "from disk" not in result.stderr
    masked = (folder / "out.csv").read_bytes()
    run("mask", "in.parquet", "-m", "mdav", "-o", "out.csv", "--seed", "1")
    assert (folder / "out.csv").read_bytes() == masked
    assert run("evaluate", "parts", "out.csv").exit_code == run("evaluate", "out.csv", "parts").exit_code == 0
    assert "parts: 400 records" in run("describe", "parts").stdout


def test_evaluate_from_disk_agrees_with_memory(run, folder):
    run("mask", "in.parquet", "-m", "pram", "-o", "out.parquet", *LITTLE)
    words = ("evaluate", "in.parquet", "out.parquet", "--json")
    disk, memory = run(*words, *LITTLE), run(*words)
    assert disk.exit_code == 0, disk.output
    found, expected = (json.loads(result.stdout)["scores"] for result in (disk, memory))
    assert {"information_loss", "disclosure_risk", "k_anonymity", "distance_linkage"} <= set(found)
    for name, score in found.items():
        assert score["value"] == pytest.approx(expected[name]["value"], rel=1e-9), name


def test_evaluate_widens_the_schema_of_a_bare_file(run, folder):
    """Categories that the original lacks could each be any, from disk as in memory."""
    arrow = pq.read_table(folder / "bare.parquet")
    at = arrow.column_names.index("region")
    regions = pa.array(["somewhere" if i % 5 == 0 else v for i, v in enumerate(arrow["region"].to_pylist())])
    masked = arrow.set_column(at, "region", regions).append_column("extra", pa.array([1] * 400))
    pq.write_table(masked, folder / "masked.parquet")
    words = ("evaluate", "in.parquet", "masked.parquet", "--json")
    disk, memory = run(*words, *LITTLE), run(*words)
    assert disk.exit_code == 0, disk.output
    for sentence in (
        "the original has no column extra; not compared",
        "1 categories are unknown to the original",
    ):
        assert sentence in disk.stderr and sentence in memory.stderr
    found, expected = (json.loads(result.stdout)["scores"] for result in (disk, memory))
    for name, score in found.items():
        assert score["value"] == pytest.approx(expected[name]["value"], rel=1e-9), name


def test_estimates_are_printed_as_such(capsys):
    sure = Score(measure="sse", value=3.0, parts={}, seconds=0.0)
    guess = Estimate(
        measure="distance_linkage", value=2.0, parts={}, seconds=0.0, low=1.75, high=2.25, sample=10_000
    )
    scores = {"sse": sure, "distance_linkage": guess}
    show(Evaluation(scores=scores, senses={"sse": "loss", "distance_linkage": "risk"}), [], as_json=False)
    shown = capsys.readouterr().out
    assert "estimated from 10,000 records, 95 % interval 1.75 to 2.25" in shown
    assert shown.count("estimated") == 1


@pytest.mark.usefixtures("drawn")
def test_protect_searches_a_sample_and_releases_the_whole_file(run, folder):
    words = ("protect", "in.parquet", "--methods", "mdav_generic", "--require", "k >= 5", "--sample", "200")
    result = run(*words, "-o", "out.parquet", *LITTLE)
    assert result.exit_code == 0, result.output
    assert "tried on 200 of 400 records: mdav_generic" in result.stdout
    assert "required k_anonymity.smallest >= 5: on the whole file it is" in result.stdout
    assert names(folder) == {"out.parquet", "out.schema.toml", "out.about.html", "out.private"}
    released = read_table(folder / "out.parquet")
    assert released.n == 400 and "person_id" not in released.names
    keys = released.schema.with_role("key")
    rows = np.column_stack([released[name] for name in keys])
    smallest = int(np.unique(rows, axis=0, return_counts=True)[1].min())
    record = json.loads((folder / "out.private/record.json").read_text())
    assert record["gates"] == [{"gate": "k_anonymity.smallest >= 5", "reading": smallest, "holds": True}]
    assert record["original"]["records"] == record["release"]["records"] == 400
    assert record["sample"]["records"] == 200
    report = (folder / "out.private/report.html").read_text()
    assert "400 records and 13 columns released" in report  # without household numbers
    assert "judged on a random sample of 200 records" in report
    assert "whole release" in (folder / "out.private/risk-utility.svg").read_text()
    again = run("evaluate", "in.parquet", "out.parquet", "--json")
    values = {name: score["value"] for name, score in record["evaluation"]["scores"].items()}
    for name, score in json.loads(again.stdout)["scores"].items():
        if name in values:
            assert values[name] == pytest.approx(score["value"], rel=1e-9), name


def test_protect_that_cannot_meet_a_gate_writes_nothing(run, folder):
    words = ("protect", "in.parquet", "--methods", "rank_swapping", "--require", "k >= 50", "--sample", "150")
    result = run(*words, "-o", "out.parquet", *LITTLE)
    assert result.exit_code == 3, result.output
    assert (
        "on the whole file, k_anonymity.smallest >= 50 (it reaches 1); nothing was written" in result.stderr
    )
    assert names(folder) == set()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("protect", "in.parquet", "-o", "out.parquet", "--evolve", "5g"), "--evolve works in memory"),
        (
            ("protect", "in.parquet", "-o", "out.parquet", "--group-attributes", "3"),
            "--group-attributes works",
        ),
        (
            ("protect", "in.parquet", "-o", "o.parquet", "--require", "propensity <= 5"),
            "propensity needs all records",
        ),
        (("mask", "in.parquet", "-m", "pram", "-o", "out.csv"), "is written as Parquet; use .parquet"),
        (("mask", "in.parquet", "-m", "shuffling", "-o", "out.parquet"), "needs all records in memory"),
        (
            ("mask", "in.csv", "-m", "pram", "-o", "out.csv"),
            "convert it to Parquet, which is worked on from disk",
        ),
        (("evaluate", "in.parquet", "in.csv"), "convert it to Parquet"),
        (
            ("mask", "in.parquet", "-m", "pram", "-o", "o.parquet", "--work", "in.csv"),
            "give the name of a folder",
        ),
        (
            ("mask", "in.parquet", "-m", "pram", "-o", "o.parquet", "--memory", "lots"),
            "memory must be a size: a number with KB, MB, GB or TB, such as 2GB",
        ),
        (
            ("mask", "in.parquet", "-m", "pram", "-o", "o.parquet", "--keep", "nobody"),
            "Unknown column 'nobody'",
        ),
    ],
)
def test_refusals_are_one_sentence_and_leave_nothing(run, folder, words, sentence):
    write_table(PEOPLE, folder / "in.csv")
    result = run(*words, *([] if "lots" in words else LITTLE))
    assert result.exit_code == 2, result.output
    error = [line for line in result.stderr.splitlines() if not line.startswith("Note: ")]
    assert len(error) == 1 and sentence in error[0]
    assert names(folder) == {"in.csv"}


def test_bad_values_are_refused_as_in_memory(run, folder):
    schema = PEOPLE.schema.replace([PEOPLE.schema["age"].evolve(high=60.0)])
    (folder / "s.toml").write_text(schema.to_toml())
    words = ("mask", "in.parquet", "-m", "mdav", "-o", "out.parquet", "--schema", "s.toml")
    disk, memory = run(*words, *LITTLE), run(*words)
    assert disk.exit_code == memory.exit_code == 2
    assert disk.stderr.splitlines()[-1] == memory.stderr.splitlines()[-1]
    assert "column age, row" in disk.stderr


def test_a_work_folder_is_kept_and_used_again(run, folder):
    words = ("mask", "in.parquet", "-m", "mdav", "--work", "kept", *LITTLE)
    first = run(*words, "-o", "one.parquet")
    assert first.exit_code == 0, first.output
    blocks = {path: path.stat().st_mtime_ns for path in (folder / "kept").rglob("*.arrow")}
    assert len(blocks) == 9  # of the table, masked, and as it goes out
    second = run(*words, "-o", "two.parquet")
    assert second.exit_code == 0, second.output
    assert {path: path.stat().st_mtime_ns for path in (folder / "kept").rglob("*.arrow")} == blocks
    assert (folder / "one.parquet").read_bytes() == (folder / "two.parquet").read_bytes()


def test_describe_counts_the_keys_of_the_whole_file(run, folder):
    disk, memory = (
        json.loads(run("describe", "bare.parquet", "--json", *means).stdout) for means in (LITTLE, ())
    )
    assert disk["keys"].pop("attributes") == memory["keys"].pop("attributes")
    assert disk["keys"] == pytest.approx(memory["keys"])
    assert disk["columns"] == memory["columns"]
    result = run("describe", "bare.parquet", "--save-schema", "s.toml", *LITTLE)
    assert result.exit_code == 0, result.output
    assert Schema.read(folder / "s.toml") == read_table(folder / "bare.parquet").schema


def test_workers_that_do_not_see_the_folder_are_named(tmp_path, monkeypatch):
    """After the workers have started in one place, a relative path leads us elsewhere."""
    (tmp_path / "here").mkdir()
    with crew(None, workers=2, cluster="local") as workers:
        check_shared(tmp_path, workers)
        monkeypatch.chdir(tmp_path / "here")
        with pytest.raises(
            FileError, match=r"do not see folder .*: give a folder on storage that all of them share"
        ):
            check_shared(tmp_path.relative_to(tmp_path), workers)
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ("mask", "data/in.parquet", "-m", "pram", "-o", "out/o.parquet"),
        ("evaluate", "data/in.parquet", "data/in.parquet"),
        ("describe", "data/in.parquet"),
    ],
    ids=lambda words: words[0],
)
def test_files_on_the_way_lie_beside_what_is_written_or_else_read(run, folder, words, monkeypatch):
    made = []
    make = _work.temporary_folder

    def noted(*inside):
        made.append(*inside)
        return make(*inside)

    monkeypatch.setattr(_work, "temporary_folder", noted)
    (folder / "out").mkdir()
    (folder / "data").mkdir()
    (folder / "in.parquet").rename(folder / "data" / "in.parquet")
    result = run(*words, *LITTLE)
    assert result.exit_code == 0, result.output
    place = folder / ("out" if "-o" in words else "data")
    assert made == [place]
    assert not list(folder.rglob(".sfumato-*"))


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [
        (signal.SIGINT, 130, "Error: Stopped by Ctrl-C; no file is left half-written."),
        (signal.SIGTERM, 143, "Error: Ended by signal SIGTERM; no file is left half-written."),
    ],
)
def test_signals_leave_nothing_half_written(folder, number, status, said):
    words = (
        "mask",
        "in.parquet",
        "-m",
        "mdav_generic",
        "-o",
        "out.parquet",
        "--memory",
        "50KB",
        "--workers",
        "2",
    )
    job = subprocess.Popen(
        [sys.executable, "-m", "sfumato", *words],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "default"},
    )
    deadline = time.monotonic() + 300
    while not list(folder.glob(".sfumato-*/*")) and time.monotonic() < deadline and job.poll() is None:
        time.sleep(0.01)
    job.send_signal(number)
    _, error = job.communicate(timeout=300)
    assert job.returncode == status, error
    assert error.splitlines()[-1] == said
    assert names(folder) == set()


def test_who_lives_together_is_not_released_where_members_would_contradict_each_other(run, folder):
    words = ("mask", "in.parquet", *LITTLE)
    for method, shown in (
        (("pram", "--attributes", "region"), False),
        (("pram", "--attributes", "sex"), True),
    ):
        result = run(*words, "-o", f"{shown}.parquet", "-m", *method)
        assert result.exit_code == 0, result.output
        schema = Schema.read(folder / f"{shown}.schema.toml")
        assert ("household" in schema) == shown
        assert ("released records make up no households" in result.stderr) != shown
