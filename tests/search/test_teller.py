from functools import partial

import pytest

import sfumato
from sfumato import datasets
from sfumato.core import progress
from sfumato.search import tally

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
