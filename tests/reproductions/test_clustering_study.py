"""Chapter 5 of Marés' thesis: what it found, on the file it used."""

import pytest

from sfumato.core import ParameterError
from sfumato.reproductions import Clustering
from sfumato.reproductions._clustering_curves import Tried, trend_lines
from sfumato.reproductions.clustering import METHODS, PUBLISHED


@pytest.fixture(scope="module")
def run():
    if not Clustering.runnable():
        pytest.skip("the classic file is not here")
    return Clustering.quickly(workers=1).run()


def test_all_numbers_of_the_tables_stand_there(run):
    shown = [line.published for line in run.lines]
    for pairs in PUBLISHED.values():
        for pair in pairs:
            assert set(pair) <= set(shown)


def test_clusters_balance_better_than_microaggregation_on_german(run):
    beating = [line for line in run.lines if "against" in line.what]
    assert len(beating) == 4
    assert all(line.verdict == "holds" for line in beating), [line.to_dict() for line in beating]


def test_housing_has_no_bars(run):
    """A generated file stands in for it."""
    assert all(line.bar is None for line in run.lines if "Housing" in line.what)


def test_the_best_is_the_best_of_what_is_drawn(run):
    dispersions = {name: one for name, one in run.drawings.items() if one.drawn_by == "dispersion"}
    assert len(dispersions) == len(PUBLISHED)
    for name, drawing in dispersions.items():
        assert tuple(drawing.points) == METHODS
        for method, points in drawing.points.items():
            assert max(drawing.best[method]) == min(map(max, points)), (name, method)
    drawn = run.drawings["german"].best["clustered global-median"]
    told = [
        line.ours for line in run.lines if "5.2" in line.what and "clustered global-median (" in line.what
    ]
    assert told == [*drawn, max(drawn)]


def test_drawings_become_frames(run):
    frame = run.drawings["german"].to_frame()
    assert frame.num_rows == sum(map(len, run.drawings["german"].points.values())) == 2 + 2 * 6
    assert sum(frame["best"].to_pylist()) >= len(METHODS)


@pytest.mark.parametrize("name", ["k", "clusters", "larger_k"])
def test_something_must_be_tried(name):
    with pytest.raises(ParameterError, match=f"{name} must hold at least one number"):
        Clustering(**{name: ()})


@pytest.mark.slow
def test_the_whole_study_holds():
    if not Clustering.runnable():
        pytest.skip("the classic file is not here")
    assert Clustering().run().holds


def test_loss_and_risk_are_drawn_over_k_and_clusters(run):
    """Figures 5.5 to 5.7, and the trends of §5.4 in numbers."""
    drawn = run.drawings["german-clustered-microaggregation-over-k"]
    assert {name: len(curves) for name, curves in drawn.panels.items()} == {"IL": 3, "DR": 3}
    changes = {line.what: line.ours for line in run.lines if "mean change" in line.what}
    (by_c,) = (
        v for w, v in changes.items() if "German, clustered microagg" in w and "IL" in w and "largest c" in w
    )
    curves = drawn.panels["IL"]
    by_hand = [dict(curves["c = 75"])[k] - dict(curves["c = 8"])[k] for k in (40.0, 50.0)]
    assert by_c == pytest.approx(sum(by_hand) / 2)


def test_what_more_clusters_do_is_also_told_for_the_least_k():
    """By hand: with k = 2 loss falls by 1 over c; with k = 9 it rises by 5, so that the mean change is a rise of 2."""
    tried = [Tried(2, 2, 3.0, 50.0), Tried(2, 9, 2.0, 51.0), Tried(9, 2, 10.0, 40.0), Tried(9, 9, 15.0, 30.0)]
    told = {line.what: line.ours for line in trend_lines("here", tried)}
    (mean,) = (what for what in told if "mean change of IL from the least to the largest c" in what)
    (few,) = (what for what in told if "k = 2: change of IL from the least to the largest c" in what)
    assert told[mean] == 2.0 and "[not as in print: clusters below k are joined by their size" in mean
    assert told[few] == -1.0 and few.endswith("[as in print]")
    assert not list(trend_lines("here", []))
