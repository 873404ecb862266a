from functools import partial
from types import SimpleNamespace

import pytest

import sfumato
from sfumato import datasets
from sfumato.core import progress
from sfumato.search import tally
from sfumato.search.contracts import Leg, Outcome, Trial
from sfumato.search.run_record import Operator

evolve = partial(sfumato.evolve, with_verdict=False)  # which takes long, and is tested by itself


class Diary:
    def __init__(self):
        self.points = []

    def started(self, task): ...
    def advanced(self, task): ...
    def finished(self, task): ...
    def noted(self, message): ...

    def found(self, what, values):
        if what == "generation":
            self.points.append(values)


def evolved():
    diary = Diary()
    with progress.listening(diary):
        table = datasets.business_survey(40, seed=1)
        found = evolve(table, preset="fast", generations=6, methods=["mdav", "rank_swapping"], seed=1)
    return found.run, diary.points


def test_every_generation_is_told_where_there_is_time(monkeypatch):
    monkeypatch.setattr(tally, "SECONDS", 0.0)
    run, points = evolved()
    assert [point["generation"] for point in points] == [step.generation for step in run.history]
    best = run.history[0].best
    for point, step in zip(points, run.history, strict=True):
        best = min(best, step.best)
        assert point["best"] == point["score"] == best == max(point["loss"], point["risk"])
    assert points[-1]["front"] == [list(one.costs) for one in run.front]


def test_otherwise_the_first_and_the_last_are(monkeypatch):
    monkeypatch.setattr(tally, "SECONDS", 1000.0)
    run, points = evolved()
    assert [point["generation"] for point in points] == [0, run.history[-1].generation]
    assert points[-1]["score"] == run.score == pytest.approx(max(run.best.costs))


def test_operators_are_credited_leg_by_leg_by_what_the_score_falls():
    counted = tally.Tally(SimpleNamespace(score=max))
    legs = (
        Leg("swap", size=2, tried=5, kept=3, work=9, costs=(7.0, 4.0)),
        Leg("noise", size=1, tried=4, kept=1, work=4, costs=(8.0, 1.0)),
        Leg("swap", size=1, tried=1, kept=0, work=1, costs=(5.5, 5.0)),
    )
    trials = [Trial("walk", "walk", parent=10.0), Trial("one", "noise", parent=6.0), Trial("new", "start")]
    outcomes = [Outcome((5.5, 5.0), legs=legs), Outcome((6.5, 2.0)), Outcome((1.0, 1.0))]
    counted.take(trials, outcomes, 2.0)
    assert counted.operators == {
        "swap": Operator(tried=6, kept=4, gain=(10 - 7) + (8 - 5.5)),
        "noise": Operator(tried=5, kept=1, gain=0.0),
    }
    assert (counted.number, counted.evaluations, counted.seconds) == (0, 12, 2.0)
