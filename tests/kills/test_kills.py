"""Long jobs killed at random moments: taken up again they write the same bytes, and nothing else is left."""

import os
import random
import shutil
import time
from functools import cache

import psutil
import pytest

from kills.disturbed import PATIENCE, Disturbed, Moment, at_processor_time, family, processor_seconds
from kills.elsewhere import authority, elsewhere
from sfumato.data import write_table
from sfumato.datasets import household_survey
from sfumato.datasets.census_pair import census_pair

pytestmark = pytest.mark.skipif(not hasattr(os, "setsid"), reason="there are no process groups")

LONG_CHAINS = [  # a seed, and how often a job is killed, one time after the other, before it may end
    pytest.param(seed, 10, id=f"10 kills, {seed}", marks=pytest.mark.slow) for seed in (1, 2, 3)
]
CHAINS = [pytest.param(0, 2, id="2 kills"), *LONG_CHAINS]
KEPT_ON_DISK = ("honest", "evolve", "protect", "mask", "groups")
SYNTHESES = ("synthesis", "synthesis from disk")
PAIR = census_pair(2000, areas=6, planted=1, seed=1)
PEOPLE = (
    "people.csv",
    "--schema",
    "people.toml",
    "--methods",
    "rank_swapping,pram",
    "-o",
    "out.csv",
    "--run",
    "kept",
)
NOBODY = ("people.csv", "--schema", "people.toml", "-o", "out.csv", "--run", "kept", "--no-verdict")
JOBS = {
    "honest": ("evolve", *NOBODY, "--optimizer", "swap_calibration(starts=4)", "--workers", "1"),
    "evolve": (
        "evolve",
        *PEOPLE,
        "--preset",
        "fast",
        "--no-verdict",
        "--generations",
        "10",
        "--workers",
        "1",
    ),
    "protect": ("protect", *PEOPLE, "--no-verdict", "--workers", "2"),
    "mask": (
        "mask",
        "people.parquet",
        "-m",
        "mdav",
        "-o",
        "out.parquet",
        "--work",
        "kept",
        "--memory",
        "1KB",
    ),
    "groups": (
        *("groups", "protect", "survey.parquet", "--vital", "military=1", "--parameter", "workplace"),
        *(
            "--hide",
            PAIR.planted[0],
            "--generations",
            "10",
            "-o",
            "out.parquet",
            "--run",
            "kept",
            "--workers",
            "1",
        ),
    ),
    "synthesis": (
        *("protect", "people.csv", "--schema", "people.toml", "--methods", "calibrated_synthesis,pram"),
        *("-o", "out.csv", "--run", "kept", "--no-verdict", "--workers", "2"),
    ),
    "synthesis from disk": (
        *("mask", "people.parquet", "-m", "calibrated_synthesis", "-o", "out.parquet", "--work", "kept"),
        *("--memory", "1KB", "--workers", "2"),
    ),
    "cluster": ("protect", *PEOPLE, "--no-verdict", "--workers", "2", "--cluster", "local"),
}


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """Makes jobs, each in a new folder with the files that it reads."""
    files = tmp_path_factory.mktemp("files")
    people = household_survey(100)
    write_table(people, files / "people.csv")
    write_table(household_survey(1000), files / "people.parquet")
    write_table(PAIR.survey, files / "survey.parquet")
    (files / "people.toml").write_text(people.schema.to_toml(), encoding="utf-8")

    def made(name, **environment):
        folder = tmp_path_factory.mktemp(name.replace(" ", "-")) / "here"
        shutil.copytree(files, folder)
        keyed = name != "cluster"  # whose tests compare with a job that was done before
        words = (*JOBS[name], "-q")
        return Disturbed(folder=folder, words=words, kept="kept", keyed=keyed, environment=environment)

    return made


@pytest.fixture(scope="module")
def undisturbed(job):
    """A job that nobody disturbed, and the seconds of processors that it took; with a key, that of the other job."""

    @cache
    def done(name):
        return _finished(job(name))

    def like(name, other=None):
        if other is None or not other.keyed:
            return done(name)
        return _finished(job(name), "--secret", str(other.folder / other.kept / "secret.key"))

    return like


def _finished(job, *more):
    """A job done to its end, and the seconds of processors that it took, as far as one could see."""
    with job.started(*more) as process:
        seconds = 0.0
        while process.poll() is None:
            seconds = max(seconds, processor_seconds(process))
            time.sleep(0.05)
        assert process.returncode == 0, process.stderr.read()
    return job, seconds


