import logging
import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import psutil
import pytest
from dask import config

from sfumato.core import Cancelled, DataError, MissingExtraError, ParameterError, SfumatoError
from sfumato.parallel import Workers, crew, dask_client, worker_data
from sfumato.parallel.cluster import BATCH_SECONDS, Cluster, batch_count
from sfumato.parallel.threads import VARIABLE, thread_count

ELSEWHERE = """
import sys
{first}
from distributed import LocalCluster
with LocalCluster(
    n_workers={workers}, threads_per_worker=2, processes=False, protocol="tcp://", host="127.0.0.1",
    silence_logs=50, scheduler_kwargs={{"dashboard": False, "dashboard_address": "127.0.0.1:0"}},
) as cluster:
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""

INTERRUPTED = """
from parallel.test_cluster import nap, Cluster
if __name__ == "__main__":
    with Cluster(0, workers=2) as cluster:
        print(*[nanny.pid for nanny in cluster._client.cluster.workers.values()], flush=True)
        list(cluster.run(nap, [60, 60]))
"""


class Remembering:
    """Data that keep something between jobs."""

    def __init__(self, values):
        self.values, self.calls = values, 0

    def __getstate__(self):
        return {"values": self.values, "calls": 0}


class UntransportableError(Exception):
    def __init__(self, one, two):
        super().__init__(one)


def scaled(shared, factor):
    return float(shared.values.sum() * factor)


def remembered(shared, _):
    shared.calls += 1
    time.sleep(0.01)
    return os.getpid(), id(shared), shared.calls


def surroundings(shared, _):
    return os.getpid(), thread_count(), os.environ.get(VARIABLE), bool(shared.values.flags.writeable)


def nap(_, seconds):
    time.sleep(seconds)
    return seconds


def size(_, job):
    return len(job)


def nap_somewhere(_, seconds):
    time.sleep(seconds)
    return os.getpid()


def fail_at_three(_, job):
    if job == 3:
        raise DataError("job 3 is wrong")
    return job


def fail_badly(_, job):
    raise UntransportableError(job, job)


def die(_, job):
    os.kill(os.getpid(), signal.SIGKILL)


def held_here():
    return len(worker_data._here)


def nannies(cluster):
    return list(cluster._client.cluster.workers.values())


@pytest.fixture(scope="module")
def cluster():
    with Cluster(Remembering(np.arange(1000.0)), workers=2) as started:
        yield started


@contextmanager
def elsewhere(first="", workers=1):
    """A cluster in a process of its own, which knows nothing of this one."""
    process = subprocess.Popen(
        [sys.executable, "-c", ELSEWHERE.format(first=first, workers=workers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.fixture(scope="module")
def address():
    with elsewhere() as (_, found):
        yield found


@pytest.mark.parametrize("count", [0, 1, 2, 7, 60])
def test_results_are_those_of_this_process(cluster, count):
    with Workers(cluster.shared) as workers:
        expected = dict(workers.run(scaled, range(count)))
    found = list(cluster.run(scaled, range(count)))
    assert len(found) == count
    assert dict(found) == expected


def test_jobs_may_be_large(cluster):
    assert dict(cluster.run(size, [bytes(6_000_000), bytes(7_000_000)])) == {0: 6_000_000, 1: 7_000_000}


def test_outcomes_come_in_the_order_in_which_jobs_finish(cluster):
    assert list(cluster.run(nap, [0.5, 0.0])) == [(1, 0.0), (0, 0.5)]


def test_long_jobs_that_nobody_expected_are_shared_out(cluster):
    list(cluster.run(nap, [0.0] * 20))
    found = dict(cluster.run(nap_somewhere, [0.6, 0.0] * 4))
    assert sorted(found) == list(range(8))
    assert len({found[position] for position in (0, 2, 4, 6)}) == 2  # one worker was sent them all


def test_the_data_are_unpickled_once_and_keep_what_they_learn(cluster):
    seen = [outcome for _ in range(4) for _, outcome in cluster.run(remembered, range(20))]
    by_process = {}
    for process, identity, calls in seen:
        by_process.setdefault(process, []).append((identity, calls))
    assert len(by_process) == 2
    for calls in by_process.values():
        assert len({identity for identity, _ in calls}) == 1
        numbers = sorted(number for _, number in calls)
        assert numbers == list(range(numbers[0], numbers[0] + len(calls)))


def test_workers_use_one_thread_and_cannot_change_the_data(cluster):
    found = dict(cluster.run(surroundings, range(2))).values()
    assert {rest for _, *rest in found for rest in [tuple(rest)]} == {(1, "1", False)}
    assert os.getpid() not in {process for process, *_ in found}


def test_a_single_job_of_a_local_cluster_is_done_here(cluster):
    [(_, (process, *_))] = cluster.run(surroundings, ["one"])
    assert process == os.getpid()


def test_errors_of_jobs_travel_as_they_are(cluster):
    with pytest.raises(DataError) as caught:
        list(cluster.run(fail_at_three, range(6)))
    assert str(caught.value) == "job 3 is wrong"
    assert "fail_at_three" in caught.value.__notes__[0]
    with pytest.raises(TypeError, match="two"):
        list(cluster.run(fail_badly, range(6)))
    assert dict(cluster.run(nap, [0, 0])) == {0: 0, 1: 0}


def test_outcomes_before_an_error_are_not_lost(cluster):
    list(cluster.run(nap, [0.0] * 20))  # so that jobs are known to be short, and six of them make two batches
    found = []
    with pytest.raises(DataError):
        for position, _ in cluster.run(fail_at_three, [0, 1, 2, 5, 4, 3]):
            found.append(position)
    assert {1, 3} <= set(found)


def test_nothing_listens_beyond_this_machine(cluster):
    local = cluster._client.cluster
    addresses = [local.scheduler_address, *(w.worker_address for w in nannies(cluster))]
    assert all(address.startswith("tls://127.0.0.1:") for address in addresses)
    assert len(addresses) == 3
    for process in [os.getpid(), *(nanny.pid for nanny in nannies(cluster))]:
        sockets = psutil.Process(process).net_connections("inet")
        listening = {socket.laddr.ip for socket in sockets if socket.status == psutil.CONN_LISTEN}
        assert listening == {"127.0.0.1"}


def test_a_killed_worker_costs_no_result_and_is_replaced(cluster):
    victim = nannies(cluster)[0].pid
    found = {}
    for position, seconds in cluster.run(nap, [0.05] * 40):
        if not found:
            os.kill(victim, signal.SIGKILL)
        found[position] = seconds
    assert found == dict.fromkeys(range(40), 0.05)
    deadline = time.monotonic() + 60
    while len(processes := {p for _, (p, *_) in cluster.run(remembered, range(40))}) < 2:
        assert time.monotonic() < deadline
    assert victim not in processes


def test_a_job_that_kills_every_worker_is_given_up(cluster):
    with pytest.raises(SfumatoError, match="died again and again"):
        list(cluster.run(die, range(2)))
    assert dict(cluster.run(nap, [0, 0, 0])) == {0: 0, 1: 0, 2: 0}


def test_workers_that_all_die_at_once_are_replaced():
    hasty = {"distributed.deploy.lost-worker-timeout": "100 ms"}  # less than it takes to replace one
    with config.set(hasty), Cluster(0, workers=2) as cluster:
        for nanny in nannies(cluster):
            os.kill(nanny.pid, signal.SIGKILL)
        cluster._client.wait_for_workers(2, timeout=60)
        assert dict(cluster.run(nap, [0, 0, 0])) == {0: 0, 1: 0, 2: 0}


def test_stopping_in_the_midst_of_jobs_leaves_no_process():
    began = time.monotonic()
    with pytest.raises(Cancelled), Cluster(0, workers=2) as cluster:
        processes = [nanny.pid for nanny in nannies(cluster)]
        for _ in cluster.run(nap, [0, 60]):
            began = time.monotonic()
            raise Cancelled
    assert time.monotonic() - began < 30  # not the minute of the job
    assert not any(psutil.pid_exists(process) for process in processes)


@pytest.mark.skipif(os.name != "posix", reason="there are no process groups")
def test_ctrl_c_ends_it_all_without_noise(tmp_path):
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    workers = [int(text) for text in process.stdout.readline().split()]
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    _, noise = process.communicate(timeout=120)
    assert noise.rstrip().endswith("KeyboardInterrupt")
    assert noise.count("Traceback") == 1
    assert len(workers) == 2
    assert not any(psutil.pid_exists(worker) for worker in workers)


def test_a_cluster_of_others_is_used_and_left_running(address):
    for _ in range(2):
        with Cluster(Remembering(np.arange(4.0)), address) as cluster:
            found = dict(cluster.run(surroundings, range(9)))
            [(_, single)] = cluster.run(surroundings, range(1))
            assert list(cluster.run(surroundings, [])) == []
            identities = {identity for _, (_, identity, _) in cluster.run(remembered, range(30))}
            assert cluster._client.run(held_here) == dict.fromkeys(cluster._copies, 1)
        assert {single, *found.values()} == {(single[0], 1, os.environ.get(VARIABLE), False)}
        assert single[0] != os.getpid()
        assert len(identities) == 2  # one for each thread: no two threads change the same one


def test_the_data_leave_a_cluster_of_others_with_us(address):
    with Cluster(0, address) as watching:
        with Cluster(np.arange(9), address) as cluster:
            assert set(cluster._client.run(held_here).values()) == {2}
        deadline = time.monotonic() + 60
        while set(watching._client.run(held_here).values()) != {1}:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_cluster_that_goes_away_is_one_sentence():
    with elsewhere() as (process, address), Cluster(0, address) as cluster:
        with pytest.raises(SfumatoError, match=f"The cluster at {address} went away"):
            for _ in cluster.run(nap, [0, 30]):
                process.kill()
        with pytest.raises(SfumatoError, match="went away"):
            list(cluster.run(nap, [0, 0]))


@pytest.mark.parametrize(
    ("first", "workers", "match"),
    [
        ("sys.modules['sfumato'] = None", 1, "must have sfumato .* Got none; install it"),
        (
            "import sfumato.parallel.worker_data as held; held.__version__ = '0'",
            1,
            "must have sfumato .* Got 0; install it",
        ),
        ("", 0, "has no workers; start some"),
    ],
)
def test_clusters_that_cannot_help_say_why(first, workers, match, monkeypatch):
    monkeypatch.setattr(dask_client, "SECONDS", 1)
    with (
        elsewhere(first, workers) as (_, address),
        pytest.raises(SfumatoError, match=match),
        Cluster(0, address),
    ):
        pass


@pytest.mark.parametrize("wrong", ["tcp://127.0.0.1:1", "127.0.0.1", "tcp://", "carrier-pigeon://x:1", ""])
def test_an_address_where_nobody_answers_is_one_sentence(wrong, monkeypatch):
    monkeypatch.setattr(dask_client, "SECONDS", 0.5)
    began = time.monotonic()
    with pytest.raises(ParameterError, match="cluster must be local or the address"), Cluster(0, wrong):
        pass
    assert time.monotonic() - began < 20  # Dask itself would wait for half a minute


def test_at_least_one_worker():
    with pytest.raises(ParameterError, match="workers must be an integer of at least 1"):
        Cluster(0, workers=0)


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sfumato\[cluster\]'"), Cluster(0):
        pass


def test_a_crew_is_whoever_was_asked_for():
    assert isinstance(crew(0, workers=2), Workers)
    found = crew(0, workers=3, cluster="tcp://host:8786")
    assert (type(found), found.address, found.workers) == (Cluster, "tcp://host:8786", 3)


@pytest.mark.parametrize("jobs", [0, 1, 2, 3, 50, 1000])
@pytest.mark.parametrize("slots", [0, 1, 2, 64])
@pytest.mark.parametrize("pace", [0.0, 1e-4, 0.01, 3.0])
def test_batches_spread_over_all_workers_and_stay_short(jobs, slots, pace):
    count = batch_count(jobs, slots, pace)
    assert min(jobs, max(slots, 1)) <= count <= jobs
    assert count == jobs or jobs // count * pace <= BATCH_SECONDS


@pytest.mark.parametrize("beside", [True, False])
def test_held_data_survive_the_journey(beside):
    values = {
        "plain": np.arange(5, dtype=np.int8),
        "columns first": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "every other": np.arange(10)[::2],
        "empty": np.empty((0, 3)),
        "texts": np.array(["a", None], dtype=object),
    }
    buffers = []
    sent = pickle.dumps(
        worker_data.WorkerData.packed("token", values), 5, buffer_callback=buffers.append if beside else None
    )
    assert bool(buffers) == beside
    arrived = pickle.loads(sent, buffers=[bytearray(buffer.raw()) for buffer in buffers])
    for name, expected in values.items():
        assert arrived.value[name].tolist() == expected.tolist()
    assert not arrived.value["plain"].flags.writeable
    assert arrived.value is arrived.value
    assert worker_data._here["token"] is arrived
    del arrived
    assert "token" not in worker_data._here


def test_what_dask_writes_is_only_held_back_for_a_while():
    logger, handler = logging.getLogger("distributed"), logging.Handler(logging.INFO)
    logger.addHandler(handler)
    try:
        with dask_client._silence():
            assert handler.level == logging.CRITICAL
        assert handler.level == logging.INFO
    finally:
        logger.removeHandler(handler)
