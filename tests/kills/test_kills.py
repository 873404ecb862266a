"""Long jobs killed at random moments: taken up again they write the same bytes, and nothing else is left."""

import os
import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial

import psutil
import pytest

from kills.disturbed import Disturbed, Moment, Struck, at_processor_time, family, processor_seconds
from kills.elsewhere import authority, elsewhere
from kills.nursery import PATIENCE
from sfumato.data import write_table
from sfumato.datasets import household_survey
from sfumato.datasets.census_pair import census_pair

pytestmark = pytest.mark.skipif(not hasattr(os, "setsid"), reason="there are no process groups")

LONG_CHAINS = [  # a seed, and how often a job is killed, one time after the other, before it may end
    pytest.param(seed, 10, id=f"10 kills, {seed}", marks=pytest.mark.slow) for seed in (1, 2, 3)
]
CHAINS = [pytest.param(0, 2, id="2 kills"), *LONG_CHAINS]
KEY = "secret.key"
KEPT_ON_DISK = ("honest", "evolve", "protect", "mask", "groups")
OFTEN = ("honest", "protect", "mask")  # tests of commands kill the others as well
SYNTHESES = ("synthesis", "synthesis from disk")
COLUMNS = ("household", "region", "age", "sex", "education", "income", "weight")
PAIR = census_pair(2000, areas=6, planted=1, seed=1)
PEOPLE = ("people.csv", "--schema", "people.toml", "-o", "out.csv", "--run", "kept", "--no-verdict")
MASKINGS = ("--methods", "rank_swapping,pram")
JOBS = {
    "honest": ("evolve", *PEOPLE, "--optimizer", "swap_calibration(starts=4)", "--workers", "1"),
    "evolve": ("evolve", *PEOPLE, *MASKINGS, "--preset", "fast", "--generations", "10", "--workers", "1"),
    "protect": ("protect", *PEOPLE, *MASKINGS, "--workers", "2"),
    "mask": (
        *("mask", "people.parquet", "-m", "mdav", "-o", "out.parquet", "--work", "kept", "--memory", "1KB"),
        *("--workers", "1"),
    ),
    "groups": (
        *("groups", "protect", "survey.parquet", "--vital", "military=1", "--parameter", "workplace"),
        *("--hide", PAIR.planted[0], "--generations", "10", "-o", "out.parquet", "--run", "kept"),
        *("--workers", "1"),
    ),
    "synthesis": ("protect", *PEOPLE, "--methods", "calibrated_synthesis,pram", "--workers", "2"),
    "synthesis from disk": (
        *("mask", "people.parquet", "-m", "calibrated_synthesis", "-o", "out.parquet", "--work", "kept"),
        *("--memory", "1KB", "--workers", "2"),
    ),
    "cluster": ("protect", *PEOPLE, *MASKINGS, "--workers", "2", "--cluster", "local"),
}


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """Makes jobs, each in a new folder with the files that it reads."""
    files = tmp_path_factory.mktemp("files")
    people = household_survey(60).select(COLUMNS)
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
        return _finished(job(name), "--secret", str(other.folder / other.kept / KEY))

    return like


def _finished(job, *more):
    """A job done to its end, and the seconds of processors that it took, as far as one could see."""
    with job.started(*more) as child:
        seconds = 0.0
        while child.poll() is None:
            seconds = max(seconds, processor_seconds(child))
            time.sleep(0.05)
        assert child.status == 0, child.read()
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
    "name",
    [
        pytest.param(name, marks=[] if name in OFTEN else [pytest.mark.slow])
        for name in (*KEPT_ON_DISK, *SYNTHESES)
    ],
)
def test_a_job_killed_twice_soon_after_its_start_ends_with_the_same_bytes(name, job, undisturbed):
    chance, disturbed = random.Random(name), job(name)
    struck = [Moment.early(chance).strike(disturbed) for _ in range(2)]
    assert all(one.killed for one in struck)
    _check_end(disturbed, struck, undisturbed, name)