def _check(job, like):
    """What was written is what was written there, and nothing else is left of it."""
    assert job.outcome() == like.outcome()
    assert job.all_files() == like.all_files()
    assert not list(job.temporary.iterdir())


def _check_end(job, struck, undisturbed, name):
    """Let a job that was killed come to its end, and look at what is left of it."""
    status, said = job.done()
    assert status == 0, said
    _check(job, undisturbed(name, job)[0])
    assert not [path for one in struck for path in one.semaphores if path.exists()]


@pytest.mark.parametrize(
    "name", [*KEPT_ON_DISK, *(pytest.param(n, marks=pytest.mark.slow) for n in SYNTHESES)]
)
def test_a_job_killed_twice_soon_after_its_start_ends_with_the_same_bytes(name, job, undisturbed):
    chance, disturbed = random.Random(name), job(name)
    struck = [Moment.early(chance).strike(disturbed) for _ in range(2)]
    assert all(one.killed for one in struck)
    _check_end(disturbed, struck, undisturbed, name)


@pytest.mark.parametrize("name", (*KEPT_ON_DISK, *SYNTHESES))
@pytest.mark.parametrize(("seed", "kills"), LONG_CHAINS)
def test_a_killed_job_goes_on_and_ends_with_the_same_bytes(name, seed, kills, job, undisturbed):
    chance, disturbed = random.Random(f"{name} {seed}"), job(name)
    _, whole = undisturbed(name)
    struck = []
    while sum(one.killed for one in struck) < kills:
        if struck and not struck[-1].killed:  # it came to its end first
            _check(disturbed, undisturbed(name, disturbed)[0])
            disturbed = job(name)
        struck.append(Moment.drawn(chance).strike(disturbed, whole))
    _check_end(disturbed, struck, undisturbed, name)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "kills"), CHAINS)
def test_a_job_whose_dask_workers_are_killed_goes_on_by_itself(seed, kills, job, undisturbed):
    chance, disturbed, killed = random.Random(f"worker {seed}"), job("cluster"), 0
    expected, whole = undisturbed("cluster", disturbed)
    while killed < kills:
        disturbed = job("cluster")
        with disturbed.started() as process:
            for moment in sorted(chance.uniform(0.5, 0.9) for _ in range(2)):
                if at_processor_time(process, moment * whole):
                    killed += _worker_killed(process, chance)
            said = process.stderr.read()
            assert process.wait(PATIENCE) == 0, said
        _check(disturbed, expected)


def _worker_killed(process, chance):
    """Kill one of the workers of a local cluster; whether there was one."""
    workers = [one for one in family(process) if _is_worker(one)]
    if not workers:
        return False
    victim = chance.choice(workers)
    victim.kill()
    psutil.wait_procs([victim], timeout=PATIENCE)
    return True


def _is_worker(process):
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:
        return False


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "kills"), CHAINS)
def test_a_killed_local_cluster_leaves_no_process_and_its_job_goes_on(seed, kills, job, undisturbed):
    """Its scheduler is in the process of the job itself."""
    chance, disturbed = random.Random(f"local {seed}"), job("cluster")
    expected, whole = undisturbed("cluster", disturbed)
    struck = [Moment.drawn(chance).strike(disturbed, whole) for _ in range(kills)]
    assert any(one.killed for one in struck)
    status, said = disturbed.done()
    assert status == 0, said
    _check(disturbed, expected)
    assert not [path for one in struck for path in one.semaphores if path.exists()]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "kills"), CHAINS)
def test_a_killed_scheduler_is_one_sentence_and_its_job_goes_on_with_another(
    seed, kills, job, undisturbed, tmp_path
):
    chance, certificates = random.Random(f"scheduler {seed}"), authority(tmp_path)
    disturbed = job("cluster", **certificates)
    expected, whole = undisturbed("cluster", disturbed)
    words = disturbed.words
    for _ in range(kills):
        with elsewhere(certificates) as (scheduler, address):
            disturbed = disturbed.at(words, address)
            with disturbed.started() as process:
                there = at_processor_time(process, chance.uniform(0.1, 0.6) * whole)
                scheduler.kill()
                said, status = process.stderr.read(), process.wait(PATIENCE)
            if there and status:
                assert status in (1, 2)
                assert said.count("\n") == 1 and said.startswith("Error: "), said
    with elsewhere(certificates) as (_, address):
        status, said = disturbed.at(words, address).done()
    assert status == 0, said
    _check(disturbed, expected)
