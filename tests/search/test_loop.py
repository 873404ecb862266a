import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from evolving import OPTIMIZER, evolved, random_change, small_problem, small_table, what_matters

import sfumato.search.loop as loop
from sfumato.core import Cancelled, FileError, progress
from sfumato.measures import Change, DisclosureRisk, InformationLoss
from sfumato.search.contracts import Generation
from sfumato.search.effort import Effort
from sfumato.search.optimizers.evolution import Evolution
from sfumato.search.problems.masked_files import Fitness, Walk
from sfumato.search.stop import Ending, Stop

SCRIPT = str(Path(__file__).with_name("evolving.py"))


class Watcher:
    """Sees the progress of a run, and raises something at a generation."""

    def __init__(self, error=None, at=5):
        self.error, self.at = error, at
        self.seen, self.honours = [], 0

    def started(self, task):
        pass

    def advanced(self, task):
        self.seen.append((task.done, task.status))
        if self.error is not None and len(self.seen) == self.at:
            raise self.error

    def finished(self, task):
        pass

    def found(self, what, values): ...
    def noted(self, message):
        pass

    def honoured(self):
        self.honours += 1


class CutOffError(Exception):
    """As if the process ended here."""


def cut_off_crew(problem, after):
    """Judges so many candidates, then the lights go out."""

    class Crew:
        left = after

        def run(self, function, jobs, things=None):
            for position, job in enumerate(jobs):
                if not self.left:
                    raise CutOffError
                self.left -= 1
                yield position, function(problem, job)

    return Crew()


@pytest.mark.parametrize("after", [0, 3, 6, 7, 20, 60])
def test_a_run_cut_off_and_resumed_equals_one_that_was_not(tmp_path, after):
    problem = small_problem()
    whole = evolved(problem)
    with pytest.raises(CutOffError):
        loop.run(
            small_problem(),
            OPTIMIZER,
            Effort(stop=Stop(generations=30), seed=1, folder=tmp_path),
            crew=cut_off_crew(small_problem(), after),
        )
    resumed = evolved(small_problem(), folder=tmp_path)
    assert what_matters(problem, resumed) == what_matters(problem, whole)
    assert (resumed.resumed > 0) == (after >= 6)
    assert resumed.history[-1].generation == 30


def test_what_was_judged_of_a_generation_that_was_cut_off_is_not_judged_again(tmp_path):
    effort = Effort(stop=Stop(generations=30), seed=1, folder=tmp_path)
    with pytest.raises(CutOffError):  # in the start, of six files
        loop.run(small_problem(), OPTIMIZER, effort, crew=cut_off_crew(small_problem(), 4))
    with pytest.raises(CutOffError):  # the other two are judged, and one of the next generation
        loop.run(small_problem(), OPTIMIZER, effort, crew=cut_off_crew(small_problem(), 3))
    base = sqlite3.connect(tmp_path / loop.JOURNAL)
    assert base.execute("SELECT count(*) FROM generations").fetchone() == (1,)
    assert set(base.execute("SELECT number FROM parts")) == {(0,), (1,)}
    base.execute("INSERT INTO parts VALUES (2, 1.0, ?)", (b"\x81\x63\x94\x90\x90\x90\xc0",))  # of trial 99
    base.commit()
    base.close()
    problem = small_problem()
    assert what_matters(problem, evolved(problem, 1, folder=tmp_path)) == what_matters(
        problem, evolved(small_problem(), 1)
    )
    with pytest.raises(FileError, match="generation 2 does not fit this run; start a new one"):
        evolved(small_problem(), folder=tmp_path)


def test_a_run_resumed_again_and_again_is_still_the_same(tmp_path):
    problem = small_problem()
    for generations in (1, 2, 9, 25, 30, 30):
        pieces = evolved(small_problem(), generations, folder=tmp_path)
    assert what_matters(problem, pieces) == what_matters(problem, evolved(problem))
    assert pieces.resumed == 31


def test_a_resumed_run_obeys_a_rule_it_has_passed_already(tmp_path):
    problem = small_problem()
    evolved(problem, 30, folder=tmp_path)
    assert what_matters(problem, evolved(small_problem(), 12, folder=tmp_path)) == what_matters(
        problem, evolved(problem, 12)
    )


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_kill_9_at_any_moment_then_resume_gives_the_same_file(tmp_path, workers):
    generations = 24
    command = [sys.executable, SCRIPT, str(tmp_path), str(generations), workers]
    for lines in (0, 1, 12):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            while not (tmp_path / loop.JOURNAL).exists():
                time.sleep(0.001)
            seen = [child.stdout.readline() for _ in range(lines)]
            child.kill()
        assert all(seen) and child.returncode == -signal.SIGKILL
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    fingerprint, resumed = done.stdout.splitlines()[-1].split()
    problem = small_problem()
    assert fingerprint == problem.decode(evolved(problem, generations).best.genome).fingerprint
    assert int(resumed) >= 12


