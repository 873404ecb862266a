import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sfumato.core import DataError, ParameterError, SfumatoError
from sfumato.parallel import Workers
from sfumato.parallel.shared_file import attach, shared_file


def total(shared: np.ndarray, factor: int) -> float:
    return float(shared.sum() * factor)


def writeable(shared: np.ndarray, _: int) -> bool:
    return bool(shared.flags.writeable)


def fail(_: np.ndarray, job: int) -> int:
    raise DataError(f"job {job} is wrong")


def die_once(folder: str, job: int) -> int:
    """Kill the worker the first time job 2 is tried."""
    mark = Path(folder) / "died"
    if job == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return job * job


def die(_: str, job: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return job


def linger(folder: str, seconds: float) -> float:
    """A job that asks nobody whether it is still wanted."""
    Path(folder, f"{seconds:g} begun").touch()
    time.sleep(seconds)
    Path(folder, f"{seconds:g} ended").touch()
    return seconds


def run(function, jobs, shared, count):
    with Workers(shared, count) as workers:
        return list(workers.run(function, jobs))


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_any_number_of_workers_gives_the_same_results(workers):
    values = np.arange(1000.0)
    outcomes = dict(run(total, [1, 2, 3, 4], values, workers))
    assert outcomes == {0: 499500.0, 1: 999000.0, 2: 1498500.0, 3: 1998000.0}


def test_workers_see_the_data_but_cannot_change_them():
    assert not any(found for _, found in run(writeable, [1, 2], np.arange(9), 2))


def test_jobs_of_a_dead_worker_are_run_again(tmp_path):
    outcomes = dict(run(die_once, [0, 1, 2, 3, 4], str(tmp_path), 2))
    assert outcomes == {0: 0, 1: 1, 2: 4, 3: 9, 4: 16}
    assert (tmp_path / "died").exists()


def test_a_job_that_kills_every_worker_is_given_up():
    with pytest.raises(SfumatoError, match="Worker processes died 3 times"):
        run(die, [1, 2], "", 2)


@pytest.mark.parametrize("workers", [1, 2])
def test_errors_of_jobs_reach_the_caller(workers):
    with pytest.raises(DataError, match=r"job \d is wrong"):
        run(fail, [1, 2, 3], np.zeros(1), workers)


@pytest.mark.parametrize("workers", [0, -1])
def test_at_least_one_worker(workers):
    with pytest.raises(ParameterError, match="workers must be an integer of at least 1"):
        run(total, [1], np.zeros(1), workers)


def test_workers_take_several_rounds():
    with Workers(np.arange(4.0), 2) as workers:
        first = dict(workers.run(total, [1, 2]))
        second = dict(workers.run(total, [3, 4]))
    assert (first, second) == ({0: 6.0, 1: 12.0}, {0: 18.0, 1: 24.0})


def test_stopping_early_leaves_no_process():
    with Workers(np.arange(4.0), 2) as workers:
        next(workers.run(total, list(range(50))))
    assert not multiprocessing.active_children()


def test_after_an_error_nobody_waits_for_jobs_under_way(tmp_path):
    with pytest.raises(ZeroDivisionError), Workers(str(tmp_path), 2) as workers:
        found = workers.run(linger, [0, 30])
        assert next(found) == (0, 0)
        while not (tmp_path / "30 begun").exists():
            time.sleep(0.01)
        1 / 0  # noqa: B018
    assert not multiprocessing.active_children()
    assert not (tmp_path / "30 ended").exists()


def test_shared_values_survive_and_leave_nothing_behind():
    value = {"a": np.arange(5, dtype=np.int8), "b": np.random.default_rng(1).normal(size=(7, 3)), "c": "text"}
    with shared_file(value) as path:
        back = attach(path)
        assert back["a"].tolist() == value["a"].tolist()
        assert np.array_equal(back["b"], value["b"])
        assert back["b"].ctypes.data % 64 == 0
        assert back["c"] == "text"
    assert not path.parent.exists()


def test_workers_end_when_their_parent_is_killed():
    orphaning = (
        "import os, time\n"
        "from sfumato.parallel import Workers\n"
        "if __name__ == '__main__':\n"
        "    workers = Workers(1, 2)\n"
        "    list(workers.run(pow, [1, 2]))\n"
        "    print(*workers._pools[None]._processes, flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", orphaning], stdout=subprocess.PIPE, text=True) as parent:
        children = [int(word) for word in parent.stdout.readline().split()]
        parent.kill()
    assert len(children) == 2
    until = time.monotonic() + 20
    while any(map(_lives, children)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(_lives, children))


def _lives(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _process_and_job(shared, job):
    return os.getpid()


def test_jobs_on_the_same_thing_go_to_the_same_process_and_nobody_is_idle():
    with Workers(None, 2) as workers:
        first = dict(workers.run(_process_and_job, [0, 1], [10, 11]))
        again = dict(workers.run(_process_and_job, [0, 1], [11, 10]))
        alone = dict(workers.run(_process_and_job, [0], [11]))
        crowded = dict(workers.run(_process_and_job, [0, 1], [10, 12]))
    assert first[0] != first[1]
    assert (again[0], again[1]) == (first[1], first[0])
    assert alone[0] == first[1]
    assert len(set(crowded.values())) == 2
