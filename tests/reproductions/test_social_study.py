"""Chapter 6 of Marés' thesis: what its text says about its figures."""

import numpy as np
import pytest

from sfumato.core import Cancelled, ParameterError, progress
from sfumato.reproductions import Social


@pytest.fixture(scope="module")
def run():
    return Social.quickly(workers=1).run()


def barred(run, words):
    return [line for line in run.lines if words in line.what and line.bar is not None]


def test_loss_rises_and_the_larger_graph_loses_less(run):
    lines = barred(run, "mean loss")
    assert len(lines) == 3
    assert {line.verdict for line in lines} == {"holds"}


def test_risk_falls_and_is_lower_in_the_larger_graph(run):
    assert len(barred(run, "largest rise of the risk")) == 2 * 6 + 2
    for known in ("topics", "all"):
        assert {line.verdict for line in barred(run, f"risk from {known} ")} == {"holds"}


def test_every_point_of_every_figure_is_a_line(run):
    points = [line for line in run.lines if ", k = " in line.what]
    assert len(points) == 2 * 2 * (4 + 6) + 2 * 2 * 2 * 2
    for number in range(10, 16):
        assert any(line.what.startswith(f"Fig. 6.{number}, ") for line in points)


def test_lines_are_the_points_that_are_drawn(run):
    drawn = run.drawings["first-graph"]
    (told,) = (
        line.ours for line in run.lines if line.what == "Fig. 6.10, first graph, k = 20: loss CDIL (%)"
    )
    assert told == pytest.approx(100 * drawn.losses["CDIL"][1])
    assert drawn.losses["mean"][0] == pytest.approx(
        np.mean([drawn.losses[n][0] for n in ("AAMIL", "CDIL", "DBIL")])
    )
    assert drawn.to_frame().num_rows == 2 * (4 + 6)
    graphs = {"first graph", "second graph"}
    assert set(run.drawings["microdata"].losses) == graphs | {f"{name}, as they are" for name in graphs}
    grown = {line.what: line.ours for line in run.lines if "loss at the largest k less" in line.what}
    for name in graphs:  # the reading in which loss grows less, as the text says
        again, plain = (
            next(v for w, v in grown.items() if f"{name}{r}:" in w) for r in ("", ", as they are")
        )
        assert plain < again


def test_what_the_source_found_otherwise_has_no_bar(run):
    others = [line for line in run.lines if "(published: " in line.what]
    assert len(others) == 3
    assert all(line.bar is None for line in others)


@pytest.mark.parametrize("k", [(), (5,), (5, 2), (2, 2)])
def test_sizes_must_grow(k):
    with pytest.raises(ParameterError, match="at least two sizes, in growing order"):
        Social(k=k)


@pytest.mark.slow
def test_the_whole_study_holds():
    assert Social().run().holds


def test_a_study_that_is_stopped_keeps_the_figures_that_were_done():
    class Stops(progress.Unheard):
        def __init__(self):
            self.notes = []

        def advanced(self, task):
            if task.label == "Protecting graphs" and task.done == 1:
                raise Cancelled("enough")

        def noted(self, message):
            self.notes.append(message)

        def started(self, task):
            pass

        honoured = finished = lambda self, *_: None

    ear = Stops()
    with progress.listening(ear):
        found = Social.quickly(workers=1).run()
    assert any("stopped after 1 of 4" in note for note in ear.notes)
    assert set(found.drawings) == {"first-graph"} and barred(found, "Fig. 6.10")
    assert not any("Figs. 6.10, 6.11" in line.what or "microdata" in line.what for line in found.lines)
