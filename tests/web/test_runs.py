import json
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from run_examples import (
    SECRETS,
    at_end,
    evolution,
    group_of,
    kept_files,
    protection,
    wait_for,
    wait_for_rest,
    wait_till_gone,
    write_people,
)

from sfumato.cli import main
from sfumato.core import DataError, FileError
from sfumato.jobs import study_of
from sfumato.web.runs.events import EVENTS, read_events
from sfumato.web.runs.project_runs import ProjectRuns
from sfumato.web.runs.run_folder import STUDY
from sfumato.web.runs.run_lock import NUMBER, kill

PUBLIC = {"out.csv", "out.schema.toml", "out.about.html"}
KEPT = (
    "board.html",
    "order.csv",
    "record.json",
    "report.html",
    "risk-utility.svg",
    "schema.toml",
    "study.toml",
)
TIMED = {f"out.private/{name}" for name in ("record.json", "report.html", "study.toml")}  # and placed
FILES = PUBLIC | {f"out.private/{name}" for name in KEPT}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return write_people(tmp_path_factory.mktemp("data"))


@pytest.fixture
def runs(tmp_path):
    """Runs in a folder; what a test left at work is ended."""
    found = ProjectRuns(tmp_path / "runs")
    yield found
    for run in found.list():
        kill(found.path(run.id))
        wait_till_gone(found, run.id)
    found.list()


def undisturbed(job, folder):
    """The folder of the files that the command line makes of the study of a job."""
    folder.mkdir()
    study_of(job, folder=Path()).write(folder / "study.toml")
    made = CliRunner().invoke(main, ["run", str(folder / "study.toml"), "--workers", "1", "--quiet"])
    assert made.exit_code == 0, made.output
    return folder


def assert_same(runs, id, folder):
    """The release is the same to the last byte, and so is its record but for the times."""
    out = runs.path(id) / "out"
    for name in sorted(FILES - TIMED):
        assert (out / name).read_bytes() == (folder / name).read_bytes(), name
    assert record(out) == record(folder)


def record(folder):
    return json.loads(
        (folder / "out.private" / "record.json").read_text(),
        object_hook=lambda found: {k: v for k, v in found.items() if k not in ("seconds", "resumed")},
    )


def cut_off(runs, id):
    """End a run as a power cut would."""
    assert kill(runs.path(id))
    wait_till_gone(runs, id)
    return runs.state(id)


def test_two_runs_at_once_tell_of_themselves(runs, people, tmp_path):
    jobs = [protection(people, seed=seed) for seed in (1, 2)]
    first, second = (runs.start(job, label=f"try {i}", workers=1) for i, job in enumerate(jobs))
    assert first.state == "queued" and first.label == "try 0" and first.command == "protect"
    told = wait_for(runs, first.id, lambda state: state.task.startswith("Trying") and state.points)
    assert told.state == "running" and 0 <= told.done <= told.total
    ends = [at_end(runs, run.id) for run in (first, second)]
    assert [run.id for run in runs.list()] == [second.id, first.id]
    for end, job in zip(ends, jobs, strict=True):
        assert (end.state, end.error, set(end.files)) == ("finished", "", FILES)
        assert end.created < end.started < end.finished
        assert any("taking" in note or "left out" in note for note in end.notes)
        found = record(runs.path(end.id) / "out")
        assert end.summary["spec"] == found["chosen"]["masking"]
        whole = [point for point in runs.points(end.id) if point["part"] == "all"]
        assert len(whole) == len(found["candidates"])
        assert {point["score"] for point in whole} == {max(p["loss"], p["risk"]) for p in whole}
        assert runs.job(end.id) == runs.repeated(end.id) == job
        json.dumps(end.to_dict(), allow_nan=False)
    assert_same(runs, second.id, undisturbed(jobs[1], tmp_path / "alone"))
    for path, content in kept_files(runs.path(first.id)).items():
        assert not any(secret in content for secret in SECRETS), path


def test_a_pause_lets_every_process_rest_and_a_stop_keeps_the_best(runs, people):
    id = runs.start(evolution(people, generations=10_000_000), workers=2).id
    wait_for(runs, id, lambda state: state.task == "Evolving" and state.points > 1)
    runs.pause(id)
    wait_for(runs, id, lambda state: state.state == "paused")
    processes = group_of(runs, id)
    assert len(processes) >= 3
    wait_for_rest(processes)
    events = read_events(runs.path(id) / EVENTS, 0)[1]
    wait_for_rest(processes)
    assert read_events(runs.path(id) / EVENTS, events) == ([], events)
    runs.resume(id)
    wait_for(
        runs,
        id,
        lambda state: state.state == "running" and read_events(runs.path(id) / EVENTS, 0)[1] > events + 100,
    )
    assert runs.stop(id).state == "stopping"
    end = at_end(runs, id)
    assert (end.state, end.error, set(end.files)) == ("stopped", "", FILES)
    assert end.summary["generations"] == max(point["generation"] for point in runs.points(id))
    assert runs.study(id).settings["generations"] == end.summary["generations"]
    assert runs.job(id) == evolution(people, generations=10_000_000)


