"""Jobs that are killed: how they are started, when they are killed, and what they leave."""

import os
import random
import re
import signal
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

from kills.nursery import PATIENCE, Child

BLOCK = 100  # records, so that small files have many blocks
GLANCE = 0.002  # seconds between two looks at a folder
LOOK = 0.05  # and at all processes, which takes longer
OUT = "out"  # how names of what is written begin
TIMES = ("record.json", "report.html", "study.toml")  # hold the time that the work took


@dataclass(frozen=True, kw_only=True)
class Disturbed:
    """A job and the folder in which it is done; `kept` is the folder by which it goes on.

    One that is `keyed` draws a secret key, which that folder keeps; others are given a seed.
    """

    folder: Path
    words: tuple[str, ...]
    kept: str
    keyed: bool = True
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def temporary(self) -> Path:
        """Where it finds the folder for temporary files of the system."""
        found = self.folder / "tmp"
        found.mkdir(exist_ok=True)
        return found

    def at(self, address: str) -> "Disturbed":
        """The same, on the cluster at an address."""
        place = self.words.index("--cluster") + 1
        return replace(self, words=(*self.words[:place], address, *self.words[place + 1 :]))

    @contextmanager
    def started(self, *more: str):
        environment = {"TMPDIR": str(self.temporary), **self.environment}
        words = (*self.words, *self._chance(more))
        said = self.folder.with_name("said.txt")
        child = Child.born(words, said=said, folder=str(self.folder), environment=environment, block=BLOCK)
        try:
            yield child
        finally:
            kill(family(child))
            child.wait()

    def done(self, *more: str) -> tuple[int, str]:
        """Do it to its end: the status, and what it said."""
        with self.started(*more) as child:
            return child.wait(), child.read()

    def outcome(self) -> dict[str, bytes]:
        """What was written, but for what tells the time that it took."""
        found = {path.relative_to(self.folder): path for path in self.folder.rglob("*") if path.is_file()}
        written = {path: file for path, file in found.items() if path.parts[0].startswith(OUT)}
        return {str(p): file.read_bytes() for p, file in written.items() if not p.name.endswith(TIMES)}

    def all_files(self) -> set[str]:
        """Whatever lies in the folder now, temporary files of the system among it.

        Names of tables on disk tell where the file was, which is left out.
        """
        paths = (str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))
        return {re.sub(r"\b(table|masked|scores)-[0-9a-f]{16}\b", r"\1", path) for path in paths}

    def _chance(self, more: tuple[str, ...]) -> tuple[str, ...]:
        return more if self.keyed else ("--seed", "1", *more)


def family(child: Child | psutil.Popen) -> list[psutil.Process]:
    """The process of a job and all that it started, and these in turn."""
    process = child.process if isinstance(child, Child) else child
    try:
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return [process]


def kill(processes) -> None:
    """End processes as a power cut would, by their numbers, and wait until they are gone."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    assert not alive


def processor_seconds(child: Child | psutil.Popen) -> float:
    total = 0.0
    for one in family(child):
        with suppress(psutil.Error):
            times = one.cpu_times()
            total += times.user + times.system
    return total


def at_processor_time(child: Child | psutil.Popen, seconds: float) -> bool:
    """Wait until the processes have worked for so long; whether they are still there."""
    while child.poll() is None:
        if processor_seconds(child) >= seconds:
            return True
        time.sleep(LOOK)
    return False


def at_event(child: Child, folder: Path, count: int, delay: float) -> bool:
    """Wait until files in a folder changed so often, and a little longer; whether the process is still there."""
    seen, changes = _state(folder), 0
    while child.poll() is None:
        now = _state(folder)
        if now != seen:
            seen, changes = now, changes + 1
        if changes >= count:
            time.sleep(delay)
            return child.poll() is None
        time.sleep(GLANCE)
    return False


def _state(folder: Path) -> list[tuple[str, int]]:
    found = []
    for inner, _, names in os.walk(folder):
        for name in names:
            path = Path(inner, name)
            with suppress(OSError):  # it is gone already
                found.append((str(path), path.stat().st_size))
    return sorted(found)


@dataclass(frozen=True)
class Moment:
    """When a job is killed, and whether with all processes that it started, or alone."""

    share: float  # of the processor time of the whole job
    events: int  # in its folders, in place of a share
    delay: float
    whole_family: bool

    @classmethod
    def drawn(cls, chance: random.Random) -> "Moment":
        return cls(
            share=chance.uniform(0, 1),
            events=chance.choice([0, chance.randint(1, 40)]),
            delay=chance.uniform(0, 0.02),
            whole_family=chance.random() < 0.5,
        )

    @classmethod
    def early(cls, chance: random.Random) -> "Moment":
        """One among the first events, for which nobody need know how long the whole job takes."""
        return replace(cls.drawn(chance), events=chance.randint(2, 6))

    def reached(self, child: Child, job: Disturbed, whole: float) -> bool:
        """Wait for it; whether the job is still at work then."""
        if self.events:
            return at_event(child, job.folder, self.events, self.delay)
        return at_processor_time(child, self.share * whole)

    def strike(self, job: Disturbed, *more: str, whole: float = 0.0) -> "Struck":
        """Start a job that takes so many seconds of processors, and kill it then, if it comes to that."""
        with job.started(*more) as child:
            there = self.reached(child, job, whole)
            processes = family(child)
            semaphores = {path for one in processes for path in semaphores_of(one)}
            if there:
                child.kill()
            if self.whole_family:
                kill(processes)
            _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
            assert not alive, "processes outlive the one that started them"
            return Struck(there and child.wait() == -signal.SIGKILL, semaphores)


@dataclass(frozen=True)
class Struck:
    """Whether a job was killed before it was done, and the semaphores that its processes had."""

    killed: bool
    semaphores: set[Path]


def semaphores_of(process: psutil.Process) -> set[Path]:
    try:
        return {Path(area.path) for area in process.memory_maps() if area.path.startswith("/dev/shm/sem.")}
    except (psutil.Error, OSError):
        return set()
