"""What a system without POSIX must still do, in real processes from which POSIX was taken away."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.data import write_table
from sfumato.datasets import household_survey

LIKE_WINDOWS = Path(__file__).parent / "windows_like"
SECRET = "5f" * 32
RUN = """
import sys, time
from pathlib import Path
from sfumato.jobs.protect import Protect
from sfumato.web.runs.project_runs import ProjectRuns
from sfumato.web.runs.run_lock import is_held, kill
folder, people = map(Path, sys.argv[1:])
runs = ProjectRuns(folder)

def at_end(id):
    while not (state := runs.state(id)).is_over or is_held(runs.path(id)):
        time.sleep(0.05)
    return state

settings = {"file": people, "output": "out.csv", "methods": ["mdav", "pram"], "policy": "none", "seed": 5, "verdict": False}
done = at_end(runs.start(Protect.from_settings(settings), workers=1).id)
assert (done.state, done.error) == ("finished", ""), done
endless = runs.start(Protect.from_settings({**settings, "evolve": "10000000g"}), workers=1).id
while not runs.points(endless):
    time.sleep(0.05)
assert is_held(runs.path(endless))
runs.stop(endless)
assert at_end(endless).state == "stopped"
runs.resume(endless)
while not any(point["generation"] for point in runs.points(endless)):
    time.sleep(0.05)
assert kill(runs.path(endless))
while is_held(runs.path(endless)):
    time.sleep(0.05)
assert runs.state(endless).state == "interrupted"
runs.remove(endless)
print("from start to stop")
"""


@pytest.fixture(scope="module")
def environment():
    path = os.pathsep.join([str(LIKE_WINDOWS), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "LIKE_WINDOWS": "1"}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    file = tmp_path_factory.mktemp("survey") / "Survey.csv"
    write_table(household_survey(80, seed=1).select(["region", "age", "sex", "income"]), file)
    return file


def python(environment, folder, *words, status=0):
    found = subprocess.run(
        [sys.executable, *map(str, words)], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert found.returncode == status, found.stderr
    return found


def test_posix_is_gone_there(environment, tmp_path):
    code = (
        "import os\n"
        "exec('import fcntl', {'__name__': 'json'})\n"
        "try: exec('import fcntl', {'__name__': 'sfumato.core'})\n"
        "except ImportError: print('gone')\n"
        "from sfumato.core import file_locks; print(file_locks.CAN_SHARE)"
    )
    assert python(environment, tmp_path, "-c", code).stdout.split() == ["gone", "False"]


FEW = ["--no-verdict", "--workers", "1"]
JOBS = {
    "masked.csv": ["mask", "--method", "mdav(k=4)"],
    "protected.csv": ["protect", "--masking", "pram", "--policy", "none"],
    "evolved.csv": ["evolve", *FEW, "--generations", "3", "--run", "evolving"],
}


def made(environment, folder, people, names=tuple(JOBS)):
    """What some jobs write into a folder."""
    folder.mkdir()
    (folder / "key").write_text(SECRET)
    for name in names:
        job, *options = JOBS[name]
        python(environment, folder, "-m", "sfumato", job, people, *options, "--secret", "key", "-o", name)
    return {name: (folder / name).read_bytes() for name in names}


def test_a_file_is_evolved_and_goes_on(environment, people, tmp_path):
    folder = tmp_path / "here"
    made(environment, folder, people, ["evolved.csv"])
    again = ["evolve", people, *FEW, "--generations", "6", "--run", "evolving", "-o", "again.csv"]
    python(environment, folder, "-m", "sfumato", *again)
    assert (folder / "again.csv").exists()
    assert not list(folder.rglob(".sfumato-*"))


@pytest.mark.slow
def test_files_are_masked_protected_and_evolved_as_elsewhere(environment, people, tmp_path):
    assert made(environment, tmp_path / "windows", people) == made(os.environ, tmp_path / "posix", people)


def test_a_run_of_the_workbench_goes_from_start_to_stop(environment, people, tmp_path):
    assert (
        python(environment, tmp_path, "-c", RUN, tmp_path / "runs", people).stdout.strip()
        == "from start to stop"
    )


def test_the_home_of_the_workbench_opens(environment, tmp_path):
    words = ["-m", "sfumato", "web", "--home", str(tmp_path / "home"), "--folder", str(tmp_path)]
    server = subprocess.Popen([sys.executable, *words], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert any("http://127.0.0.1" in line for line in server.stdout)
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def test_a_name_that_differs_by_case_is_the_same_file_where_the_disk_says_so(people, tmp_path, monkeypatch):
    """On disks that ignore case an output must not replace the input."""
    (tmp_path / "survey.csv").hardlink_to(people)
    found = python(
        os.environ,
        tmp_path,
        "-m",
        "sfumato",
        "mask",
        people,
        "--method",
        "mdav",
        "-o",
        "survey.csv",
        status=2,
    )
    assert "input" in found.stderr or "original" in found.stderr