def test_a_pause_hands_out_no_more_candidates(runs, people):
    id = runs.start(protection(people, methods=("mdav", "noise", "pram", "rank_swapping")), workers=2).id
    wait_for(runs, id, lambda state: state.points >= 2)
    runs.pause(id)
    wait_for(runs, id, lambda state: state.state == "paused")
    processes = group_of(runs, id)
    wait_for_rest(processes)
    points = runs.state(id).points
    wait_for_rest(processes)
    assert runs.state(id).points == points
    assert len(processes) >= 3
    assert (
        cut_off(runs, id).state == "paused"
    )  # with its workers, and as the user left it until it is resumed
    assert runs.recover() == []


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(lambda people: protection(people, evolve="12g"), id="protect"),
        pytest.param(lambda people: evolution(people, generations=60), id="evolve", marks=pytest.mark.slow),
    ],
)
def test_a_run_that_was_killed_gives_the_same_bytes(runs, people, tmp_path, job):
    asked = job(people)
    id = runs.start(asked, workers=1).id
    if asked.name == "protect":
        wait_for(runs, id, lambda state: state.points >= 3)
        assert cut_off(runs, id).state == "interrupted"
        assert [run.state for run in runs.recover()] == ["queued"]
    wait_for(runs, id, lambda state: any(point["generation"] for point in runs.points(id)))
    assert "resume it" in cut_off(runs, id).error
    known = runs.points(id)
    assert [run.state for run in runs.recover()] == ["queued"]
    assert at_end(runs, id).state == "finished"
    assert runs.points(id)[: len(known)] == known
    assert_same(runs, id, undisturbed(asked, tmp_path / "alone"))


SERVER = """
import os, pathlib, signal, sys
from sfumato.jobs.protect import Protect
from sfumato.web.runs.project_runs import ProjectRuns

folder, people = map(pathlib.Path, sys.argv[1:])
job = Protect(file=people, keys=["age", "town"], methods=["mdav", "pram"], output="out.csv")
print(ProjectRuns(folder).start(job, workers=1).id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_run_outlives_its_server(runs, people):
    command = [sys.executable, "-c", SERVER, str(runs.folder), str(people)]
    server = subprocess.run(command, capture_output=True, text=True, check=False)
    assert server.returncode == -signal.SIGKILL
    id = server.stdout.strip()
    assert runs.recover() == []  # it is alive: there is nothing to start again
    end = at_end(runs, id)
    assert (end.state, end.error) == ("finished", "")


def test_a_stop_before_there_is_a_best_can_be_resumed_and_a_second_one_ends_it(runs, people):
    id = runs.start(protection(people, evolve="10000000g", methods=("mdav", "pram")), workers=1).id
    wait_for(runs, id, lambda state: state.points >= 1)
    runs.stop(id)
    end = at_end(runs, id)
    assert (end.state, end.files) == ("stopped", ())
    with pytest.raises(DataError, match="over"):
        runs.pause(id)
    runs.resume(id)
    wait_for(runs, id, lambda state: any(point["generation"] for point in runs.points(id)))
    process = psutil.Process(int((runs.path(id) / NUMBER).read_text()))
    process.suspend()  # so that it cannot end after the first one
    runs.stop(id)
    runs.stop(id)
    process.resume()
    end = at_end(runs, id)
    assert (end.state, end.error, end.files) == ("stopped", "", ())
    assert list((runs.path(id) / "scratch").iterdir()) == []


def test_what_cannot_be_run_says_why(runs, people):
    refused = runs.start(protection(people, methods=("mdva",)))
    unmet = runs.start(protection(people, masking="mdav", methods=(), require=["k >= 100"]))
    unknown = runs.start(protection(people))
    runs.stop(unknown.id)
    at_end(runs, unknown.id)
    study = runs.path(unknown.id) / STUDY
    study.write_text(study.read_text().replace('"protect"', '"protekt"'))
    runs.resume(unknown.id)
    ends = [at_end(runs, run.id) for run in (refused, unknown, unmet)]
    assert [end.state for end in ends] == ["failed"] * 3 and not any(end.files for end in ends)
    assert "Did you mean mdav?" in ends[0].error
    assert ends[1].error == "study.toml: unknown command 'protekt'. Did you mean protect?"
    assert "does not meet all of k_anonymity.smallest >= 100 (it reaches" in ends[2].error
    runs.remove(refused.id)
    assert {run.id for run in runs.list()} == {unknown.id, unmet.id}
    with pytest.raises(FileError, match="no such run"):
        runs.state(refused.id)


def test_a_run_at_work_is_not_removed(runs, people):
    id = runs.start(evolution(people, generations=10_000_000), workers=1).id
    with pytest.raises(DataError, match="stop it before"):
        runs.remove(id)
    assert runs.path(id).is_dir()