@pytest.mark.parametrize("name", (*KEPT_ON_DISK, *SYNTHESES))
@pytest.mark.parametrize(("seed", "kills"), LONG_CHAINS)
def test_a_killed_job_goes_on_and_ends_with_the_same_bytes(name, seed, kills, job, undisturbed):
    chance, (like, whole) = random.Random(f"{name} {seed}"), undisturbed(name)
    chain = Chain(partial(job, name), like)
    while chain.kills < kills:
        chain.add(Moment.drawn(chance).strike(chain.job, *chain.key(), whole=whole))
    chain.end()


@dataclass
class Chain:
    """Kills of a job, one after the other; where it comes to its end before, another one follows.

    Jobs are given the key of one that nobody disturbed, until their folders keep it.
    """

    new: Callable[[], Disturbed]
    like: Disturbed
    struck: list[Struck] = field(default_factory=list)

    def __post_init__(self):
        self.job = self.new()

    @property
    def kills(self):
        return sum(one.killed for one in self.struck)

    def key(self):
        kept = self.job.folder / self.job.kept / KEY
        return (
            ()
            if kept.exists() or not self.job.keyed
            else ("--secret", str(self.like.folder / self.like.kept / KEY))
        )

    def add(self, struck):
        self.struck.append(struck)
        if not struck.killed:
            _check(self.job, self.like)
            self.job = self.new()

    def end(self):
        """Let the last one come to its end, and look at what is left."""
        status, said = self.job.done(*self.key())
        assert status == 0, said
        _check(self.job, self.like)
        assert not [path for one in self.struck for path in one.semaphores if path.exists()]
        print(f"{self.kills} kills, {len(self.struck) - self.kills + 1} ends")


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "kills"), CHAINS)
def test_a_job_whose_dask_workers_are_killed_goes_on_by_itself(seed, kills, job, undisturbed):
    chance, (like, whole), killed = random.Random(f"worker {seed}"), undisturbed("cluster"), 0
    while killed < kills:
        disturbed = job("cluster")
        with disturbed.started() as child:
            for moment in sorted(chance.uniform(0.5, 0.9) for _ in range(2)):
                if at_processor_time(child, moment * whole):
                    killed += _worker_killed(child, chance)
            assert child.wait() == 0, child.read()
        _check(disturbed, like)
    print(f"{killed} kills")


def _worker_killed(child, chance):
    """Kill one of the workers of a local cluster; whether there was one."""
    workers = [one for one in family(child) if _is_worker(one)]
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
    chance, (like, whole) = random.Random(f"local {seed}"), undisturbed("cluster")
    chain = Chain(partial(job, "cluster"), like)
    while chain.kills < kills:
        chain.add(Moment.drawn(chance).strike(chain.job, whole=whole))
    chain.end()


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "kills"), CHAINS)
def test_a_killed_scheduler_is_one_sentence_and_its_job_goes_on_with_another(
    seed, kills, job, undisturbed, tmp_path
):
    chance, certificates = random.Random(f"scheduler {seed}"), authority(tmp_path)
    new = partial(job, "cluster", **certificates)
    with elsewhere(certificates) as (_, address):
        _, whole = _finished(new().at(address))  # without the workers, which are elsewhere
    chain, killed = Chain(new, undisturbed("cluster")[0]), 0
    while killed < kills:
        with elsewhere(certificates) as (scheduler, address), chain.job.at(address).started() as child:
            killed += Moment.drawn(chance).reached(child, chain.job, whole)
            scheduler.kill()
            status, said = child.wait(), child.read()
        if status:
            assert status in (1, 2)
            assert said.count("\n") == 1 and said.startswith("Error: "), said
        chain.add(Struck(status > 0, set()))  # one that needs the cluster no more comes to its end
    with elsewhere(certificates) as (_, address):
        chain.job = chain.job.at(address)
        chain.end()
    print(f"{killed} kills of schedulers")
