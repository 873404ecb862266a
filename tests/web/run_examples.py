"""What the tests of runs share: a small file to protect, jobs on it, and waiting for what a process does."""

import os
import subprocess
import time
from pathlib import Path

import numpy as np

from sfumato.jobs.evolve import Evolve
from sfumato.jobs.protect import Protect
from sfumato.web.runs.run_lock import NUMBER, is_held

SECRETS = (b"Zaunkoenig", b"Nirgendheim", b"98765.25")  # values of one record only
PATIENCE = 300.0


def write_people(folder, n=120):
    """A file of people, one of them marked: a name, a town and an income that nobody else has."""
    rng = np.random.default_rng(1)
    towns = ["Aadorf", "Bern", "Chur", "Davos", "Egg"]
    people = [
        [f"person {i}", str(rng.integers(18, 90)), towns[rng.integers(5)], f"{rng.lognormal(10, 1):.2f}"]
        for i in range(n)
    ]
    people[7] = [SECRETS[0].decode(), "44", SECRETS[1].decode(), SECRETS[2].decode()]
    lines = ["name,age,town,income", *(",".join(person) for person in people)]
    path = folder / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def protection(path, **settings):
    """A job that protects the people, without the verdict on it, which takes long."""
    given = {"file": path, "output": "out.csv", "key": ["age", "town", "income"], "seed": 5, "verdict": False}
    return Protect.from_settings({**given, "methods": ["mdav", "noise", "pram"], **settings})


def evolution(path, **settings):
    """A job that evolves versions of the people, without the verdict on them."""
    given = {
        "file": path,
        "output": "out.csv",
        "key": ["age", "income"],
        "seed": 5,
        "preset": "fast",
        "verdict": False,
    }
    return Evolve.from_settings({**given, "methods": ["mdav", "rank_swapping"], **settings})


def wait_for(runs, id, condition):
    """The state of a run as soon as a condition holds."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        state = runs.state(id)
        if condition(state):
            return state
        assert not state.is_over, state
        time.sleep(0.02)
    raise AssertionError(f"waited in vain: {state}")


def at_end(runs, id):
    """The state of a run when it is over and its processes have gone."""
    wait_for(runs, id, lambda state: state.is_over)
    wait_till_gone(runs, id)
    return runs.state(id)


def wait_till_gone(runs, id):
    """Wait for the end of all processes of a run."""
    end = time.monotonic() + PATIENCE
    while group_of(runs, id) or is_held(runs.path(id)):
        assert time.monotonic() < end, "processes are left"
        time.sleep(0.1)  # listing all processes takes long


def group_of(runs, id):
    """The living processes of a run: its own and its workers'."""
    listed = subprocess.run(["ps", "-eo", "pid=,pgid=,stat="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in listed.stdout.splitlines()]
    number = runs.path(id) / NUMBER
    wanted = number.read_text() if number.exists() else ""
    return [int(pid) for pid, group, stat in rows if group == wanted and not stat.startswith("Z")]


def seconds_used(processes):
    """Processor time of some processes so far."""
    used = 0
    for process in processes:
        after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        used += int(after_name[11]) + int(after_name[12])
    return used / os.sysconf("SC_CLK_TCK")


def wait_for_rest(processes):
    """Wait for a second in which some processes do next to nothing."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        before = seconds_used(processes)
        time.sleep(1.0)
        if seconds_used(processes) - before < 0.1:
            return
    raise AssertionError("they do not rest")


def kept_files(folder, *, beside="out"):
    """Every file of a run but what it released, with its bytes."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in found if path.relative_to(folder).parts[0] != beside}