@pytest.mark.parametrize(
    ("arguments", "options", "named"),
    [
        ({"seed": 5}, {}, "another file"),
        ({"files": 5}, {}, "other starting files"),
        ({"fitness": Fitness(how="max")}, {}, "other measures"),
        (
            {"fitness": Fitness((InformationLoss(),), (DisclosureRisk(linkage="both"),), "mean")},
            {},
            "other measures",
        ),
        ({}, {"optimizer": Evolution(walk=2, batch=3)}, "another optimiser or other parameters"),
        ({}, {"seed": 2}, "another seed"),
    ],
)
def test_another_run_is_refused_by_name(tmp_path, arguments, options, named):
    evolved(small_problem(), 2, folder=tmp_path)
    with pytest.raises(FileError, match=named):
        evolved(small_problem(**arguments), 2, folder=tmp_path, **options)


def test_another_version_is_refused_by_name(tmp_path, monkeypatch):
    evolved(small_problem(), 2, folder=tmp_path)
    monkeypatch.setattr(loop, "__version__", "99.0")
    with pytest.raises(FileError, match="another version of sfumato"):
        evolved(small_problem(), 2, folder=tmp_path)


def test_a_run_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match=r"Folder .* cannot be made"):
        evolved(small_problem(), 2, folder=tmp_path / "file" / "run")


def test_workers_change_nothing():
    problem = small_problem()
    assert what_matters(problem, evolved(problem, workers=2)) == what_matters(problem, evolved(problem))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Cancelled("stop")])
def test_an_interrupt_keeps_the_best_and_can_be_resumed(tmp_path, error):
    problem, watcher = small_problem(), Watcher(error, at=9)
    with progress.listening(watcher):
        cut = evolved(problem, folder=tmp_path)
    assert (cut.ended, watcher.honours, cut.history[-1].generation) == (Ending.BY_USER, 1, 8)
    assert cut.reason == cut.to_dict()["ended"] == "the user stopped it"
    assert cut.score == min(step.best for step in cut.history)
    assert problem.score(cut.best.costs) == cut.score
    resumed = evolved(small_problem(), folder=tmp_path)
    assert what_matters(problem, resumed) == what_matters(problem, evolved(problem))


@pytest.mark.parametrize("error", [KeyboardInterrupt, Cancelled])
def test_an_interrupt_before_there_is_anything_to_keep_is_passed_on(error):
    problem = small_problem()

    class Crew:
        def run(self, function, jobs, things=None):
            raise error("stop")

    with pytest.raises(error):
        loop.run(problem, OPTIMIZER, Effort(stop=Stop(generations=3)), crew=Crew())


def test_a_judgement_that_is_cut_off_leaves_nothing_half_way():
    problem = small_problem()
    genome = problem.start[0][1]
    rng = np.random.default_rng(0)
    changes = [random_change(problem.original, rng) for _ in range(6)]
    walk = Walk(genome, (Change.cell(0, "age", 40.0), *changes), forced=7)
    before = problem.judge(Walk(genome))
    follower = problem._followers.get(genome.key)

    def interrupted(change):
        raise KeyboardInterrupt

    follower.trackers[-1].try_ = interrupted
    with pytest.raises(KeyboardInterrupt):
        problem.judge(walk)
    assert problem.judge(Walk(genome)) == before
    assert problem.judge(walk) == small_problem().judge(walk)


def test_a_listener_sees_how_it_stands():
    watcher = Watcher()
    with progress.listening(watcher):
        found = evolved(small_problem(), 20)
    assert len(watcher.seen) == 21
    assert [done for done, _ in watcher.seen] == [50 * generation for generation in range(21)]
    last = found.history[-1]
    assert watcher.seen[-1][1].startswith(
        f"generation 20, score {last.best:.2f} (mean {last.mean:.2f}, worst {last.worst:.2f}), "
    )
    assert watcher.seen[-1][1].endswith("evaluations a second")


def test_a_run_tells_what_it_did():
    problem = small_problem()
    found = evolved(problem, 25)
    assert found.ended is Ending.BY_RULE and found.rule.limit == 25
    assert found.reason == found.to_dict()["ended"] == "25 generations were made"
    assert [step.generation for step in found.history] == list(range(26))
    assert found.history[0].evaluations == len(found.start) == len(problem.start)
    assert found.evaluations == 6 + sum(operator.tried for operator in found.operators.values())
    assert {step.hypervolume for step in found.history} == {None}
    best = [step.best for step in found.history]
    assert best == sorted(best, reverse=True)
    assert found.to_frame().num_rows == 26
    shown = found.to_dict()
    assert shown["best"] == [{"origin": found.best.origin, "costs": list(found.best.costs)}]
    assert len(shown["population"]) == 6
    assert small_table().fingerprint == shown["problem"]["file"]


def test_a_search_may_have_nothing_more_to_try():
    problem = small_problem()

    class Short(Evolution):
        def search(self, problem, rng):
            population = yield from self.judged_start(problem)
            yield Generation(population, ())

    found = evolved(problem, optimizer=Short())
    assert found.ended is Ending.NOTHING_LEFT and found.rule is None
    assert found.to_dict()["ended"] == "there was nothing more to try"
    assert found.score == min(problem.score(individual.costs) for individual in found.start)
